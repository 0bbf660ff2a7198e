// SPDX-License-Identifier: MIT
// From JSON of unknown content to a Report. What is missing or wrong is replaced
// by something harmless and named in `problems`; nothing in here throws.
import type {
  Base,
  Checks,
  Column,
  Epochs,
  Report,
  Run,
  Settings,
  Skipped,
  Source,
  Spectra,
  Status,
} from './data';
import { STATUSES } from './data';
import { readReproduction } from './read_results';
import { isObject, MOST_PROBLEMS, NO_SETTINGS, Reader } from './reader';

/** A column in the document is a list, or one number that stands for all epochs. */
function epochColumn(reader: Reader, value: unknown, count: number, place: string): Column | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return new Array<number>(count).fill(value);
  const column = reader.column(value, place);
  if (column.length === count) return column;
  reader.complain(place, `${count} values`, value);
  return Array.from({ length: count }, (_, i) => column[i] ?? null);
}

export function readEpochs(reader: Reader, value: unknown, place: string): Epochs {
  const json = reader.object(value, place);
  const lengths = Object.values(json).map((column) => (Array.isArray(column) ? column.length : 0));
  const count = Math.max(0, ...lengths);
  const column = (name: string) => epochColumn(reader, json[name], count, `${place}.${name}`);
  const empty = () => new Array<null>(count).fill(null);
  const epoch = Array.isArray(json.epoch) ? column('epoch') : null;
  const numbers = Array.from({ length: count }, (_, i) => epoch?.[i] ?? i + 1);
  // One number of steps is that of each epoch.
  const perEpoch = typeof json.step === 'number' ? json.step : null;
  return {
    epoch: numbers,
    step: perEpoch !== null ? numbers.map((n) => n * perEpoch) : (column('step') ?? empty()),
    seconds: column('seconds') ?? empty(),
    train_loss: column('train_loss') ?? empty(),
    val_loss: column('val_loss') ?? empty(),
    train_accuracy: column('train_accuracy'),
    val_accuracy: column('val_accuracy'),
    batch_loss: column('batch_loss'),
    learning_rate: column('learning_rate'),
    update_norm: column('update_norm'),
    kept: column('kept'),
  };
}

function readChecks(reader: Reader, value: unknown, place: string): Checks | null {
  if (value === undefined) return null;
  const json = reader.object(value, place);
  return {
    step: reader.column(json.step, `${place}.step`),
    seconds: reader.column(json.seconds, `${place}.seconds`),
    val_loss: reader.column(json.val_loss, `${place}.val_loss`),
  };
}

function readSpectra(reader: Reader, value: unknown, place: string): Spectra | null {
  if (value === undefined || value === null) return null;
  const json = reader.object(value, place);
  const values = reader
    .list(json.values, `${place}.values`)
    .map((spectrum, i) => reader.column(spectrum, `${place}.values[${i}]`));
  if (values.length === 0) return null;
  const epoch = reader.column(json.epoch, `${place}.epoch`);
  return { epoch: values.map((_, i) => epoch[i] ?? i + 1), values };
}

function last(column: Column): number | null {
  return column.length > 0 ? column[column.length - 1]! : null;
}

const NO_BASE: Base = { version: '', machine: NO_SETTINGS, settings: NO_SETTINGS };

function readBase(reader: Reader, value: unknown, place: string): Base {
  const json = reader.object(value, place);
  return {
    version: reader.text(json.version, `${place}.version`),
    machine: reader.settings(json.machine, `${place}.machine`),
    settings: reader.settings(json.settings, `${place}.settings`),
  };
}

function readPhases(reader: Reader, value: unknown, place: string): { [phase: string]: number } {
  const phases: { [phase: string]: number } = {};
  if (value === undefined) return phases;
  for (const [name, entry] of Object.entries(reader.object(value, place))) {
    const seconds = reader.number(entry, `${place}.${name}`);
    if (seconds !== null) phases[name] = seconds;
  }
  return phases;
}

function readStatus(reader: Reader, value: unknown, place: string): Status {
  if ((STATUSES as readonly unknown[]).includes(value)) return value as Status;
  reader.complain(place, `one of ${STATUSES.join(', ')}`, value);
  return 'unknown';
}

function readRun(
  reader: Reader,
  value: unknown,
  index: number,
  bases: readonly Base[],
  sources: number,
): Run | null {
  if (!isObject(value)) {
    reader.complain(`runs[${index}]`, 'an object', value);
    return null;
  }
  const json = value;
  const place = typeof json.id === 'string' ? `run ${json.id}` : `runs[${index}]`;
  const number = (name: string) => reader.number(json[name], `${place}.${name}`);
  const base = typeof json.base === 'number' ? bases[json.base] : undefined;
  if (!base) reader.complain(`${place}.base`, 'the number of one of the bases', json.base);
  let source = typeof json.source === 'number' ? json.source : 0;
  if (!(Number.isInteger(source) && source >= 0 && source < sources)) {
    reader.complain(`${place}.source`, 'the number of one of the sources', json.source);
    source = 0;
  }
  const epochs = readEpochs(reader, json.epochs, `${place}.epochs`);
  const accuracy = epochs.val_accuracy;
  return {
    id: reader.text(json.id, `${place}.id`, `run ${index + 1}`),
    source,
    base: base ?? NO_BASE,
    own: reader.settings(json.settings, `${place}.settings`),
    status: readStatus(reader, json.status, `${place}.status`),
    // A run that goes on has no summary: the last epoch stands in for it.
    final_train_loss:
      'final_train_loss' in json ? number('final_train_loss') : last(epochs.train_loss),
    final_val_loss: 'final_val_loss' in json ? number('final_val_loss') : last(epochs.val_loss),
    best_val_loss: number('best_val_loss') ?? least(epochs.val_loss),
    best_epoch: number('best_epoch'),
    initial_val_loss: number('initial_val_loss'),
    final_val_accuracy:
      'final_val_accuracy' in json ? number('final_val_accuracy') : accuracy && last(accuracy),
    steps: number('steps') ?? last(epochs.step),
    train_seconds: number('train_seconds') ?? last(epochs.seconds),
    total_seconds: number('total_seconds'),
    diverged_at_step: number('diverged_at_step'),
    refused: number('refused'),
    peak_memory: number('peak_memory'),
    epochs,
    checks: readChecks(reader, json.checks, `${place}.checks`),
    phases: readPhases(reader, json.phases, `${place}.phases`),
    spectra: readSpectra(reader, json.spectra, `${place}.spectra`),
    command: reader.text(json.command, `${place}.command`),
    again: reader.text(json.again, `${place}.again`),
  };
}

function least(column: Column): number | null {
  let found: number | null = null;
  for (const value of column)
    if (value !== null && (found === null || value < found)) found = value;
  return found;
}

function readSource(reader: Reader, value: unknown, index: number): Source {
  const place = `sources[${index}]`;
  const json = reader.object(value, place);
  const name = reader.text(json.name, `${place}.name`, `folder ${index + 1}`);
  return {
    name,
    title: reader.text(json.title, `${place}.title`) || name,
    kind: json.kind === 'scan' ? 'scan' : 'run',
    path: reader.text(json.path, `${place}.path`),
  };
}

function readSkipped(reader: Reader, value: unknown): Skipped[] {
  return reader.list(value, 'skipped').map((entry, i) => {
    const json = reader.object(entry, `skipped[${i}]`);
    return {
      path: reader.text(json.path, `skipped[${i}].path`),
      reason: reader.text(json.reason, `skipped[${i}].reason`),
    };
  });
}

/** Runs with ids of their own: a second one of the same id is told apart. */
function readRuns(reader: Reader, value: unknown, bases: readonly Base[], sources: number): Run[] {
  const runs: Run[] = [];
  const seen = new Set<string>();
  reader.list(value, 'runs').forEach((entry, i) => {
    const run = readRun(reader, entry, i, bases, sources);
    if (!run) return;
    if (seen.has(run.id)) {
      reader.complain(`runs[${i}].id`, 'an id of its own', run.id);
      runs.push({ ...run, id: `${run.id} (${i + 1})` });
    } else {
      seen.add(run.id);
      runs.push(run);
    }
  });
  return runs;
}

function readDefaults(reader: Reader, value: unknown): { [optimizer: string]: Settings } {
  const defaults: { [optimizer: string]: Settings } = Object.create(null);
  if (value === undefined) return defaults;
  for (const [name, entry] of Object.entries(reader.object(value, 'defaults'))) {
    defaults[name] = reader.settings(entry, `defaults.${name}`);
  }
  return defaults;
}

/** A whole document. */
export function readReport(value: unknown): Report {
  const reader = new Reader();
  if (!isObject(value)) reader.complain('document', 'an object', value);
  const json = isObject(value) ? value : {};
  if (isObject(value) && json.format !== 'sven-report-1')
    reader.complain('format', 'sven-report-1', json.format);
  const bases = reader
    .list(json.bases, 'bases')
    .map((base, i) => readBase(reader, base, `bases[${i}]`));
  const sources = reader
    .list(json.sources, 'sources')
    .map((source, i) => readSource(reader, source, i));
  if (sources.length === 0) sources.push({ name: 'runs', title: 'Runs', kind: 'run', path: '' });
  return {
    version: reader.text(json.version, 'version'),
    title: reader.text(json.title, 'title'),
    generated: reader.text(json.generated, 'generated'),
    session: reader.text(json.session, 'session'),
    revision: reader.number(json.revision, 'revision') ?? 0,
    sources,
    bases,
    runs: readRuns(reader, json.runs, bases, sources.length),
    reproduction: readReproduction(reader, json.reproduction),
    skipped: readSkipped(reader, json.skipped),
    defaults: readDefaults(reader, json.defaults),
    problems: reader.allProblems(),
  };
}

/**
 * What a server tells after a change: each top-level field replaces the one
 * before, but runs replace those of the same id or are added, and `removed`
 * names runs that are gone.
 */
export function readChanges(before: Report, value: unknown): Report {
  const reader = new Reader();
  const json = reader.object(value, 'changes');
  const bases =
    json.bases === undefined
      ? before.bases
      : reader.list(json.bases, 'bases').map((base, i) => readBase(reader, base, `bases[${i}]`));
  const sources =
    json.sources === undefined
      ? before.sources
      : reader.list(json.sources, 'sources').map((source, i) => readSource(reader, source, i));
  const runs = new Map(before.runs.map((run) => [run.id, run]));
  for (const id of reader.list(json.removed, 'removed')) runs.delete(String(id));
  for (const run of readRuns(reader, json.runs, bases, sources.length)) runs.set(run.id, run);
  return {
    version: reader.text(json.version, 'version', before.version),
    title: reader.text(json.title, 'title', before.title),
    generated: reader.text(json.generated, 'generated', before.generated),
    defaults: json.defaults === undefined ? before.defaults : readDefaults(reader, json.defaults),
    session: reader.text(json.session, 'session', before.session),
    revision: reader.number(json.revision, 'revision') ?? before.revision,
    sources,
    bases,
    runs: [...runs.values()],
    reproduction:
      json.reproduction === undefined
        ? before.reproduction
        : readReproduction(reader, json.reproduction),
    skipped: json.skipped === undefined ? before.skipped : readSkipped(reader, json.skipped),
    problems: [...new Set([...before.problems, ...reader.allProblems()])].slice(-MOST_PROBLEMS),
  };
}
