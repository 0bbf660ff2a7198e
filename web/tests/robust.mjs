// SPDX-License-Identifier: MIT
// Hostile, broken and large documents.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  download,
  drawn,
  eventually,
  fixture,
  go,
  open,
  reproduction,
  startBrowser,
  TEMPLATE,
  writePage,
  hasCount,
} from './helpers.mjs';

const { browser, folder } = await startBrowser();
const EVIL = '<img src=x onerror="window.hacked=1"></script><script>window.hacked=2</script>';
const SECTIONS = [
  '#overview',
  '#overview?rows=all',
  '#curves',
  '#curves?show=all',
  '#hyper',
  '#spectra',
  '#reproduction',
  '#runs',
];

test('the page brings all it needs, and may run nothing else', () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(TEMPLATE)[1];
  assert.match(policy, /default-src 'none'/);
  assert.doesNotMatch(policy, /unsafe|\*|http/);
  assert.match(policy, /require-trusted-types-for 'script'/);
  assert.equal(
    TEMPLATE.match(/<script type="application\/json" id="sven-data">null<\/script>/g).length,
    1,
  );
  assert.doesNotMatch(TEMPLATE, /<(script|link|img)[^>]+(src|href)="(?!data:)/);
  assert.ok(TEMPLATE.length < 400_000, `${TEMPLATE.length} bytes`);
});

test('names are shown as text and do nothing', async () => {
  const document = fixture();
  document.title = EVIL;
  document.version = EVIL;
  document.sources[0] = { name: EVIL, title: EVIL, kind: 'scan', path: EVIL };
  document.skipped = [{ path: EVIL, reason: EVIL }];
  for (const base of document.bases) base.settings.activation = EVIL;
  const run = document.runs.find((r) => r.id === 'two/adam');
  Object.assign(run, {
    id: EVIL,
    command: EVIL,
    settings: { optimizer: EVIL, [EVIL]: EVIL, task: EVIL },
  });
  document.reproduction = {
    experiments: [{ name: EVIL, title: EVIL, points: [] }],
    claims: [
      {
        id: EVIL,
        statement: EVIL,
        verdict: EVIL,
        rule: EVIL,
        cases: [{ measured: EVIL, holds: true }],
      },
    ],
  };
  const page = await open(browser, writePage(folder, document));
  for (const hash of [
    ...SECTIONS,
    `#run?id=${encodeURIComponent(EVIL)}`,
    `#curves?task=${encodeURIComponent(EVIL)}&off=${encodeURIComponent(EVIL)}`,
  ]) {
    await go(page, hash);
    await hasCount(page.locator('#page img, #page script'), 0, hash);
  }
  await go(page, `#run?id=${encodeURIComponent(EVIL)}`);
  await eventually(async () => assert.equal(await page.locator('h2').textContent(), EVIL));
  assert.equal(await page.locator('h1').textContent(), EVIL);
  const svg = (
    await download(page, page.getByRole('button', { name: 'SVG' }).first())
  ).content.toString();
  assert.doesNotMatch(svg, /<img|<script/);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await page.done();
});

test('a formula in a name is not one in the file', async () => {
  const document = fixture();
  document.sources[0].name = '=1+1';
  const page = await open(browser, writePage(folder, document));
  const csv = (
    await download(page, page.getByRole('button', { name: 'CSV' }).first())
  ).content.toString();
  assert.match(csv, /,'=1\+1,/);
  await page.done();
});

test('settings called like parts of objects are settings', async () => {
  const document = fixture();
  const text = JSON.stringify(document)
    .replaceAll('"momentum":', '"__proto__":')
    .replaceAll('"kappa":', '"constructor":');
  const page = await open(browser, writePage(folder, JSON.parse(text)), '#run?id=two%2Fsven');
  const names = await page.locator('.configuration dt').allInnerTexts();
  assert.ok(names.includes('__proto__') && names.includes('constructor'));
  await page.done();
});

test('skipped files are listed with the reason', async () => {
  const document = fixture();
  document.skipped = [{ path: 'runs/half.jsonl', reason: 'line 3 is not JSON' }];
  const page = await open(browser, writePage(folder, document));
  assert.match(
    await page.locator('.left-out').innerText(),
    /1 file skipped\s+runs\/half\.jsonl\s+line 3 is not JSON/,
  );
  await page.done();
});

test('documents that are none are said to be so', async () => {
  for (const raw of [
    'null',
    '[]',
    '{"format":"sven-report-9"}',
    '{"runs":',
    '',
    '{"format":"sven-report-1","runs":{},"sources":7,"bases":"x","skipped":null}',
  ]) {
    const page = await open(browser, writePage(folder, null, raw));
    assert.equal(await page.locator('h2').innerText(), 'No runs', raw);
    assert.match(await page.locator('.left-out').innerText(), /not as expected/, raw);
    await page.done();
  }
});

test('a run with wrong fields leaves the others as they are', async () => {
  const document = fixture();
  const total = document.runs.length;
  document.runs.push(
    7,
    null,
    { id: 'bare' },
    {
      id: 'two/adam',
      source: 99,
      base: -1,
      status: 'odd',
      epochs: { val_loss: ['a', null, 1e-3], seconds: [1], step: {} },
      spectra: { values: [[1], 'x', null] },
      phases: { forward: 'x' },
      settings: { k: [1] },
      checks: 3,
    },
  );
  const page = await open(browser, writePage(folder, document), '#runs');
  assert.match(
    await page.locator('.lead').innerText(),
    new RegExp(`^${total + 2} of ${total + 2} runs`),
  );
  await page.locator('.left-out summary').click();
  await eventually(async () => {
    // Texts as they are seen: while the list is closed there is none.
    const reasons = await page.locator('.reasons li').allInnerTexts();
    for (const reason of [
      'run two/adam.epochs.val_loss[0]: expected a number or null, found string a',
      'runs[22]: expected an object, found number 7',
    ])
      assert.ok(
        reasons.some((text) => text.includes(reason)),
        reasons.join('\n'),
      );
  });
  for (const hash of [
    ...SECTIONS,
    '#run?id=bare',
    `#run?id=${encodeURIComponent(`two/adam (${total + 4})`)}`,
  ]) {
    await go(page, hash);
    await hasCount(page.locator('[role=alert]'), 0, hash);
  }
  await page.done();
});

/** Numbers that come again with the same start. */
function chance(seed) {
  let state = seed;
  return () => (state = (state * 48271) % 2147483647) / 2147483647;
}

test('no change of any field breaks a section', async () => {
  const random = chance(Number(process.env.SEED ?? 7));
  const junk = [null, 0, -1, 1e308, '', 'x', [], {}, true, [null], [[]], { a: [] }, ['x', 1]];
  const spoil = (value) => {
    if (random() < 0.02) return junk[Math.floor(random() * junk.length)];
    if (Array.isArray(value)) return value.map(spoil);
    if (value && typeof value === 'object')
      return Object.fromEntries(
        Object.entries(value)
          .filter(() => random() > 0.01)
          .map(([k, v]) => [k, spoil(v)]),
      );
    return value;
  };
  const whole = fixture();
  const paper = reproduction().reproduction;
  paper.experiments = paper.experiments.map((e) => ({ ...e, points: e.points.slice(0, 6) }));
  for (let i = 0; i < Number(process.env.ROUNDS ?? 4); i++) {
    const { format, ...rest } = { ...whole, reproduction: i % 4 ? undefined : paper };
    // The lists themselves stay, or there would be nothing to look at.
    const document = {
      format,
      ...rest,
      runs: rest.runs.map(spoil),
      bases: rest.bases.map(spoil),
      reproduction: rest.reproduction && spoil(rest.reproduction),
    };
    const page = await open(browser, writePage(folder, document));
    for (const hash of [...SECTIONS, '#run?id=two%2Fsven']) {
      await go(page, hash);
      assert.deepEqual(await page.locator('[role=alert]').allInnerTexts(), [], `${i} ${hash}`);
    }
    await page.done();
  }
});

test('three and a half thousand runs come up and answer', async (t) => {
  const document = fixture();
  const pattern = document.runs.filter((run) => run.id.startsWith('scan/sven'));
  const long = (column) => Array.from({ length: 20 }, (_, i) => column[Math.min(i, 1)] / (1 + i));
  document.runs = Array.from({ length: 3500 }, (_, i) => {
    const run = pattern[i % pattern.length];
    const epochs = Object.fromEntries(
      Object.entries(run.epochs).map(([name, c]) => [name, Array.isArray(c) ? long(c) : c]),
    );
    return {
      ...run,
      id: `big/${i}`,
      spectra: i % 100 ? undefined : run.spectra,
      settings: { ...run.settings, seed: Math.floor(i / 160), kappa: 1 + (i % 10) },
      epochs,
    };
  });
  const page = await open(browser, writePage(folder, document), '#overview');
  const loaded = await page.evaluate(() => performance.now());
  // How long it takes is the machine's affair; that it comes is the page's.
  t.diagnostic(`3500 runs: overview after ${loaded.toFixed(0)} ms`);
  for (const [hash, title] of [
    ['#curves?show=all', 'Curves'],
    ['#runs', 'Runs'],
    ['#hyper', 'Hyper-parameters'],
    ['#spectra', 'Spectra'],
  ]) {
    const took = await page.evaluate(async (to) => {
      const start = performance.now();
      location.hash = to;
      await new Promise((done) =>
        setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done))),
      );
      return performance.now() - start;
    }, hash);
    t.diagnostic(`${hash}: ${took.toFixed(0)} ms`);
    await eventually(async () => assert.equal(await page.locator('h2').innerText(), title));
    await drawn(page);
  }
  await page.done();
});
