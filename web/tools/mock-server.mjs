// SPDX-License-Identifier: MIT
// A small server that speaks the live protocol of web/DATA.md, for tests and
// while working on the page:
//
//   node tools/mock-server.mjs DIR...     reads the folders again every second
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { makeDocument, makePage } from './make-data.mjs';

const TEMPLATE = fileURLToPath(new URL('../dist/report.html', import.meta.url));

/** Keeps a document, and knows which of its runs changed when. */
export class Feed {
  constructor(document, session = randomUUID()) {
    this.session = session;
    this.revision = 0;
    this.changed = new Map();
    this.texts = new Map();
    this.removed = [];
    this.heads = [];
    this.put(document);
  }

  put(document) {
    const { runs, ...head } = document;
    const next = this.revision + 1;
    let any = false;
    const seen = new Set();
    for (const run of runs) {
      seen.add(run.id);
      const text = JSON.stringify(run);
      if (this.texts.get(run.id) === text) continue;
      this.texts.set(run.id, text);
      this.changed.set(run.id, next);
      any = true;
    }
    for (const id of [...this.texts.keys()].filter((known) => !seen.has(known))) {
      this.texts.delete(id);
      this.changed.delete(id);
      this.removed.push({ id, revision: next });
      any = true;
    }
    const headText = JSON.stringify(head);
    if (headText !== this.headText) {
      this.headText = headText;
      this.headRevision = next;
      any = true;
    }
    this.document = document;
    if (any) this.revision = next;
  }

  /** The whole document, changes since a revision, or null if there are none. */
  since(session, revision) {
    const { session: own, document } = this;
    if (session !== own || !(revision <= this.revision))
      return { ...document, session: own, revision: this.revision };
    if (revision === this.revision) return null;
    const { runs, ...head } = document;
    return {
      format: document.format,
      partial: true,
      session: own,
      revision: this.revision,
      ...(this.headRevision > revision ? head : {}),
      runs: runs.filter((run) => this.changed.get(run.id) > revision),
      removed: this.removed.filter((entry) => entry.revision > revision).map((entry) => entry.id),
    };
  }
}

/** Serves the page and its data on the loopback address. */
export function serve(feed, port = 0) {
  const template = readFileSync(TEMPLATE, 'utf8');
  const state = { feed, requests: [] };
  const server = createServer((request, response) => {
    const url = new URL(request.url, 'http://localhost');
    state.requests.push(url.pathname + url.search);
    if (url.pathname === '/') {
      const { session, revision, document } = state.feed;
      response.writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
      });
      response.end(makePage(template, { ...document, session, revision }, true));
    } else if (url.pathname === '/api/data') {
      const { searchParams: query } = url;
      const answer = state.feed.since(query.get('session'), Number(query.get('since') ?? -1));
      response.writeHead(answer ? 200 : 204, {
        'content-type': 'application/json',
        'cache-control': 'no-store',
      });
      response.end(answer ? JSON.stringify(answer) : undefined);
    } else {
      response.writeHead(404).end();
    }
  });
  return new Promise((resolve, reject) =>
    server.once('error', reject).listen(port, '127.0.0.1', () =>
      resolve({
        url: `http://127.0.0.1:${server.address().port}/`,
        port: server.address().port,
        state,
        close: () =>
          new Promise((done) => {
            server.closeAllConnections();
            server.close(done);
          }),
      }),
    ),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folders = process.argv.slice(2);
  const read = () => {
    const document = makeDocument(folders);
    for (const run of document.runs) if (run.status === 'interrupted') run.status = 'running';
    return document;
  };
  const feed = new Feed(read());
  const { url } = await serve(feed, 8137);
  console.log(url);
  setInterval(() => feed.put(read()), 1000);
}
