// SPDX-License-Identifier: MIT
// The paper's figures and claims, read back from the page against results.json.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  download,
  eventually,
  go,
  median,
  near,
  open,
  parseCsv,
  reproduction,
  startBrowser,
  valuesOfLine,
  writePage,
  hasCount,
} from './helpers.mjs';

const { browser, folder } = await startBrowser();
const document = reproduction();
const experiment = (name) => document.reproduction.experiments.find((e) => e.name === name);
const address = writePage(folder, document);
const finite = (values) => values.map((v) => v ?? Infinity);

function best(name, optimizer, filter = () => true) {
  const points = experiment(name).points.filter(
    (p) => p.optimizer === optimizer && filter(p.settings),
  );
  return points.reduce((a, b) => (median(finite(b.val_loss)) < median(finite(a.val_loss)) ? b : a));
}

async function figure(page, number) {
  await go(page, `#reproduction?at=figure-${number}`);
  const found = page.locator(`[data-figure="figure-${number}"]`);
  await found.scrollIntoViewIfNeeded();
  await found.locator('svg.chart .line').first().waitFor();
  return found;
}

test('figures stand in the arrangement of the paper', async () => {
  const page = await open(browser, address, '#reproduction');
  for (const [number, rows] of [
    [1, [4, 4]],
    [2, [3, 3]],
    [3, [3, 3]],
    [4, [3]],
  ]) {
    const found = await figure(page, number);
    await eventually(async () =>
      assert.deepEqual(
        await found
          .locator('.panels')
          .evaluateAll((all) => all.map((one) => one.querySelectorAll('svg.chart').length)),
        rows,
      ),
    );
  }
  await page.done();
});

test('figure 1 has the medians of the best points by epoch and by time', async () => {
  const page = await open(browser, address, '#reproduction');
  const found = await figure(page, 1);
  for (const [column, name] of [
    'seeds-toy1d',
    'seeds-polynomial-additive',
    'seeds-polynomial',
    'seeds-mnist',
  ].entries()) {
    const optimizers = new Set(experiment(name).points.map((p) => p.optimizer));
    for (const row of [1, 2]) {
      const chart = found.locator(`[data-panel="${row}.${column + 1}"] svg.chart`);
      await hasCount(chart.locator('.line'), optimizers.size);
      for (const optimizer of ['sven', 'adam', 'lbfgs']) {
        const point = best(name, optimizer);
        const curve = point.validation.median ?? point.validation.mean;
        await eventually(async () => {
          const drawn = await valuesOfLine(chart, optimizer, { x: row === 2, y: true });
          assert.equal(drawn.length, curve.length);
          drawn.forEach(([x, y], i) => {
            near(x, row === 1 ? i + 1 : point.seconds[i], 1e-2);
            near(y, curve[i], 1e-2);
          });
        });
      }
    }
  }
  await page.done();
});

test('figure 2 has a curve for each k, for each rtol, and all spectra', async () => {
  const page = await open(browser, address, '#reproduction');
  const found = await figure(page, 2);
  const panel = (place) => found.locator(`[data-panel="${place}"] svg.chart`);
  for (const [place, name] of [
    ['1.1', 'sweep-toy1d'],
    ['1.3', 'mnist'],
  ]) {
    const ks = new Set(
      experiment(name)
        .points.filter((p) => p.optimizer === 'sven' && Number(p.settings.rtol) === 1e-3)
        .map((p) => p.settings.k),
    );
    await hasCount(panel(place).locator('.line'), ks.size);
  }
  const hasValues = (place, key, values) =>
    eventually(async () =>
      (await valuesOfLine(panel(place), key)).forEach(([, y], i) => near(y, values[i], 1e-2)),
    );
  const k16 = best('sweep-toy1d', 'sven', (s) => s.k === '16' && Number(s.rtol) === 1e-3);
  await hasValues('1.1', 'k 16', k16.validation.median);
  const cut = best('sweep-toy1d', 'sven', (s) => s.k === '32' && Number(s.rtol) === 1e-4);
  await hasValues('2.2', 'rtol 0.0001', cut.validation.median);
  await hasCount(panel('2.1').locator('.line'), 60);
  const whole = experiment('mnist').points.find(
    (p) => p.settings.k === '64' && Number(p.settings.rtol) === 1e-4 && p.spectra,
  );
  await hasValues('2.1', 'MNIST 20', whole.spectra[19]);
  await page.done();
});

test('figures 3 and 4 have means with bands, both losses and both spectra', async () => {
  const page = await open(browser, address, '#reproduction');
  const third = await figure(page, 3);
  const chart = third.locator('[data-panel="1.1"] svg.chart');
  const points = experiment('microbatch-toy1d').points;
  await hasCount(chart.locator('.line'), points.length);
  await hasCount(chart.locator('.band'), points.length);
  const rows = parseCsv(
    (await download(page, third.getByRole('button', { name: 'CSV' }))).content.toString(),
  );
  const eight = points.find((p) => p.settings.microbatch === '8').validation;
  const row = rows.find(
    (r) => r.panel === '1-D regression: size' && r.curve === 'size 8' && r.x === 7,
  );
  near(row.y, eight.mean[6], 1e-9);
  near(row.high - row.y, eight.deviation[6], 1e-9);
  const fourth = await figure(page, 4);
  for (const [place, key] of [
    ['1.1', 'train'],
    ['1.2', 'validation'],
  ]) {
    const panel = fourth.locator(`[data-panel="${place}"] svg.chart`);
    await hasCount(panel.locator('.line'), 7);
    await eventually(async () =>
      (await valuesOfLine(panel, 'sven')).forEach(([, y], i) =>
        near(y, best('mnist-ce', 'sven')[key].mean[i], 1e-2),
      ),
    );
  }
  await hasCount(fourth.locator('[data-panel="1.3"] svg.chart .line'), 8);
  await page.done();
});

test('the legend of a figure toggles lines in all its panels', async () => {
  const page = await open(browser, address, '#reproduction');
  const found = await figure(page, 1);
  const lines = found.locator('.line');
  const adam = found.locator('.line[data-entry=adam]');
  // All eight panels are there before they are counted.
  await hasCount(adam, 8);
  const before = await lines.count();
  await found.getByRole('button', { name: 'adam' }).click();
  await hasCount(adam, 0);
  await hasCount(lines, before - 8);
  await page.done();
});

test('every claim is there with its verdict', async () => {
  const page = await open(browser, address, '#reproduction?at=claims');
  const { claims } = document.reproduction;
  const rows = page.locator('[data-claim]');
  const shown = await rows.evaluateAll((all) =>
    all.map((row) => [
      row.dataset.claim,
      row.querySelector('.verdict').textContent.slice(2),
      row.querySelectorAll('.cases li').length,
    ]),
  );
  assert.deepEqual(
    shown,
    claims.map((c) => [c.id, c.verdict, c.cases.length]),
  );
  await page.getByRole('button', { name: /do not hold here/ }).click();
  await hasCount(rows, claims.filter((c) => c.verdict === 'does not hold here').length);
  await eventually(() => assert.match(page.url(), /verdict=does/));
  await page.done();
});
