// SPDX-License-Identifier: MIT
// Narrow screens, dark ones, keyboards, files to take away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  download,
  fixture,
  go,
  open,
  parseCsv,
  reproduction,
  startBrowser,
  writePage,
  hasCount,
} from './helpers.mjs';

const { browser, folder } = await startBrowser();
const document = { ...fixture(), reproduction: reproduction().reproduction };
document.runs.push({ ...document.runs[0], id: `two/${'averylongname'.repeat(20)}` });
document.skipped = [{ path: `${'folder/'.repeat(40)}x.jsonl`, reason: 'no line of type config' }];
const address = writePage(folder, document);
const SECTIONS = [
  '#overview',
  '#overview?rows=all',
  '#curves?show=all',
  '#hyper',
  '#spectra',
  '#reproduction',
  '#runs',
  '#run?id=two%2Fsven',
  `#run?id=${encodeURIComponent(document.runs.at(-1).id)}`,
];

async function seeAll(page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 700) {
      scrollTo(0, y);
      await new Promise((done) => setTimeout(done, 15));
    }
  });
}

/** What somebody who does not see would not know the name of. */
const nameless = (page) =>
  page.evaluate(() =>
    [
      ...[...document.querySelectorAll('svg.chart')].filter(
        (svg) => !svg.getAttribute('aria-label'),
      ),
      ...[...document.querySelectorAll('table')].filter(
        (table) => !table.querySelector('th[scope=col]'),
      ),
      ...[...document.querySelectorAll('select, input')].filter(
        (field) => field.labels.length === 0,
      ),
      ...[...document.querySelectorAll('button, a')].filter(
        (one) => !one.textContent.trim() && !one.getAttribute('aria-label'),
      ),
    ].map((one) => one.outerHTML.slice(0, 100)),
  );

for (const width of [360, 1280]) {
  test(`sections are no wider than ${width} pixels, and all in them has a name`, async () => {
    const page = await open(browser, address, '', { viewport: { width, height: 800 } });
    for (const hash of SECTIONS) {
      await go(page, hash);
      await seeAll(page);
      const [wide, screen] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      assert.ok(wide <= screen, `${hash}: ${wide} on ${screen}`);
      assert.deepEqual(await nameless(page), [], hash);
    }
    await page.done();
  });
}

test('colours follow the system, and the button goes before it', async () => {
  const ground = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const page = await open(browser, address, '#curves', { colorScheme: 'dark' });
  assert.equal(await ground(page), 'rgb(19, 21, 24)');
  const sven = page.locator('.line[data-entry=sven]').first();
  await sven.waitFor();
  const onDark = await sven.getAttribute('stroke');
  await page.getByRole('button', { name: /^Colours: as the system/ }).click();
  assert.equal(await ground(page), 'rgb(253, 253, 251)');
  assert.notEqual(await sven.getAttribute('stroke'), onDark);
  await page.reload();
  await page.waitForSelector('h2');
  assert.equal(await ground(page), 'rgb(253, 253, 251)');
  await page.done();
});

test('an optimizer has one colour in all figures', async () => {
  const page = await open(browser, address, '#curves');
  const colours = async () =>
    page
      .locator('.line[data-entry=sven]')
      .evaluateAll((all) => all.map((one) => one.getAttribute('stroke')));
  await page.locator('.line').first().waitFor();
  const inCurves = await colours();
  await go(page, '#reproduction');
  await page.locator('.line').first().waitFor();
  assert.equal(new Set([...inCurves, ...(await colours())]).size, 1);
  await page.done();
});

test('all can be reached and done by keyboard', async () => {
  const page = await open(browser, address, '#overview');
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Skip to the content');
  await page.keyboard.press('Tab');
  assert.match(await focused(), /Auto/);
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  assert.equal(await focused(), 'Curves');
  assert.notEqual(
    await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle),
    'none',
  );
  await page.keyboard.press('Enter');
  await page.locator('.line').first().waitFor();
  assert.equal(await focused(), 'Curves');
  assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H2');
  const lines = await page.locator('svg.chart').first().locator('.line').count();
  for (
    let i = 0;
    i < 40 && !(await page.evaluate(() => document.activeElement.closest('.legend')));
    i++
  )
    await page.keyboard.press('Tab');
  const name = await focused();
  assert.deepEqual(
    await page
      .locator('.line.lit')
      .first()
      .evaluateAll((all) => all.map((one) => one.dataset.entry)),
    [name],
  );
  await page.keyboard.press('Space');
  await hasCount(page.locator('svg.chart').first().locator('.line'), lines - 1);
  assert.equal(await focused(), name);
  for (
    let i = 0;
    i < 40 && !(await page.evaluate(() => document.activeElement.closest('.run-links')));
    i++
  )
    await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#run?id='));
  await page.done();
});

test('a figure comes as SVG with all styles, as PNG, as CSV and as a table', async () => {
  const page = await open(browser, address, '#curves');
  const figure = page.locator('.figure').first();
  await figure.locator('.line').first().waitFor();
  const lines = await figure.locator('.line').count();
  const svg = await download(page, figure.getByRole('button', { name: 'SVG' }));
  assert.match(svg.name, /^sven-curves-.*\.svg$/);
  // On its own, without the page's style sheet, it looks the same.
  const alone = await page.context().newPage();
  await alone.setContent(svg.content.toString().replace(/^<\?xml.*\?>/, ''));
  const strokes = await alone
    .locator('path[data-series]')
    .evaluateAll((all) =>
      all.map((one) => [getComputedStyle(one).fill, getComputedStyle(one).strokeWidth]),
    );
  assert.equal(strokes.length, lines);
  assert.ok(strokes.every(([fill, width]) => fill === 'none' && parseFloat(width) > 1));
  await hasCount(alone.locator('[class], style'), 0);
  assert.match(await alone.locator('svg').first().textContent(), /sven.*Validation loss/s);
  const png = await download(page, figure.getByRole('button', { name: 'PNG' }));
  assert.equal(png.content.subarray(1, 4).toString(), 'PNG');
  assert.ok(png.content.readUInt32BE(16) > 2000);
  const csv = await download(page, figure.getByRole('button', { name: 'CSV' }));
  const rows = parseCsv(csv.content.toString());
  const points = await figure
    .locator('.line')
    .evaluateAll((all) =>
      all.map((one) => one.getAttribute('d').split('L').length).reduce((a, b) => a + b),
    );
  assert.equal(rows.filter((row) => row.y !== '').length, points);
  await figure.getByRole('button', { name: 'Table' }).click();
  await hasCount(figure.locator('.data-table tbody tr'), rows.length);
  await page.done();
});
