// SPDX-License-Identifier: MIT
// The page that follows a server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Feed, serve } from '../tools/mock-server.mjs';
import { eventually, fixture, open, startBrowser, valuesOfLine, hasCount } from './helpers.mjs';

const { browser } = await startBrowser();
const HASH = '#curves?task=toy1d+none+none&x=step';

function withEpochs(count) {
  const document = fixture();
  const run = document.runs.find((r) => r.id === 'two/sven');
  for (const [name, column] of Object.entries(run.epochs))
    if (Array.isArray(column)) run.epochs[name] = column.slice(0, count);
  delete run.checks;
  for (const name of [
    'final_val_loss',
    'final_train_loss',
    'best_val_loss',
    'steps',
    'train_seconds',
  ])
    delete run[name];
  run.status = 'running';
  return document;
}

/** A server that is ended with the test, however that ends. */
async function serveFor(t, document, port) {
  // The port of a server that was may be in use for a moment.
  const server = await eventually(() => serve(new Feed(document), port));
  t.after(() => server.close());
  return server;
}

async function start(t, document) {
  const server = await serveFor(t, document);
  const page = await open(browser, server.url, HASH, { network: true });
  await page.locator('[data-connection=live]').waitFor();
  await page.locator('.line').first().waitFor();
  return { server, page };
}

const hasPoints = (page, expected) =>
  eventually(async () =>
    assert.equal(
      await page
        .locator('.line[data-series="two/sven"]')
        .first()
        .evaluate((one) => one.getAttribute('d').split('L').length),
      expected,
    ),
  );

const hasMasthead = (page, text) =>
  eventually(async () => assert.match(await page.locator('.masthead').innerText(), text));

test('a new epoch comes by itself, and the view stays', async (t) => {
  const { server, page } = await start(t, withEpochs(2));
  await hasPoints(page, 2);
  await page.getByRole('button', { name: 'log' }).first().focus();
  await page.evaluate(() => scrollTo(0, 120));
  const url = page.url();
  const written = performance.now();
  server.state.feed.put(withEpochs(3));
  await hasPoints(page, 3);
  t.diagnostic(`shown after ${(performance.now() - written).toFixed(0)} ms`);
  const drawn = await valuesOfLine(page.locator('svg.chart').first(), 'two/sven');
  assert.deepEqual(
    drawn.map(([x]) => Math.round(x)),
    [313, 626, 939],
  );
  assert.equal(page.url(), url);
  assert.equal(await page.evaluate(() => scrollY), 120);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'log');
  await page.done();
});

test('the page asks every second', async (t) => {
  const { page } = await start(t, withEpochs(2));
  // A busy machine makes pauses longer, but not all of them.
  await eventually(async () => {
    const pauses = await page.evaluate(() => {
      const asked = performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('/api/data'));
      return asked.slice(1).map((one, i) => one.startTime - asked[i].responseEnd);
    });
    assert.ok(
      pauses.some((pause) => pause > 900 && pause < 1500),
      `pauses of ${pauses} ms`,
    );
  });
  await page.done();
});

test('only what changed is sent, and nothing if nothing did', async () => {
  const feed = new Feed(withEpochs(2), 's');
  assert.equal(feed.since('s', feed.revision), null);
  feed.put(withEpochs(2));
  assert.equal(feed.revision, 1);
  feed.put(withEpochs(3));
  const changes = feed.since('s', 1);
  assert.deepEqual(
    changes.runs.map((run) => run.id),
    ['two/sven'],
  );
  assert.equal(changes.partial, true);
  assert.equal(feed.since('other', 1).runs.length, 22);
});

test('runs come and go', async (t) => {
  const document = withEpochs(2);
  const { server, page } = await start(t, document);
  await hasCount(page.locator('svg.chart').first().locator('.line'), 2);
  server.state.feed.put({
    ...document,
    runs: document.runs.filter((run) => run.id !== 'two/adam'),
  });
  await hasCount(page.locator('svg.chart').first().locator('.line'), 1);
  await hasMasthead(page, /21 runs/);
  server.state.feed.put(document);
  await hasCount(page.locator('svg.chart').first().locator('.line'), 2);
  await page.done();
});

test('the page outlives its server, and takes up another one', async (t) => {
  const { server, page } = await start(t, withEpochs(2));
  await page.evaluate(() => {
    window.stayed = true;
  });
  assert.deepEqual(page.complaints, []);
  await server.close();
  await page.locator('[data-connection=lost]').waitFor();
  assert.match(await page.locator('[data-connection]').innerText(), /Connection lost/);
  // A new session with fewer revisions and other data.
  const other = withEpochs(3);
  other.runs = other.runs.filter((run) => run.id !== 'two/adam');
  const next = await serveFor(t, other, server.port);
  await page.locator('[data-connection=live]').waitFor();
  await hasCount(page.locator('svg.chart .line'), 2);
  await hasPoints(page, 3);
  assert.equal(await page.evaluate(() => window.stayed), true);
  assert.ok(next.state.requests.every((request) => request.startsWith('/api/data?session=')));
  await page.done({ ended: true });
});

test('changes of another session are not mixed with those of this one', async (t) => {
  const { server, page } = await start(t, withEpochs(2));
  const other = withEpochs(3);
  const runs = other.runs.filter((run) => run.id === 'two/sven');
  server.state.feed = {
    since: (session) =>
      session === 'new' ? null : { ...other, runs, partial: true, session: 'new', revision: 7 },
  };
  await hasCount(page.locator('svg.chart').first().locator('.line'), 1);
  await hasMasthead(page, /^[^\d]*1 run /s);
  await page.done();
});

test('before the first run the page waits', async (t) => {
  const empty = {
    format: 'sven-report-1',
    version: '0.1.0',
    sources: [],
    bases: [],
    runs: [],
    skipped: [],
  };
  const server = await serveFor(t, empty);
  const page = await open(browser, server.url, '', { network: true });
  assert.match(await page.locator('.lead').innerText(), /as soon as its first epoch has ended/);
  server.state.feed.put(withEpochs(1));
  await page.locator('.ranking').first().waitFor();
  await page.done();
});
