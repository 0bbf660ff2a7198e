// SPDX-License-Identifier: MIT
// The program's own output in a browser: a scan as `sven scan` writes it, the
// page of `sven report`, and `sven serve` while a training writes.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  documentOf,
  download,
  eventually,
  go,
  median,
  near,
  open,
  parseCsv,
  PATIENCE,
  startBrowser,
  SVEN,
  valuesOfLine,
  hasCount,
} from './helpers.mjs';

const { browser, folder } = await startBrowser();
const skip = existsSync(SVEN) ? false : `${SVEN} is not there`;

const SCAN = `
title = "a small scan"
[run]
task = "toy1d"
train_size = 300
val_size = 100
epochs = 4
seed = [1, 2]
[[grid]]
optimizer = "sven"
lr = [0.1, 0.5]
k = [4, 16]
[[grid]]
optimizer = ["adam", "sgd"]
lr = [0.001, 0.01]
[[grid]]
optimizer = "sgd"
lr = 1e30
`;

function sven(...words) {
  const { status, stdout, stderr } = spawnSync(SVEN, words, { cwd: folder, encoding: 'utf8' });
  assert.equal(status, 0, `sven ${words.join(' ')}: ${stderr}`);
  return stdout;
}

/** The lines of a record. */
function linesOf(path) {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

function scanRecords() {
  scanReport();
  const runs = join(folder, 'scan/runs');
  return readdirSync(runs).map((file) => {
    const lines = linesOf(join(runs, file));
    return {
      name: file.replace('.jsonl', ''),
      settings: lines[0].settings,
      epochs: lines.filter((line) => line.type === 'epoch'),
      summary: lines.at(-1),
    };
  });
}

let report;

/** The page of a real scan, made once. */
function scanReport() {
  if (report) return report;
  writeFileSync(join(folder, 'scan.toml'), SCAN);
  sven('scan', 'scan.toml', '--out', 'scan', '--jobs', '2', '--quiet');
  assert.match(sven('report', 'scan', '--out', 'scan.html'), /scan.html: 18 runs/);
  report = `file://${join(folder, 'scan.html')}`;
  return report;
}

test('the ranking is that of the records', { skip }, async () => {
  const page = await open(browser, scanReport(), '#overview?rows=all');
  const csv = await download(page, page.locator('.ranking').getByRole('button', { name: 'CSV' }));
  const rows = parseCsv(csv.content.toString());
  const runs = scanRecords();
  // Four points of sven, two of adam, three of sgd.
  assert.equal(rows.length, 9);
  const best = Math.min(
    ...[4, 16].flatMap((k) =>
      [0.1, 0.5].map((lr) =>
        median(
          runs
            .filter((r) => r.settings.k === k && r.settings.lr === lr)
            .map((r) => r.summary.final_val_loss),
        ),
      ),
    ),
  );
  const text = await page.locator('.ranking tbody tr').first().innerText();
  assert.match(text, /sven/i);
  const shown = Object.values(rows[0]).filter((value) => typeof value === 'number');
  assert.ok(
    shown.some((value) => Math.abs(value - best) <= 1e-5 * best),
    `${shown} has no ${best}`,
  );
  assert.match(await page.locator('.ranking').innerText(), /MB/);
  await page.done();
});

test('curves and the page of a run have the values of its record', { skip }, async () => {
  const run = scanRecords().find((one) => one.name === 'sven_k=16_lr=0.5_seed=1');
  const page = await open(browser, scanReport(), `#run?id=scan/${encodeURIComponent(run.name)}`);
  const chart = page.locator('svg.chart').first();
  const series = await chart
    .locator('.line')
    .evaluateAll((lines) => lines.map((line) => line.dataset.series));
  const columns = ['val_loss', 'train_loss'].map((name) => run.epochs.map((e) => e[name]));
  const drawn = await Promise.all(series.map((one) => valuesOfLine(chart, one)));
  for (const column of columns) {
    assert.ok(
      drawn.some(
        (line) =>
          line.length === column.length &&
          line.every(([, y], i) => Math.abs(y - column[i]) <= 1e-2 * column[i]),
      ),
      `no line has ${column}`,
    );
  }
  const text = await page.locator('main').innerText();
  assert.match(text, /completed/);
  assert.match(text, /sven train --task toy1d/);
  await page.done();
});

test('the command on the page does the run again', { skip }, async () => {
  const run = scanRecords().find((one) => one.name === 'adam_lr=0.01_seed=2');
  const page = await open(browser, scanReport(), `#run?id=scan/${encodeURIComponent(run.name)}`);
  const text = await page.locator('main').innerText();
  const words = /^(sven train --task.*)$/m.exec(text)[1].split(' ');
  assert.ok(words.length < 24, `long: ${words.join(' ')}`);
  sven(...words.slice(1), '--out', 'again', '--quiet', '--overwrite');
  const again = linesOf(join(folder, 'again/run.jsonl'));
  assert.equal(again.at(-1).final_val_loss, run.summary.final_val_loss);
  await page.done();
});

test('diverged runs, spectra and maps are there', { skip }, async () => {
  const page = await open(browser, scanReport(), '#overview?rows=all');
  assert.match(await page.locator('.ranking').innerText(), /diverged/);
  for (const [hash, title] of [
    ['#curves', 'Curves'],
    ['#hyper', 'Hyper-parameters'],
    ['#spectra', 'Spectra'],
    ['#runs', 'Runs'],
  ]) {
    await go(page, hash);
    await eventually(async () => {
      assert.equal(await page.locator('h2').innerText(), title);
      assert.ok((await page.locator('main').innerText()).length > 50, hash);
    });
  }
  await page.done();
});

test('files that cannot be read are listed', { skip }, async () => {
  scanReport();
  cpSync(join(folder, 'scan'), join(folder, 'broken'), { recursive: true });
  const runs = join(folder, 'broken/runs');
  const [first, second] = readdirSync(runs);
  writeFileSync(join(runs, first), 'nothing\nof ours\n');
  const whole = readFileSync(join(runs, second));
  writeFileSync(join(runs, second), whole.subarray(0, whole.length - 40));
  sven('report', 'broken', '--out', 'broken.html');
  const page = await open(browser, `file://${join(folder, 'broken.html')}`, '', {});
  const text = await page.locator('body').textContent();
  assert.match(text, /17 runs/);
  assert.ok(text.includes(`broken/runs/${first}`));
  await page.done();
});

test('a run with an evil name does nothing', { skip }, async () => {
  const name = '<img src=x onerror=window.hacked=1>';
  mkdirSync(join(folder, 'evil', name), { recursive: true });
  sven(
    'train',
    '--task',
    'toy1d',
    '--train-size',
    '50',
    '--epochs',
    '2',
    '--quiet',
    '--out',
    join('evil', name),
    '--overwrite',
  );
  sven('report', 'evil', '--out', 'evil.html');
  for (const hash of ['#overview', '#curves', '#runs']) {
    const page = await open(browser, `file://${join(folder, 'evil.html')}`, hash, {});
    assert.equal(await page.evaluate(() => window.hacked), undefined);
    await hasCount(page.locator('img'), 0);
    if (hash === '#runs')
      assert.ok((await page.locator('main').innerText()).includes('<img src=x'));
    await page.done();
  }
});

// ---- Live ----

/** A process that is ended with the test, however that ends. */
function launch(t, words) {
  const child = spawn(SVEN, words, { cwd: folder });
  const ended = new Promise((done) => child.on('exit', done).on('error', done));
  t.after(() => {
    child.kill('SIGKILL');
    return ended;
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (said += data));
  return {
    /** Where it serves its page, once it has said so; it may come in pieces. */
    address: () =>
      eventually(() => {
        const found = /(http:\/\/\S+)\s/.exec(said);
        assert.ok(found, `sven ${words[0]} said no address: ${said}`);
        return found[1];
      }),
    /** Ends it as a person would; its exit code. */
    end: async () => {
      child.kill('SIGINT');
      await eventually(() =>
        assert.ok(child.exitCode !== null || child.signalCode !== null, `${words[0]} goes on`),
      );
      return child.exitCode;
    },
  };
}

/** A training with epochs of some tenths of a second. */
const slow = (out) => [
  'train',
  '--task',
  'toy1d',
  '--train-size',
  '4000',
  '--val-size',
  '1000',
  '--epochs',
  '100000',
  '--optimizer',
  'sven',
  '--out',
  out,
  '--overwrite',
  '--quiet',
];

const epochsIn = (path) =>
  existsSync(path) ? readFileSync(path, 'utf8').split('"type":"epoch"').length - 1 : 0;

/** The first epochs wait for the program to start, and for its data. */
const hasEpochs = (path, least) =>
  eventually(() => assert.ok(epochsIn(path) >= least, 'no further epoch'), 4 * PATIENCE);

const longestLine = (page) =>
  page.evaluate(() =>
    Math.max(
      0,
      ...[...document.querySelectorAll('.line')].map((l) => l.getAttribute('d').split('L').length),
    ),
  );

test('epochs of sven train are shown as they are written', { skip }, async (t) => {
  mkdirSync(join(folder, 'live'), { recursive: true });
  const server = launch(t, ['serve', 'live', '--port', '0']);
  const page = await open(browser, await server.address(), '#curves', { network: true });
  const training = launch(t, slow('live/a'));
  const record = join(folder, 'live/a/run.jsonl');
  await hasEpochs(record, 1);
  const delays = [];
  for (let i = 0; i < 5; ++i) {
    const written = epochsIn(record);
    const start = performance.now();
    await eventually(async () => {
      const shown = await longestLine(page);
      assert.ok(shown >= written, `${shown} of ${written} epochs are shown`);
    });
    delays.push(Math.round(performance.now() - start));
    await hasEpochs(record, written + 1);
  }
  t.diagnostic(`shown after ${delays.join(', ')} ms`);
  assert.deepEqual(page.complaints, []);
  assert.equal(await training.end(), 1);
  assert.equal(await server.end(), 0);
  await page.done({ ended: true });
});

test('sven train --live shows itself', { skip }, async (t) => {
  const training = launch(t, [...slow('alone'), '--live', '0']);
  const page = await open(browser, await training.address(), '#curves', { network: true });
  await page
    .locator('.line')
    .first()
    .waitFor({ timeout: 4 * PATIENCE });
  await page.locator('[data-connection=live]').waitFor();
  assert.deepEqual(page.complaints, []);
  await training.end();
  await page.done({ ended: true });
});

test('1,000 requests from 50 connections while a training writes', { skip }, async (t) => {
  mkdirSync(join(folder, 'load'), { recursive: true });
  const server = launch(t, ['serve', 'load', '--port', '0']);
  const address = await server.address();
  const training = launch(t, slow('load/a'));
  await hasEpochs(join(folder, 'load/a/run.jsonl'), 1);
  const agent = new Agent({ keepAlive: true, maxSockets: 50 });
  t.after(() => agent.destroy());
  const request = () =>
    new Promise((done) => {
      const start = performance.now();
      const asked = get(`${address}api/data`, { agent, timeout: PATIENCE }, (response) => {
        response.resume();
        response.on('error', (error) => done({ status: error.message, time: Infinity }));
        response.on('end', () =>
          done({ status: response.statusCode, time: performance.now() - start }),
        );
      });
      asked.on('timeout', () => asked.destroy(new Error('no answer')));
      asked.on('error', (error) =>
        done(
          // The server closes connections that rest for two seconds, on a busy machine just
          // as the next request leaves; then HTTP has it asked again.
          asked.reusedSocket && error.code === 'ECONNRESET'
            ? request()
            : { status: error.message, time: Infinity },
        ),
      );
    });
  const answers = [];
  const start = performance.now();
  // Each with a request every quarter of a second: 200 a second, if the machine can.
  await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      for (let round = 0; round < 20; ++round) {
        const due = start + 250 * round + 5 * i;
        await new Promise((done) => setTimeout(done, Math.max(0, due - performance.now())));
        answers.push(await request());
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const times = answers.map((answer) => answer.time).sort((a, b) => a - b);
  t.diagnostic(
    `${answers.length} answers in ${seconds.toFixed(1)} s, median ${times[500].toFixed(1)} ms, ` +
      `slowest ${times.at(-1).toFixed(1)} ms`,
  );
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200]);
  assert.equal(await training.end(), 1);
  assert.equal(await server.end(), 0);
});

test('the document of the program is that of the small producer', { skip }, () => {
  const { fromProgram, fromProducer } = documentOf();
  const byId = (document) => new Map(document.runs.map((run) => [run.id, run]));
  const [ours, theirs] = [byId(fromProgram), byId(fromProducer)];
  assert.deepEqual([...ours.keys()].sort(), [...theirs.keys()].sort());
  for (const [id, run] of ours) {
    const other = theirs.get(id);
    assert.equal(run.status, other.status, id);
    assert.equal(run.final_val_loss, other.final_val_loss, id);
    assert.deepEqual(run.epochs.val_loss, other.epochs.val_loss, id);
    assert.deepEqual(run.epochs.step, other.epochs.step, id);
    run.spectra?.values.forEach((values, e) =>
      values.forEach((value, i) => near(value, other.spectra.values[e][i], 1e-3)),
    );
  }
});
