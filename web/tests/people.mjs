// SPDX-License-Identifier: MIT
// Narrow screens, dark ones, keyboards, files to take away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  download,
  drawn,
  eventually,
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

/** Scrolls down, so that all figures are drawn. */
async function seeAll(page) {
  const scroll = (to) =>
    page.evaluate((y) => {
      scrollTo(0, y);
      return document.body.scrollHeight;
    }, to);
  for (let y = 0; y < (await scroll(y)); y += 700) await drawn(page);
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
      // Charts follow the width of their place a moment later.
      await eventually(async () => {
        const [wide, screen] = await page.evaluate(() => [
          document.documentElement.scrollWidth,
          document.documentElement.clientWidth,
        ]);
        assert.ok(wide <= screen, `${hash}: ${wide} on ${screen}`);
      });
      assert.deepEqual(await nameless(page), [], hash);
    }
    await page.done();
  });
}

test('colours follow the system, and the button goes before it', async () => {
  const [dark, light] = ['rgb(19, 21, 24)', 'rgb(253, 253, 251)'];
  const page = await open(browser, address, '#curves', { colorScheme: 'dark' });
  const sven = page.locator('.line[data-entry=sven]').first();
  const shows = (ground, stroke) =>
    eventually(async () => {
      assert.equal(
        await page.evaluate(() => getComputedStyle(document.body).backgroundColor),
        ground,
      );
      assert.equal(await sven.getAttribute('stroke'), stroke);
    });
  const onDark = await sven.getAttribute('stroke');
  await shows(dark, onDark);
  await page.emulateMedia({ colorScheme: 'light' });
  await eventually(async () => assert.notEqual(await sven.getAttribute('stroke'), onDark));
  const onLight = await sven.getAttribute('stroke');
  await shows(light, onLight);
  await page.emulateMedia({ colorScheme: 'dark' });
  await shows(dark, onDark);
  await page.getByRole('button', { name: /^Colours: as the system/ }).click();
  await shows(light, onLight);
  await page.reload();
  await shows(light, onLight);
  await page.done();
});

test('colours change in one go', async () => {
  const page = await open(browser, address, '#curves', { colorScheme: 'dark' });
  const button = page.getByRole('button', { name: /^Colours: as the system/ });
  const [before, after] = await button.evaluate(async (one) => {
    const seen = () => [
      getComputedStyle(document.body).backgroundColor,
      document.querySelector('.line[data-entry=sven]').getAttribute('stroke'),
      document.querySelector('.theme').textContent,
    ];
    const first = seen();
    one.click();
    // Called just before the next picture is painted.
    await new Promise(requestAnimationFrame);
    return [first, seen()];
  });
  before.forEach((value, i) => assert.notEqual(after[i], value));
  await page.done();
});

test('an optimizer has one colour in all figures', async () => {
  const page = await open(browser, address, '#curves');
  const colours = async () => {
    const lines = page.locator('.line[data-entry=sven]');
    await lines.first().waitFor();
    return lines.evaluateAll((all) => all.map((one) => one.getAttribute('stroke')));
  };
  const inCurves = await colours();
  await go(page, '#reproduction');
  assert.equal(new Set([...inCurves, ...(await colours())]).size, 1);
  await page.done();
});

test('all can be reached and done by keyboard', async () => {
  const page = await open(browser, address, '#overview');
  const focused = () => page.evaluate(() => document.activeElement.textContent);
  const isFocused = (text) => eventually(async () => assert.equal(await focused(), text));
  const tab = async () => {
    const before = await page.evaluateHandle(() => document.activeElement);
    await page.keyboard.press('Tab');
    await page.waitForFunction((last) => document.activeElement !== last, before);
  };
  const tabTo = async (selector) => {
    const there = (where) => document.activeElement.closest(where) !== null;
    for (let i = 0; i < 40 && !(await page.evaluate(there, selector)); i++) await tab();
    assert.ok(await page.evaluate(there, selector), `no way to ${selector}`);
  };
  await tab();
  assert.equal(await focused(), 'Skip to the content');
  await tab();
  assert.match(await focused(), /Auto/);
  await tab();
  await tab();
  assert.equal(await focused(), 'Curves');
  assert.notEqual(
    await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle),
    'none',
  );
  await page.keyboard.press('Enter');
  // The link in the navigation has the same text.
  await eventually(async () =>
    assert.equal(await page.evaluate(() => document.activeElement.tagName), 'H2'),
  );
  await isFocused('Curves');
  const lines = page.locator('svg.chart').first().locator('.line');
  await lines.first().waitFor();
  const count = await lines.count();
  await tabTo('.legend');
  const name = await focused();
  await eventually(async () =>
    assert.deepEqual(
      await page
        .locator('svg.chart')
        .first()
        .locator('.line.lit')
        .evaluateAll((all) => all.map((one) => one.dataset.entry)),
      [name],
    ),
  );
  await page.keyboard.press('Space');
  await hasCount(lines, count - 1);
  await isFocused(name);
  await tabTo('.run-links');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => location.hash.startsWith('#run?id='));
  await page.done();
});

test('a section begins at its top, or at what the address names', async () => {
  const page = await open(browser, address, '#runs');
  await page.evaluate(() => scrollTo(0, 200));
  await go(page, '#reproduction?at=claims');
  await eventually(async () => {
    const [top, screen] = await page
      .locator('#claims')
      .evaluate((one) => [one.getBoundingClientRect().top, innerHeight]);
    assert.ok(top > -screen / 2 && top < screen / 2, `at ${top} of ${screen}`);
  });
  await go(page, '#curves');
  await eventually(async () => assert.equal(await page.evaluate(() => scrollY), 0));
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
  await alone.close();
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
