// SPDX-License-Identifier: MIT
// Runs in order: by task, and into points. A point is all runs with the same
// settings but for seeds; statistics are over the runs of a point.
import type { Report, Run, Setting, Source } from './data';
import { setting } from './data';
import { settingText } from './format';
import { quartiles, type Quartiles } from './stats';

/** What may differ within a point. */
export const SEEDS = ['seed', 'shuffle_seed', 'data_seed', 'split_seed'];

/** Settings by which data differ, so that losses cannot be compared. */
const DATA_SETTINGS = [
  'loss',
  'huber_delta',
  'dimension',
  'degree',
  'noise',
  'digits',
  'train_size',
  'val_size',
  'data',
  'target_file',
  'val_data',
  'val_target_file',
  'inputs',
  'target',
  'target_kind',
  'classes',
  'validation',
  'standardise',
  'task_standardise',
];

/** Where the runs of a point are from if they are not all from one folder. */
const SEVERAL: Source = { name: 'several folders', title: '', kind: 'run', path: '' };

/** Named in labels even if nothing else was tried. */
const CORE: { readonly [optimizer: string]: readonly string[] } = {
  sven: ['k', 'lr', 'rtol'],
  lbfgs: ['history_size', 'lr', 'max_iter'],
  polyak: [],
};

const TASK_TITLES: { readonly [task: string]: string } = {
  toy1d: '1-D regression',
  polynomial: 'Polynomial, as printed',
  'polynomial-additive': 'Polynomial, as published',
  mnist: 'MNIST',
  'fashion-mnist': 'Fashion-MNIST',
};
const LOSS_TITLES: { readonly [loss: string]: string } = {
  label_regression: 'label regression',
  ce: 'cross-entropy',
  mse: 'squared error',
  huber: 'Huber loss',
};

export interface Task {
  readonly key: string;
  readonly title: string;
  readonly points: Point[];
}

export interface Point {
  readonly key: string;
  readonly task: string;
  readonly source: Source;
  readonly optimizer: string;
  readonly runs: Run[];
  /** Names of settings that tell it from its neighbours, and their values. */
  readonly settings: ReadonlyMap<string, Setting>;
  readonly label: string;
  readonly final: Quartiles;
  readonly best: Quartiles;
  readonly diverged: number;
  /** Its runs had other data or other orders of them, not only other weights. */
  readonly otherData: boolean;
}

export interface Model {
  readonly report: Report;
  readonly tasks: readonly Task[];
  readonly points: readonly Point[];
  readonly runs: ReadonlyMap<string, Run>;
  readonly pointOf: ReadonlyMap<string, Point>;
}

export function optimizerOf(run: Run): string {
  return String(setting(run, 'optimizer') ?? 'unknown');
}

function isSaid(value: Setting | undefined): value is Setting {
  return value !== undefined && value !== 'none' && value !== '' && value !== 'default';
}

function dataName(run: Run): string {
  const task = setting(run, 'task');
  if (isSaid(task)) return String(task);
  const file = setting(run, 'data');
  return isSaid(file) ? String(file).split('/').pop()! : 'unknown';
}

/** "none" whichever way it is not said. */
function dataSetting(run: Run, name: string): Setting {
  const value = setting(run, name);
  const counts = name !== 'huber_delta' || setting(run, 'loss') === 'huber';
  return counts && isSaid(value) ? value : 'none';
}

/** Runs whose losses can be compared; the key is the name unless data differ. */
function findTasks(runs: readonly Run[]): Map<Run, { key: string; title: string }> {
  const variants = new Map<string, Map<string, Setting>[]>();
  const ofRun = new Map<Run, { name: string; variant: number }>();
  const known = new Map<string, { name: string; variant: number }>();
  for (const run of runs) {
    const name = dataName(run);
    const values = DATA_SETTINGS.map((s) => dataSetting(run, s));
    const full = [name, ...values].join('\u0000');
    let found = known.get(full);
    if (!found) {
      const list = variants.get(name) ?? [];
      variants.set(name, list);
      list.push(new Map(DATA_SETTINGS.map((s, i) => [s, values[i]])));
      found = { name, variant: list.length - 1 };
      known.set(full, found);
    }
    ofRun.set(run, found);
  }
  const result = new Map<Run, { key: string; title: string }>();
  const named = new Map<object, { key: string; title: string }>();
  for (const [run, found] of ofRun) {
    let name = named.get(found);
    if (!name)
      named.set(found, (name = nameTask(found.name, found.variant, variants.get(found.name)!)));
    result.set(run, name);
  }
  return result;
}

function nameTask(name: string, variant: number, all: Map<string, Setting>[]) {
  const differing = DATA_SETTINGS.filter((s) => new Set(all.map((v) => v.get(s))).size > 1);
  const key = [name, ...differing.map((s) => settingText(all[variant]!.get(s)))].join(' ');
  const words = differing.map((s) => {
    const value = all[variant]!.get(s);
    return s === 'loss'
      ? (LOSS_TITLES[String(value)] ?? String(value))
      : `${s} ${settingText(value)}`;
  });
  return { key, title: [TASK_TITLES[name] ?? name, ...words].join(', ') };
}

/** Settings with more than one value among the runs, seeds aside, in order. */
function varying(runs: readonly Run[]): string[] {
  const candidates = new Set<string>();
  const bases = new Set(runs.map((run) => run.base));
  for (const run of runs) for (const name of Object.keys(run.own)) candidates.add(name);
  if (bases.size > 1)
    for (const base of bases) for (const name of Object.keys(base.settings)) candidates.add(name);
  for (const seed of SEEDS) candidates.delete(seed);
  return [...candidates]
    .filter((name) => {
      const first = setting(runs[0]!, name);
      return runs.some((run) => setting(run, name) !== first);
    })
    .sort();
}

function groupBy<T>(items: Iterable<T>, key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = groups.get(k);
    if (group) group.push(item);
    else groups.set(k, [item]);
  }
  return groups;
}

export function isDiverged(run: Run): boolean {
  return (
    run.status === 'diverged' ||
    (run.final_val_loss === null && run.status !== 'running' && run.epochs.epoch.length > 0)
  );
}

/** It has no loss yet, which is not the same as none. */
function isBeforeFirstEpoch(run: Run): boolean {
  return (
    run.epochs.epoch.length === 0 && (run.status === 'running' || run.status === 'interrupted')
  );
}

function makePoint(
  runs: Run[],
  task: string,
  source: Source,
  names: readonly string[],
  key: string,
): Point {
  const optimizer = optimizerOf(runs[0]!);
  const settings = new Map<string, Setting>();
  for (const name of new Set([...(CORE[optimizer] ?? ['lr']), ...names])) {
    const value = setting(runs[0]!, name);
    if (isSaid(value)) settings.set(name, value);
  }
  // A run that ran off has no final loss worth ranking.
  const begun = runs.filter((run) => !isBeforeFirstEpoch(run));
  const counted = begun.length > 0 ? begun : runs;
  const finals = counted.map((run) => (isDiverged(run) ? null : run.final_val_loss));
  const bests = counted.map((run) => run.best_val_loss);
  return {
    key,
    task,
    source,
    optimizer,
    runs,
    settings,
    label: [...settings].map(([name, value]) => `${name} ${settingText(value)}`).join(' · '),
    final: quartiles(finals)!,
    best: quartiles(bests)!,
    diverged: runs.filter(isDiverged).length,
    otherData: SEEDS.slice(1).some((seed) =>
      runs.some((run) => setting(run, seed) !== setting(runs[0]!, seed)),
    ),
  };
}

export function makeModel(report: Report): Model {
  const taskOf = findTasks(report.runs);
  // Seeds are often folders of their own. A scan has its runs together, and two
  // of them stay apart.
  const place = (run: Run) => (report.sources[run.source]?.kind === 'scan' ? run.source : 'runs');
  const families = groupBy(
    report.runs,
    (run) => `${taskOf.get(run)!.key}\u0000${place(run)}\u0000${optimizerOf(run)}`,
  );
  const tasks = new Map<string, Task>();
  const points: Point[] = [];
  const pointOf = new Map<string, Point>();
  for (const family of families.values()) {
    const names = varying(family);
    const { key, title } = taskOf.get(family[0]!)!;
    let task = tasks.get(key);
    if (!task) tasks.set(key, (task = { key, title, points: [] }));
    for (const runs of groupBy(family, (run) =>
      names.map((n) => String(setting(run, n))).join('\u0000'),
    ).values()) {
      const source =
        new Set(runs.map((run) => run.source)).size > 1
          ? SEVERAL
          : report.sources[runs[0]!.source]!;
      // The first run names the point, in links too.
      const point = makePoint(runs, key, source, names, runs[0]!.id);
      task.points.push(point);
      points.push(point);
      for (const run of runs) pointOf.set(run.id, point);
    }
  }
  const order = (task: Task) => {
    const at = Object.keys(TASK_TITLES).findIndex(
      (name) => task.key === name || task.key.startsWith(`${name} `),
    );
    return at < 0 ? 99 : at;
  };
  return {
    report,
    tasks: [...tasks.values()].sort(
      (a, b) => order(a) - order(b) || a.title.localeCompare(b.title),
    ),
    points,
    runs: new Map(report.runs.map((run) => [run.id, run])),
    pointOf,
  };
}

/** Points in order of their final loss, those without one last. */
export function byFinalLoss(points: readonly Point[]): Point[] {
  return [...points].sort((a, b) => compareLoss(a.final.median, b.final.median));
}

export function compareLoss(a: number, b: number): number {
  return a === b ? 0 : a - b;
}

/**
 * The best point of each optimizer. One seed says little, so only points with
 * at least half as many runs as the largest one of the optimizer are asked.
 * Those over other data or orders would compare unlike with like: they count
 * only where there are no others.
 */
export function bestPoints(points: readonly Point[]): Point[] {
  const best: Point[] = [];
  for (const all of groupBy(points, (p) => p.optimizer).values()) {
    const same = all.filter((p) => !p.otherData);
    const list = same.length > 0 ? same : all;
    const most = Math.max(...list.map((p) => p.runs.length));
    best.push(byFinalLoss(list.filter((p) => 2 * p.runs.length >= most))[0]!);
  }
  return byFinalLoss(best);
}

/** Values of a setting among the points, numbers in order. */
export function valuesOf(points: readonly Point[], name: string): Setting[] {
  const values = new Set<Setting>();
  for (const point of points) {
    const value = point.settings.get(name);
    if (value !== undefined) values.add(value);
  }
  return [...values].sort((a, b) =>
    typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b)),
  );
}

/** Settings of which the points have more than one value. */
export function variedSettings(points: readonly Point[]): string[] {
  const names = new Set<string>();
  for (const point of points) for (const name of point.settings.keys()) names.add(name);
  return [...names].filter((name) => valuesOf(points, name).length > 1);
}
