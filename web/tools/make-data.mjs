// SPDX-License-Identifier: MIT
// Makes the document of web/DATA.md from folders of runs, for tests and while
// working on the page:
//
//   node tools/make-data.mjs OUT.json|OUT.html DIR...
//
// A folder is a run (run.jsonl), a scan (scan.toml and runs/), a reproduction
// (results.json, claims.json and scans), or has such folders inside.
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const MARK = '<script type="application/json" id="sven-data">null</script>';

function rounded(value, digits = 6) {
  return typeof value === 'number' ? Number(value.toPrecision(digits)) : (value ?? null);
}

/** One column of the epochs; a constant becomes one number, a missing one nothing. */
function column(epochs, name, digits) {
  if (!epochs.some((epoch) => epoch[name] !== undefined)) return undefined;
  const values = epochs.map((epoch) => rounded(epoch[name], digits));
  return values.length > 1 && values.every((v) => v !== null && v === values[0])
    ? values[0]
    : values;
}

function columns(epochs) {
  const result = {};
  const perEpoch = epochs[0] && epochs[0].step / epochs[0].epoch;
  const regular = epochs.every((e, i) => e.epoch === i + 1 && e.step === perEpoch * e.epoch);
  if (!epochs.every((e, i) => e.epoch === i + 1)) result.epoch = epochs.map((e) => e.epoch);
  result.step = regular && epochs.length ? perEpoch : epochs.map((e) => e.step ?? null);
  result.seconds = epochs.map((e) => rounded(e.seconds, 5));
  result.train_loss = epochs.map((e) => rounded(e.train_loss));
  result.val_loss = epochs.map((e) => rounded(e.val_loss));
  for (const name of [
    'train_accuracy',
    'val_accuracy',
    'batch_loss',
    'learning_rate',
    'update_norm',
    'kept',
  ]) {
    const values = column(epochs, name, 5);
    if (values !== undefined) result[name] = values;
  }
  return result;
}

function phases(epochs) {
  const sums = {};
  for (const epoch of epochs) {
    for (const [name, seconds] of Object.entries(epoch.phase_seconds ?? {}))
      sums[name] = (sums[name] ?? 0) + seconds;
  }
  return Object.fromEntries(
    Object.entries(sums)
      .filter(([, s]) => s > 0)
      .map(([n, s]) => [n, rounded(s, 4)]),
  );
}

/** The lines of a record; what has been half written at its end is left out. */
export function readRecord(path) {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim());
  const parsed = [];
  lines.forEach((line, i) => {
    try {
      parsed.push(JSON.parse(line));
    } catch {
      if (i + 1 < lines.length) throw new Error(`line ${i + 1} is not JSON`);
    }
  });
  const config = parsed.find((line) => line?.type === 'config');
  if (!config) throw new Error('no line of type config');
  return {
    config,
    epochs: parsed.filter((line) => line?.type === 'epoch'),
    checks: parsed.filter((line) => line?.type === 'validation'),
    summary: parsed.find((line) => line?.type === 'summary'),
  };
}

export function makeRun(id, record) {
  const { config, epochs, checks, summary } = record;
  const run = { id, status: summary?.status ?? 'interrupted' };
  for (const name of [
    'final_train_loss',
    'final_val_loss',
    'best_val_loss',
    'initial_val_loss',
    'final_val_accuracy',
    'train_seconds',
    'total_seconds',
    'best_epoch',
    'steps',
    'diverged_at_step',
    'peak_memory',
  ]) {
    if (summary?.[name] !== undefined) run[name] = rounded(summary[name]);
  }
  const refused = epochs.reduce((sum, epoch) => sum + (epoch.refused ?? 0), 0);
  if (refused > 0) run.refused = refused;
  run.epochs = columns(epochs);
  run.phases = phases(epochs);
  if (checks.length) {
    run.checks = Object.fromEntries(
      ['step', 'seconds', 'val_loss'].map((n) => [n, checks.map((c) => rounded(c[n]))]),
    );
  }
  // That of a worker of a scan names files that are gone.
  if (config.command && !config.command.includes('/.work/')) run.command = config.command;
  const spectral = epochs.filter((epoch) => epoch.spectrum?.length);
  if (spectral.length) {
    run.spectra = {
      epoch: spectral.map((e) => e.epoch),
      values: spectral.map((e) => e.spectrum.map((s) => rounded(s, 4))),
    };
  }
  return run;
}

class Document {
  constructor() {
    this.json = {
      format: 'sven-report-1',
      version: '',
      sources: [],
      bases: [],
      runs: [],
      skipped: [],
    };
    this.bases = new Map();
  }

  addSource(source) {
    this.json.sources.push(source);
    return this.json.sources.length - 1;
  }

  addRun(path, id, source) {
    let record;
    try {
      record = readRecord(path);
    } catch (error) {
      this.json.skipped.push({ path, reason: String(error.message) });
      return;
    }
    const run = makeRun(id, record);
    const { config } = record;
    // One base per source and optimizer; runs keep what differs from it.
    const key = `${source} ${config.settings.optimizer} ${config.settings.task}`;
    if (!this.bases.has(key)) {
      this.bases.set(key, this.json.bases.length);
      this.json.bases.push({
        version: config.version,
        machine: config.machine,
        settings: config.settings,
      });
    }
    run.source = source;
    run.base = this.bases.get(key);
    const base = this.json.bases[run.base].settings;
    const own = Object.entries(config.settings).filter(([name, value]) => base[name] !== value);
    if (own.length) run.settings = Object.fromEntries(own);
    this.json.runs.push(run);
    this.json.version ||= config.version;
  }

  addFolder(path, top) {
    const entries = readdirSync(path).sort();
    const name = relative(top, path) || basename(path);
    if (entries.includes('results.json') || entries.includes('claims.json'))
      this.addReproduction(path);
    if (entries.includes('scan.toml') && existsSync(join(path, 'runs'))) {
      const title = /^title = "(.*)"$/m.exec(readFileSync(join(path, 'scan.toml'), 'utf8'))?.[1];
      const source = this.addSource({ name, title, kind: 'scan', path });
      for (const file of readdirSync(join(path, 'runs')).sort()) {
        if (file.endsWith('.jsonl'))
          this.addRun(join(path, 'runs', file), `${name}/${file.slice(0, -6)}`, source);
      }
    } else if (entries.includes('run.jsonl')) {
      // Folders beside each other are one source.
      const place = path === top ? path : dirname(path);
      let source = this.json.sources.findIndex((s) => s.kind === 'run' && s.path === place);
      if (source < 0)
        source = this.addSource({
          name: relative(top, place) || basename(place),
          kind: 'run',
          path: place,
        });
      this.addRun(join(path, 'run.jsonl'), name, source);
    } else {
      for (const entry of entries) {
        const inside = join(path, entry);
        if (!entry.startsWith('.') && statSync(inside).isDirectory()) this.addFolder(inside, top);
      }
    }
  }

  addReproduction(path) {
    const read = (file, otherwise) => {
      try {
        return JSON.parse(readFileSync(join(path, file), 'utf8'));
      } catch (error) {
        if (existsSync(join(path, file)))
          this.json.skipped.push({ path: join(path, file), reason: error.message });
        return otherwise;
      }
    };
    const { experiments, version } = read('results.json', { experiments: [] });
    this.json.reproduction = { experiments, claims: read('claims.json', []) };
    this.json.version ||= version;
  }

  /** With many runs: spectra of the best and of the widest one of each base. */
  thinSpectra(limit = 40) {
    if (this.json.runs.length <= limit) return;
    const kept = new Set();
    this.json.bases.forEach((base, index) => {
      const runs = this.json.runs.filter((run) => run.base === index && run.spectra);
      const value = (run, name) => Number(run.settings?.[name] ?? base.settings[name] ?? 0);
      const best = [...runs].sort(
        (a, b) => (a.final_val_loss ?? Infinity) - (b.final_val_loss ?? Infinity),
      )[0];
      const widest = [...runs].sort(
        (a, b) => value(b, 'k') - value(a, 'k') || value(a, 'rtol') - value(b, 'rtol'),
      )[0];
      if (best) kept.add(best).add(widest);
    });
    for (const run of this.json.runs) if (!kept.has(run)) delete run.spectra;
  }
}

export function makeDocument(folders) {
  const document = new Document();
  for (const folder of folders) document.addFolder(folder, folder);
  document.thinSpectra();
  return document.json;
}

/** The page with the document in it. `<` is escaped so that no text ends the block. */
export function makePage(template, document, live = false) {
  const json = JSON.stringify(document).replaceAll('<', '\\u003c');
  const block = MARK.replace('null', () => json);
  return template.replace(MARK, () =>
    live ? block.replace('id="sven-data"', 'id="sven-data" data-live') : block,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [out, ...folders] = process.argv.slice(2);
  if (!out || folders.length === 0) {
    console.error('usage: make-data.mjs OUT.json|OUT.html DIR...');
    process.exit(2);
  }
  const document = makeDocument(folders);
  const template = join(dirname(fileURLToPath(import.meta.url)), '../dist/report.html');
  writeFileSync(
    out,
    out.endsWith('.html')
      ? makePage(readFileSync(template, 'utf8'), document)
      : JSON.stringify(document),
  );
  console.log(`${out}: ${document.runs.length} runs, ${document.skipped.length} files skipped`);
}
