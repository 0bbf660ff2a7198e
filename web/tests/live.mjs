// SPDX-License-Identifier: MIT
// The page that follows a server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Feed, serve } from '../tools/mock-server.mjs';
import { fixture, open, startBrowser, valuesOfLine, hasCount } from './helpers.mjs';

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

async function start(document) {
  const server = await serve(new Feed(document));
  const page = await open(browser, server.url, HASH, { network: true });
  await page.locator('[data-connection=live]').waitFor();
  await page.locator('.line').first().waitFor();
  return { server, page };
}

const pointsDrawn = (page) =>
  page
    .locator('.line[data-series="two/sven"]')
    .first()
    .evaluate((one) => one.getAttribute('d').split('L').length);

test('a new epoch is there within two seconds, and the view stays', async () => {
  const { server, page } = await start(withEpochs(2));
  assert.equal(await pointsDrawn(page), 2);
  await page.getByRole('button', { name: 'log' }).first().focus();
  await page.evaluate(() => scrollTo(0, 120));
  const url = page.url();
  server.state.feed.put(withEpochs(3));
  await page.waitForFunction(
    () =>
      document.querySelector('.line[data-series="two/sven"]').getAttribute('d').split('L')
        .length === 3,
    null,
    { timeout: 2000 },
  );
  const drawn = await valuesOfLine(page.locator('svg.chart').first(), 'two/sven');
  assert.deepEqual(
    drawn.map(([x]) => Math.round(x)),
    [313, 626, 939],
  );
  assert.equal(page.url(), url);
  assert.equal(await page.evaluate(() => scrollY), 120);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'log');
  await page.done();
  await server.close();
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

test('runs come and go', async () => {
  const document = withEpochs(2);
  const { server, page } = await start(document);
  await hasCount(page.locator('svg.chart').first().locator('.line'), 2);
  server.state.feed.put({
    ...document,
    runs: document.runs.filter((run) => run.id !== 'two/adam'),
  });
  await page.waitForFunction(
    () => document.querySelector('svg.chart').querySelectorAll('.line').length === 1,
    null,
    { timeout: 2000 },
  );
  assert.match(await page.locator('.masthead').innerText(), /21 runs/);
  server.state.feed.put(document);
  await page.waitForFunction(
    () => document.querySelector('svg.chart').querySelectorAll('.line').length === 2,
    null,
    { timeout: 2000 },
  );
  await page.done();
  await server.close();
});

test('the page outlives its server, and takes up another one', async () => {
  const { server, page } = await start(withEpochs(2));
  await page.evaluate(() => {
    window.stayed = true;
  });
  await server.close();
  await page.locator('[data-connection=lost]').waitFor();
  assert.match(await page.locator('[data-connection]').innerText(), /Connection lost/);
  // A new session with fewer revisions and other data.
  const other = withEpochs(3);
  other.runs = other.runs.filter((run) => run.id !== 'two/adam');
  const next = await serve(new Feed(other), server.port);
  await page.locator('[data-connection=live]').waitFor({ timeout: 6000 });
  await page.waitForFunction(() => document.querySelectorAll('svg.chart .line').length === 2);
  assert.equal(await pointsDrawn(page), 3);
  assert.equal(await page.evaluate(() => window.stayed), true);
  assert.ok(next.state.requests.every((request) => request.startsWith('/api/data?session=')));
  // The refused connections are the browser's own complaint.
  page.complaints = page.complaints.filter((text) => !/ERR_CONNECTION_REFUSED/.test(text));
  await page.done();
  await next.close();
});

test('changes of another session are not mixed with those of this one', async () => {
  const { server, page } = await start(withEpochs(2));
  const other = withEpochs(3);
  const runs = other.runs.filter((run) => run.id === 'two/sven');
  server.state.feed = {
    since: (session) =>
      session === 'new' ? null : { ...other, runs, partial: true, session: 'new', revision: 7 },
  };
  await page.waitForFunction(
    () => document.querySelector('svg.chart').querySelectorAll('.line').length === 1,
    null,
    { timeout: 2000 },
  );
  assert.match(await page.locator('.masthead').innerText(), /^[^\d]*1 run /s);
  await page.done();
  await server.close();
});

test('before the first run the page waits', async () => {
  const empty = {
    format: 'sven-report-1',
    version: '0.1.0',
    sources: [],
    bases: [],
    runs: [],
    skipped: [],
  };
  const server = await serve(new Feed(empty));
  const page = await open(browser, server.url, '', { network: true });
  assert.match(await page.locator('.lead').innerText(), /as soon as its first epoch has ended/);
  server.state.feed.put(withEpochs(1));
  await page.locator('.ranking').first().waitFor({ timeout: 2000 });
  await page.done();
  await server.close();
});
