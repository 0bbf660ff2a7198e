// SPDX-License-Identifier: MIT
// Points of a scan as cells and dots: what the section Hyper-parameters shows.
import type { Rows } from '../charts/export';
import type { Cell } from '../charts/heat_map';
import type { Setting } from '../data';
import { number, plural, settingText } from '../format';
import { type Model, type Point, type Task, variedSettings } from '../model';
import { median } from '../stats';
import { viridis } from '../theme';
import { linkTo } from './links';

/** Points of one folder, task and optimizer. */
export interface Family {
  readonly task: Task;
  readonly optimizer: string;
  readonly source: string;
  readonly points: Point[];
}

export function familiesOf(task: Task): Family[] {
  const families = new Map<string, Family>();
  for (const point of task.points) {
    const key = `${point.source.name}\u0000${point.optimizer}`;
    const family = families.get(key) ?? {
      task,
      optimizer: point.optimizer,
      source: point.source.name,
      points: [],
    };
    family.points.push(point);
    families.set(key, family);
  }
  return [...families.values()].filter(
    (family) => family.points.length >= 3 && variedSettings(family.points).length > 0,
  );
}

export function hasHyper(model: Model): boolean {
  return model.tasks.some((task) => familiesOf(task).length > 0);
}

export const PREFERRED = {
  x: ['k', 'max_iter', 'history_size'],
  y: ['lr'],
  facet: ['rtol', 'kappa'],
};
export const MEASURES = [
  { value: 'final', label: 'final validation loss' },
  { value: 'best', label: 'best validation loss' },
  { value: 'train', label: 'final training loss' },
];

export function measured(point: Point, measure: string): number | null {
  const value =
    measure === 'final'
      ? point.final.median
      : measure === 'best'
        ? point.best.median
        : median(
            point.runs.map((run) => (run.status === 'diverged' ? null : run.final_train_loss)),
          );
  return value !== null && Number.isFinite(value) ? value : null;
}

export function firstOf(
  preferred: readonly string[],
  names: readonly string[],
  taken: readonly string[],
): string {
  const free = names.filter((name) => !taken.includes(name));
  return preferred.find((name) => free.includes(name)) ?? free[0] ?? '';
}

export const valueText = (point: Point, name: string) => settingText(point.settings.get(name));

/** The best point of each cell, if other settings vary as well. */
export function cellsOf(points: readonly Point[], x: string, y: string, measure: string): Cell[] {
  const best = new Map<string, Point>();
  for (const point of points) {
    if (!point.settings.has(x) || !point.settings.has(y)) continue;
    const key = `${valueText(point, x)} ${valueText(point, y)}`;
    const before = best.get(key);
    if (!before || (measured(point, measure) ?? Infinity) < (measured(before, measure) ?? Infinity))
      best.set(key, point);
  }
  return [...best.values()].map((point) => {
    const value = measured(point, measure);
    const fate = point.diverged
      ? `, ${point.diverged} of ${plural(point.runs.length, 'run')} diverged`
      : '';
    return {
      x: valueText(point, x),
      y: valueText(point, y),
      settings: point.settings,
      value,
      diverged: point.diverged,
      runs: point.runs.length,
      href: linkTo(point),
      label: `${point.label}: ${value === null ? 'no finite loss' : number(value)}${fate}`,
    };
  });
}

/** Grids over several settings go before those over one; Sven's before others. */
export function weight(family: Family): number {
  return (
    Math.min(variedSettings(family.points).length, 3) * 10_000 +
    (family.optimizer === 'sven' ? 5000 : 0) +
    family.points.length
  );
}

function plain(settings: ReadonlyMap<string, Setting>, name: string): string | number | null {
  const value = settings.get(name);
  return typeof value === 'boolean' ? String(value) : (value ?? null);
}

export function cellRows(
  panels: readonly { cells: readonly Cell[] }[],
  names: readonly string[],
  measure: string,
): Rows {
  return {
    header: [...names, measure, 'diverged', 'runs'],
    rows: panels.flatMap((panel) =>
      panel.cells.map((cell) => [
        ...names.map((name) => plain(cell.settings, name)),
        cell.value,
        cell.diverged,
        cell.runs,
      ]),
    ),
  };
}

export function marginalRows(
  points: readonly Point[],
  names: readonly string[],
  measure: string,
  label: string,
): Rows {
  return {
    header: [...names, label, 'diverged', 'runs'],
    rows: points.map((p) => [
      ...names.map((name) => plain(p.settings, name)),
      measured(p, measure),
      p.diverged,
      p.runs.length,
    ]),
  };
}

/** From losses to colours, on a logarithmic scale. */
export interface LossScale {
  readonly low: number;
  readonly high: number;
  readonly colour: (loss: number) => string;
}

export function lossScale(points: readonly Point[], measure: string): LossScale {
  const values = points.map((p) => measured(p, measure)).filter((v) => v !== null && v > 0);
  const low = Math.min(...(values as number[]));
  // Losses beyond the start are all alike bad; they get the last colour.
  const starts = points.flatMap((p) => p.runs.map((run) => run.initial_val_loss));
  const start = median(starts.filter((v) => v !== null));
  const high = Math.min(Math.max(...(values as number[])), start ? 2 * start : Infinity);
  const width = Math.log(high / low);
  const share = (loss: number) => Math.min(Math.max(Math.log(loss / low) / width, 0), 1);
  return { low, high, colour: (loss) => viridis(loss > 0 && width > 0 ? 1 - share(loss) : 1) };
}
