// SPDX-License-Identifier: MIT
// A browser, pages with data in them, and plain statistics to compare with.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { makeDocument, makePage } from '../tools/make-data.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const FIXTURES = here('fixtures');
export const TEMPLATE = readFileSync(here('../dist/report.html'), 'utf8');

/**
 * How long what has to come is waited for, in milliseconds: machines may be slow, or
 * busy with something else. Only tests that fail take that long.
 */
export const PATIENCE = 30_000;

/**
 * Runs assertions until all of them hold, and gives back what the block does: what a
 * click, a key, another address or a server's answer leads to is there a moment later.
 * When patience ends, the last failure is thrown.
 */
export async function eventually(block, patience = PATIENCE) {
  const end = performance.now() + patience;
  for (;;) {
    try {
      return await block();
    } catch (failure) {
      if (performance.now() > end) throw failure;
    }
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** So many there are, now or as soon as what was asked for has been drawn. */
export const hasCount = (locator, expected, message) =>
  eventually(async () => assert.equal(await locator.count(), expected, message));

const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

let started;

/** A browser for all tests, and a folder for its pages. */
export function startBrowser() {
  started ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sven-report-'));
    // Containers often run as root, for whom Chromium has no sandbox.
    const browser = await chromium.launch({
      executablePath,
      args: ['--no-sandbox', '--disable-gpu'],
      timeout: 4 * PATIENCE,
    });
    after(async () => {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    });
    return { browser, folder };
  })();
  return started;
}

/** The program; `SVEN` names another one. */
export const SVEN = process.env.SVEN ?? here('../../build/release/bin/sven');

/** What the program makes of the fixtures, and what the small producer does. */
export function documentOf() {
  const folder = mkdtempSync(join(tmpdir(), 'sven-report-'));
  try {
    const path = join(folder, 'report.html');
    const { status, stderr } = spawnSync(SVEN, ['report', FIXTURES, '--out', path]);
    assert.equal(status, 0, String(stderr));
    const json = /id="sven-data">(.*?)<\/script>/s.exec(readFileSync(path, 'utf8'))[1];
    return { fromProgram: JSON.parse(json), fromProducer: makeDocument([FIXTURES]) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let program;

/** From the program where there is one. */
export function fixture() {
  program ??= JSON.stringify(
    existsSync(SVEN) ? documentOf().fromProgram : makeDocument([FIXTURES]),
  );
  return JSON.parse(program);
}

export function reproduction() {
  const read = (name) =>
    JSON.parse(readFileSync(here(`../../docs/reproduction/${name}.json`), 'utf8'));
  const { experiments, version } = read('results');
  return {
    format: 'sven-report-1',
    version,
    sources: [],
    bases: [],
    runs: [],
    skipped: [],
    reproduction: { experiments, claims: read('claims') },
  };
}

let files = 0;

/** Writes a page; its address is that of a file. `raw` goes in as it is. */
export function writePage(folder, document, raw) {
  const path = join(folder, `page${files++}.html`);
  const html =
    raw === undefined
      ? makePage(TEMPLATE, document)
      : TEMPLATE.replace('id="sven-data">null<', () => `id="sven-data">${raw}<`);
  writeFileSync(path, html);
  return `file://${path}`;
}

async function newPage(browser, { network, ...options }) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    // Nothing is read while it fades.
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE);
  page.complaints = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text());
  });
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('request', (request) => {
    if (!/^(file|data|blob|about):/.test(request.url()) && !network)
      page.complaints.push(`request of ${request.url()}`);
  });
  return page;
}

let shared;

/**
 * Opens an address; what the console says by the time of `done` is an error, unless
 * it is the browser's word on a server that has been ended: `done({ ended: true })`.
 * Tests without options of their own take turns in one page.
 */
export async function open(browser, address, hash = '', options = null) {
  const page = options ? await newPage(browser, options) : await (shared ??= newPage(browser, {}));
  await page.goto('about:blank');
  page.complaints.length = 0;
  await page.mouse.move(0, 0);
  await page.goto(address + hash);
  await page.waitForSelector('h2');
  await drawn(page);
  page.done = async ({ ended = false } = {}) => {
    const complaints = page.complaints.filter((text) => !ended || !/net::ERR_/.test(text));
    if (options) await page.context().close();
    assert.deepEqual(complaints, []);
  };
  return page;
}

/** Figures are drawn when they come near the screen: those that are have been. */
export async function drawn(page) {
  await page.waitForFunction(() =>
    [...document.querySelectorAll('.figure')]
      .filter((figure) => {
        const { top, bottom } = figure.getBoundingClientRect();
        return top < innerHeight + 290 && bottom > -290;
      })
      .every((figure) => figure.querySelector('svg.chart')),
  );
}

/** To another section without loading the page again; it is there afterwards. */
export async function go(page, hash) {
  await page.evaluate(
    (to) =>
      new Promise((done) => {
        const before = location.href;
        // The page hears of it first, and draws before the next task.
        addEventListener('hashchange', () => setTimeout(done), { once: true });
        location.hash = to;
        if (location.href === before) done();
      }),
    hash,
  );
  await drawn(page);
}

export async function download(page, button) {
  const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
  return { name: file.suggestedFilename(), content: readFileSync(await file.path()) };
}

/** Rows of a CSV file as objects, numbers as numbers. */
export function parseCsv(text) {
  const cells = (line) =>
    [...line.matchAll(/("((?:[^"]|"")*)"|[^,]*)(,|$)/g)]
      .slice(0, -1)
      .map((m) => (m[2] !== undefined ? m[2].replaceAll('""', '"') : m[1]));
  const [header, ...lines] = text
    .trimEnd()
    .split('\r\n')
    .map((line) => cells(`${line},`).slice(0));
  return lines.map((line) =>
    Object.fromEntries(
      header.map((name, i) => [
        name,
        line[i] !== '' && !Number.isNaN(Number(line[i])) ? Number(line[i]) : line[i],
      ]),
    ),
  );
}

/** The values that a line in a chart stands for, from its pixels and the ticks. */
export async function valuesOfLine(chart, series, log = { x: false, y: true }) {
  const { path, ticks } = await chart.evaluate((svg, key) => {
    const read = (name) =>
      [...svg.querySelectorAll(name)].map((tick) => [
        Number(tick.dataset.value),
        Number(tick.dataset.at),
      ]);
    const line = [...svg.querySelectorAll('.line')].find((one) => one.dataset.series === key);
    return { path: line.getAttribute('d'), ticks: { x: read('.tick-x'), y: read('.tick-y') } };
  }, series);
  const inverse = (axis) => {
    const [[v0, p0], [v1, p1]] = [ticks[axis][0], ticks[axis].at(-1)];
    if (!log[axis]) return (p) => v0 + ((v1 - v0) * (p - p0)) / (p1 - p0);
    return (p) => Math.exp(Math.log(v0) + (Math.log(v1 / v0) * (p - p0)) / (p1 - p0));
  };
  const [toX, toY] = [inverse('x'), inverse('y')];
  return path
    .slice(1)
    .split('L')
    .map((pair) => pair.split(',').map(Number))
    .map(([px, py]) => [toX(px), toY(py)]);
}

/** Equal to what a drawing can show. */
export function near(actual, expected, tolerance = 5e-3) {
  assert.ok(
    Math.abs(actual - expected) <= tolerance * Math.abs(expected) + 1e-12,
    `${actual} should be ${expected}`,
  );
}

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Records of the scan as they are in their files: name → lines by type. */
export function records() {
  const folder = join(FIXTURES, 'scan/runs');
  return new Map(
    readdirSync(folder).map((file) => {
      const lines = readFileSync(join(folder, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      return [
        file.replace('.jsonl', ''),
        {
          settings: lines[0].settings,
          epochs: lines.filter((l) => l.type === 'epoch'),
          summary: lines.find((l) => l.type === 'summary'),
        },
      ];
    }),
  );
}
