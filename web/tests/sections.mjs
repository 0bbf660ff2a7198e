// SPDX-License-Identifier: MIT
// What the sections show is what the files say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  download,
  eventually,
  fixture,
  go,
  median,
  near,
  open,
  parseCsv,
  records,
  reproduction,
  startBrowser,
  valuesOfLine,
  writePage,
  hasCount,
} from './helpers.mjs';

const { browser, folder } = await startBrowser();
const SMALL = 'toy1d 500 200';
const task = `task=${encodeURIComponent(SMALL)}`;
const svenRuns = (settings) =>
  [...records().values()].filter(
    (r) =>
      r.settings.optimizer === 'sven' &&
      Object.entries(settings).every(([name, value]) => r.settings[name] === value),
  );

test('sections without data are not there', async () => {
  const page = await open(browser, writePage(folder, fixture()));
  assert.deepEqual(await page.locator('nav a').allInnerTexts(), [
    'Overview',
    'Curves',
    'Hyper-parameters',
    'Spectra',
    'Runs',
  ]);
  await page.done();
  const only = fixture();
  only.runs = only.runs.filter((run) => run.id === 'two/adam');
  const small = await open(browser, writePage(folder, only));
  assert.deepEqual(await small.locator('nav a').allInnerTexts(), ['Overview', 'Curves', 'Runs']);
  await small.done();
  const paper = await open(browser, writePage(folder, reproduction()));
  assert.deepEqual(await paper.locator('nav a').allInnerTexts(), ['Reproduction']);
  assert.equal(await paper.locator('h2').innerText(), 'Reproduction');
  await paper.done();
});

test('the ranking has medians and quartiles over seeds, in order', async () => {
  const page = await open(browser, writePage(folder, fixture()), '#overview?rows=all');
  const ranking = page.locator(`.ranking[data-task="${SMALL}"]`);
  const rows = parseCsv(
    (await download(page, ranking.getByRole('button', { name: 'CSV' }))).content.toString(),
  );
  assert.equal(rows.length, 10);
  await hasCount(ranking.locator('tbody tr'), 10);
  const losses = svenRuns({ k: 16, lr: 1, rtol: 0.001 }).map((r) => r.summary.final_val_loss);
  assert.equal(losses.length, 2);
  const row = rows.find((r) => r.settings === 'k 16 · lr 1 · rtol 10⁻³');
  near(row.final_val_loss_median, median(losses), 1e-5);
  const [low, high] = [Math.min(...losses), Math.max(...losses)];
  near(row.final_val_loss_lower_quartile, low + (high - low) / 4, 1e-5);
  near(row.final_val_loss_upper_quartile, low + (3 * (high - low)) / 4, 1e-5);
  const shown = rows.slice(0, 9).map((r) => r.final_val_loss_median);
  assert.deepEqual(
    shown,
    [...shown].sort((a, b) => a - b),
  );
  const lost = ranking.locator('tbody tr').last();
  assert.match(await lost.innerText(), /lr 1000[\s\S]*diverged/);
  await page.done();
});

test('tables are sorted by their heads', async () => {
  const page = await open(browser, writePage(folder, fixture()), '#runs');
  const names = page.locator('.run-name');
  const sorted = (await names.allInnerTexts()).sort((a, b) => a.localeCompare(b));
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await eventually(async () => {
    assert.equal(await page.locator('th[aria-sort=ascending]').innerText(), 'Run ↑');
    assert.deepEqual(await names.allInnerTexts(), sorted);
    assert.match(page.url(), /sort=name/);
  });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await eventually(async () => {
    assert.equal(await page.locator('th[aria-sort=descending]').innerText(), 'Run ↓');
    assert.deepEqual(await names.allInnerTexts(), [...sorted].reverse());
    assert.match(page.url(), /sort=-name/);
  });
  await page.getByLabel('Name has').fill('k=4 seed=2');
  await hasCount(names, 4);
  await page.done();
});

test('curves have a line for each optimizer, with the values of the files', async () => {
  const page = await open(browser, writePage(folder, fixture()), `#curves?${task}`);
  const chart = page.locator('svg.chart').first();
  await hasCount(chart.locator('.line'), 2);
  await hasCount(page.locator('svg.chart'), 2);
  const best = svenRuns({ k: 16, lr: 1, rtol: 0.001 });
  const key = 'scan/sven_k=16_lr=1_rtol=0.001_seed=1';
  for (const [metric, index] of [
    ['val_loss', 0],
    ['train_loss', 1],
  ]) {
    const line = await valuesOfLine(page.locator('svg.chart').nth(index), key);
    assert.equal(line.length, 2);
    line.forEach(([x, y], i) => {
      near(x, i + 1);
      near(y, median(best.map((r) => r.epochs[i][metric])));
    });
  }
  await page.getByRole('button', { name: 'all', exact: true }).click();
  // Nine points have a finite loss; the tenth has nothing to draw but its place.
  await hasCount(chart.locator('.line'), 10);
  await page.done();
});

test('bands are one standard deviation, of logarithms on a logarithmic axis', async () => {
  const page = await open(browser, writePage(folder, fixture()), `#curves?${task}`);
  const losses = svenRuns({ k: 16, lr: 1, rtol: 0.001 }).map((r) => r.epochs[1].val_loss);
  const sigma = (values) => {
    const mean = (values[0] + values[1]) / 2;
    const deviation = Math.abs(values[0] - values[1]) / Math.SQRT2;
    return [mean - deviation, mean + deviation];
  };
  const row = async () => {
    const csv = parseCsv(
      (await download(page, page.getByRole('button', { name: 'CSV' }))).content.toString(),
    );
    return csv.find(
      (r) => r.panel === 'Validation loss' && r.curve.startsWith('sven') && r.x === 2,
    );
  };
  await hasCount(page.locator('svg.chart').first().locator('.band'), 2);
  assert.match(await page.locator('.figure .note').innerText(), /of the logarithms/);
  const [low, high] = sigma(losses.map(Math.log)).map(Math.exp);
  let found = await row();
  near(found.low, low, 1e-4);
  near(found.high, high, 1e-4);
  await page
    .getByRole('group', { name: 'Loss axis' })
    .getByRole('button', { name: 'linear' })
    .click();
  await eventually(async () =>
    assert.match(await page.locator('.figure .note').innerText(), /about the mean/),
  );
  found = await row();
  near(found.low, sigma(losses)[0], 1e-4);
  near(found.high, sigma(losses)[1], 1e-4);
  await page.getByRole('button', { name: 'none' }).click();
  await hasCount(page.locator('.band'), 0);
  await page.done();
});

test('the axes change what lines are drawn against', async () => {
  const page = await open(browser, writePage(folder, fixture()), `#curves?${task}`);
  const chart = page.locator('svg.chart').first();
  const key = 'scan/sven_k=16_lr=1_rtol=0.001_seed=1';
  const runs = svenRuns({ k: 16, lr: 1, rtol: 0.001 });
  await page.getByRole('button', { name: 'step', exact: true }).click();
  await eventually(async () =>
    assert.deepEqual(
      (await valuesOfLine(chart, key)).map(([x]) => Math.round(x)),
      [16, 32],
    ),
  );
  await page.getByRole('button', { name: 'seconds' }).click();
  await eventually(async () => {
    const seconds = await valuesOfLine(chart, key);
    near(seconds[1][0], median(runs.map((r) => r.epochs[1].seconds)), 1e-2);
  });
  await page
    .getByRole('group', { name: 'Loss axis' })
    .getByRole('button', { name: 'linear' })
    .click();
  await eventually(async () => {
    const linear = await valuesOfLine(chart, key, { x: false, y: false });
    near(linear[0][1], median(runs.map((r) => r.epochs[0].val_loss)), 1e-2);
    assert.match(page.url(), /x=seconds/);
    assert.match(page.url(), /y=linear/);
  });
  await page.done();
});

test('the legend toggles lines, and settings filter them', async () => {
  const page = await open(browser, writePage(folder, fixture()), `#curves?${task}&show=all`);
  const lines = page.locator('svg.chart').first().locator('.line');
  const sgd = page.locator('.legend').getByRole('button', { name: 'sgd' });
  await sgd.click();
  await hasCount(lines, 8);
  await eventually(async () => {
    assert.equal(await sgd.getAttribute('aria-pressed'), 'false');
    assert.match(page.url(), /off=sgd/);
  });
  await sgd.click();
  await hasCount(lines, 10);
  await page.getByText('Settings', { exact: true }).first().click();
  await page.getByLabel('k', { exact: true }).selectOption('4');
  await hasCount(lines, 4);
  await page.getByLabel('rtol', { exact: true }).selectOption('0.01');
  await hasCount(lines, 2);
  await page.getByRole('button', { name: 'Show all again' }).click();
  await hasCount(lines, 10);
  await page.getByLabel('Colour by').selectOption('k');
  await eventually(async () =>
    assert.deepEqual(await page.locator('.legend button').allInnerTexts(), ['k 4', 'k 16', 'k –']),
  );
  await page.done();
});

test('pointing at a line or its name lights it up', async () => {
  const page = await open(browser, writePage(folder, fixture()), `#curves?${task}`);
  const chart = page.locator('svg.chart').first();
  const lit = (names) =>
    eventually(async () =>
      assert.deepEqual(
        await chart.locator('.line.lit').evaluateAll((all) => all.map((one) => one.dataset.entry)),
        names,
      ),
    );
  await page.locator('.legend').getByRole('button', { name: 'sgd' }).hover();
  await lit(['sgd']);
  const box = await chart.boundingBox();
  const d = await chart.locator('.line[data-entry=sven]').getAttribute('d');
  const [x, y] = d.slice(1).split('L')[0].split(',').map(Number);
  await page.mouse.move(box.x + x + 2, box.y + y + 2);
  await eventually(async () =>
    assert.match(await page.locator('.tooltip').innerText(), /sven · k 16[\s\S]*epoch 1/),
  );
  await lit(['sven']);
  await page.mouse.click(box.x + x + 2, box.y + y + 2);
  await page.waitForFunction(() => location.hash.startsWith('#runs?point='));
  await hasCount(page.locator('tbody tr'), 2);
  await page.done();
});

test('a link opens what it was taken from', async () => {
  const address = writePage(folder, fixture());
  const hash = `#curves?${task}&show=all&off=sgd&x=step&y=linear&s.k=16`;
  const page = await open(browser, address, hash);
  await hasCount(page.locator('svg.chart').first().locator('.line'), 4);
  assert.equal(
    await page.getByRole('button', { name: 'step', exact: true }).getAttribute('aria-pressed'),
    'true',
  );
  assert.equal((await page.locator('.tick-x').count()) > 0, true);
  const isTitled = (title) =>
    eventually(async () => assert.equal(await page.locator('h2').innerText(), title));
  await go(page, `#run?id=${encodeURIComponent('two/sven')}`);
  await isTitled('two/sven');
  await page.goBack();
  await isTitled('Curves');
  await hasCount(page.locator('svg.chart').first().locator('.line'), 4);
  await go(page, '#nowhere?x=%E0%A4%A');
  await isTitled('Overview');
  await go(page, '#run?id=none');
  await isTitled('No such run');
  await page.done();
});

test('spectra have one line per epoch with s_i / s_1', async () => {
  const page = await open(browser, writePage(folder, fixture()), `#spectra?${task}`);
  const charts = page.locator('svg.chart');
  await charts.first().waitFor();
  await hasCount(charts, 4);
  const id = 'scan/sven_k=16_lr=1_rtol=0.001_seed=2';
  await go(page, `#spectra?${task}&runs=${encodeURIComponent(encodeURIComponent(id))}`);
  await hasCount(charts, 1);
  await hasCount(charts.locator('.line'), 2);
  const { epochs } = records().get('sven_k=16_lr=1_rtol=0.001_seed=2');
  for (const epoch of epochs) {
    await eventually(async () => {
      const line = await valuesOfLine(charts.first(), `epoch ${epoch.epoch}`);
      assert.equal(line.length, epoch.spectrum.length);
      line.forEach(([, y], i) => near(y, epoch.spectrum[i], 1e-2));
    });
  }
  await page.done();
});

test('heat maps have the final loss of each point, and mark what diverged', async () => {
  const page = await open(browser, writePage(folder, fixture()), '#hyper');
  const panels = page.locator('svg.heat-map');
  await hasCount(panels, 2);
  assert.deepEqual(await page.locator('.figure').first().locator('.panel-title').allInnerTexts(), [
    'rtol = 10⁻³',
    'rtol = 0.01',
  ]);
  const cell = panels.first().locator('.cell[data-x="16"][data-y="0.1"]');
  near(
    Number(await cell.getAttribute('data-value')),
    median(svenRuns({ k: 16, lr: 0.1, rtol: 0.001 }).map((r) => r.summary.final_val_loss)),
    1e-5,
  );
  await hasCount(panels.locator('.cell'), 8);
  await hasCount(page.locator('svg.marginal'), 3);
  await hasCount(page.locator('svg.marginal').first().locator('.dot'), 8);
  await page.done();
  const lost = fixture();
  const gone = lost.runs.filter((run) => run.id.startsWith('scan/sven_k=4_lr=1_rtol=0.001'));
  for (const run of gone) Object.assign(run, { status: 'diverged', final_val_loss: 1e30 });
  Object.assign(
    lost.runs.find((run) => run.id === 'scan/sven_k=4_lr=1_rtol=0.01_seed=1'),
    { status: 'diverged' },
  );
  const marked = await open(browser, writePage(folder, lost), '#hyper');
  const all = marked.locator('svg.heat-map').first().locator('.cell[data-x="4"][data-y="1"]');
  assert.equal(await all.getAttribute('data-value'), '');
  await hasCount(all.locator('.cross'), 1);
  await hasCount(marked.locator('.cell .cross'), 2);
  await hasCount(marked.locator('svg.marginal').first().locator('.cross'), 2);
  await marked.done();
});

test('the panels of a heat map can be put into one', async () => {
  const page = await open(browser, writePage(folder, fixture()), '#hyper');
  await page.getByRole('button', { name: 'one', exact: true }).click();
  await hasCount(page.locator('svg.heat-map'), 1);
  const cell = page.locator('.cell[data-x="16"][data-y="0.1"]');
  const losses = [0.001, 0.01].map((rtol) =>
    median(svenRuns({ k: 16, lr: 0.1, rtol }).map((r) => r.summary.final_val_loss)),
  );
  await eventually(async () =>
    near(Number(await cell.getAttribute('data-value')), Math.min(...losses), 1e-5),
  );
  await page.getByLabel('Up', { exact: true }).selectOption('rtol');
  await page.getByRole('button', { name: 'lr', exact: true }).click();
  await hasCount(page.locator('svg.heat-map'), 2);
  await page.done();
});

test('an address with choices that there are not shows the defaults', async () => {
  const page = await open(browser, writePage(folder, fixture()));
  const odd = 'task=x&source=x&x=x&y=x&xs=x&band=x&by=x&show=x&off=x,%25&rows=x&sort=x&optimizer=x';
  for (const [section, title] of [
    ['overview', 'Overview'],
    ['curves', 'Curves'],
    ['hyper', 'Hyper-parameters'],
    ['spectra', 'Spectra'],
    ['runs', 'Runs'],
  ]) {
    await go(page, `#${section}?${odd}&measure=x&hx=x&hy=x&facet=x&runs=x&q=%00&point=x&s.k=x`);
    await eventually(async () => assert.equal(await page.locator('h2').innerText(), title));
    await hasCount(page.locator('[role=alert]'), 0, section);
  }
  await page.done();
});

test('one setting alone has a plot, and no heat map', async () => {
  const document = fixture();
  document.runs = document.runs.filter((run) => run.id.startsWith('scan/sgd'));
  document.runs.push({ ...document.runs[0], id: 'scan/sgd_lr=0.1', settings: { lr: 0.1 } });
  const page = await open(browser, writePage(folder, document), '#hyper');
  await hasCount(page.locator('svg.marginal'), 1);
  await hasCount(page.locator('svg.heat-map'), 0);
  await page.done();
});

test('a run has its settings, its curves, its phases and its command', async () => {
  const id = 'scan/sven_k=4_lr=0.1_rtol=0.001_seed=2';
  const page = await open(
    browser,
    writePage(folder, fixture()),
    `#run?id=${encodeURIComponent(id)}`,
  );
  const { epochs, settings } = records().get(id.slice(5));
  const facts = Object.fromEntries(
    await page
      .locator('.facts > div')
      .evaluateAll((all) => all.map((one) => [...one.children].map((child) => child.textContent))),
  );
  assert.equal(facts['Final validation loss'], '0.409');
  assert.equal(facts.Steps, '32');
  const loss = await valuesOfLine(page.locator('svg.chart').first(), 'validation');
  loss.forEach(([, y], i) => near(y, epochs[i].val_loss));
  const kept = await valuesOfLine(
    page.getByRole('img', { name: /^Singular values kept/ }),
    'kept',
    { x: false, y: false },
  );
  kept.forEach(([, y], i) => near(y, epochs[i].kept, 1e-2));
  await page.locator('[data-figure^=phases]').scrollIntoViewIfNeeded();
  await page.locator('.bar').first().waitFor();
  const bars = await page
    .locator('.bar')
    .evaluateAll((all) => all.map((bar) => Number(bar.dataset.value)));
  near(
    bars.reduce((a, b) => a + b),
    epochs.flatMap((e) => Object.values(e.phase_seconds)).reduce((a, b) => a + b),
    1e-3,
  );
  const shown = Object.fromEntries(
    await page
      .locator('.configuration > div')
      .evaluateAll((all) => all.map((one) => [...one.children].map((child) => child.textContent))),
  );
  for (const name of ['k', 'seed', 'shuffle_seed', 'task', 'hidden'])
    assert.equal(shown[name], String(settings[name]));
  const command = await page.locator('#command').textContent();
  assert.match(
    command,
    /^sven train --task toy1d --optimizer sven .*--k 4 .*--epochs 2 .*--train-size 500/,
  );
  assert.doesNotMatch(command, /--validation |--standardise |none/);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied').waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), command);
  await page.done();
});

test('a command leaves out what has its default, and quotes what a shell would read', async () => {
  const document = fixture();
  const base = document.bases.findIndex((b) => b.settings.optimizer === 'adam');
  document.defaults = { '': { activation: 'gelu', keep: 'last' }, adam: { beta1: 0.9 } };
  Object.assign(
    document.runs.find((run) => run.base === base),
    { settings: { task: '', data: "it's $(touch x).csv", lr: -1, 'e;vil': 'x', init: 'a\nb' } },
  );
  const page = await open(browser, writePage(folder, document), '#run?id=two%2Fadam');
  const command = await page.locator('#command').textContent();
  assert.match(command, /--data 'it'\\''s \$\(touch x\)\.csv' /);
  assert.match(command, /--lr=-1 /);
  assert.doesNotMatch(command, /beta1|keep|activation|vil|init/);
  await page.done();
});

test('validations within epochs are drawn where they were made', async () => {
  const page = await open(browser, writePage(folder, fixture()), '#run?id=two%2Fsven&x=step');
  const line = await valuesOfLine(page.locator('svg.chart').first(), 'checks');
  const run = fixture().runs.find((r) => r.id === 'two/sven');
  assert.equal(line.length, run.checks.step.length);
  line.forEach(([x, y], i) => {
    near(x, run.checks.step[i], 1e-2);
    near(y, run.checks.val_loss[i], 1e-2);
  });
  await page.done();
});

test('memory and accuracy are shown where they are', async () => {
  const document = fixture();
  for (const run of document.runs) {
    run.peak_memory = 52_428_800;
    run.epochs.val_accuracy = run.epochs.val_loss.map((_, i) => 0.9 + 0.01 * i);
  }
  const page = await open(browser, writePage(folder, document));
  await hasCount(page.locator('th:has-text("Memory")'), 2);
  assert.match(await page.locator('.ranking tbody tr').first().innerText(), /52 MB/);
  await go(page, '#curves');
  await eventually(async () =>
    assert.deepEqual(await page.locator('.panel-title').allInnerTexts(), [
      'Validation loss',
      'Training loss',
      'Validation accuracy',
    ]),
  );
  await page.done();
});

test('seeds in different folders are one point, runs without an epoch aside', async () => {
  const document = fixture();
  const first = document.runs.find((run) => run.id === 'two/adam');
  document.runs = [1, 2, 3, 4].map((seed) => ({
    ...first,
    id: `s${seed}/adam`,
    source: document.sources.push({ name: `s${seed}`, kind: 'run', path: `s${seed}` }) - 1,
    settings: { ...first.settings, seed },
    final_val_loss: seed,
  }));
  const waiting = document.runs[3];
  waiting.status = 'running';
  waiting.epochs = {};
  delete waiting.final_val_loss;
  delete waiting.best_val_loss;
  const page = await open(browser, writePage(folder, document));
  const csv = await download(page, page.getByRole('button', { name: 'CSV' }).first());
  const [row, ...others] = parseCsv(csv.content.toString());
  assert.equal(others.length, 0);
  assert.equal(row.folder, 'several folders');
  near(Number(row.final_val_loss_median), 2);
  near(Number(row.final_val_loss_upper_quartile), 2.5);
  await page.done();
});

test('what changes data or loss makes another task', async () => {
  const document = fixture();
  const first = document.runs.find((run) => run.id === 'two/adam');
  const tasksWith = async (changes) => {
    document.runs = changes.map((settings, i) => ({
      ...first,
      id: `two/${i}`,
      settings: { ...first.settings, ...settings },
    }));
    const page = await open(browser, writePage(folder, document));
    const lead = await page.locator('.lead').first().innerText();
    await page.done();
    return Number(/on (\d+) task/.exec(lead)[1]);
  };
  assert.equal(await tasksWith([{ noise: 0.1 }, { noise: 0.2 }, { noise: 'none' }]), 3);
  assert.equal(await tasksWith([{ huber_delta: 1 }, { huber_delta: 2 }]), 1);
  const huber = { loss: 'huber' };
  assert.equal(
    await tasksWith([
      { ...huber, huber_delta: 1 },
      { ...huber, huber_delta: 2 },
    ]),
    2,
  );
  const own = { task: 'none' };
  assert.equal(
    await tasksWith([
      { ...own, data: 'a/x.csv' },
      { ...own, data: 'b/x.csv' },
    ]),
    2,
  );
});
