// SPDX-License-Identifier: MIT
// What the paper's figures are put together from: points of results.json chosen
// by settings, and their lines.
import type { LegendEntry } from './charts/legend';
import type { Series } from './charts/line_chart';
import type { Band, Column, Experiment, ResultPoint } from './data';
import { short } from './format';
import { median } from './stats';
import { optimizerInk, ramp, type Theme } from './theme';

export interface PaperPanel {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly logX: boolean;
  readonly cap: number;
  readonly series: readonly Series[];
  /** The experiment it shows, for links to its runs. */
  readonly experiment: string;
}

export interface PaperRow {
  readonly legend: readonly LegendEntry[];
  readonly panels: readonly PaperPanel[];
}

export interface PaperFigure {
  readonly number: number;
  readonly title: string;
  readonly note: string;
  readonly rows: readonly PaperRow[];
}

export const ORDER = ['sven', 'adam', 'rmsprop', 'sgd', 'polyak', 'lbfgs'];
export const TASKS = ['toy1d', 'polynomial-additive', 'polynomial', 'mnist'];
export const TITLES: { readonly [task: string]: string } = {
  toy1d: '1-D regression',
  'polynomial-additive': 'Polynomial, as published',
  polynomial: 'Polynomial, as printed',
  mnist: 'MNIST, label regression',
};

export type Results = ReadonlyMap<string, Experiment>;

export const middle = (band: Band): Column => band.median ?? band.mean;
export const loss = (point: ResultPoint): number => median(point.val_loss) ?? Infinity;
export const value = (point: ResultPoint, name: string): number =>
  Number(point.settings[name] ?? NaN);
export const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

export function best(points: readonly ResultPoint[]): ResultPoint | null {
  const finite = points.filter((p) => Number.isFinite(loss(p)) && p.validation);
  return finite.length > 0 ? finite.reduce((a, b) => (loss(b) < loss(a) ? b : a)) : null;
}

export function ofOptimizer(experiment: Experiment | undefined, name: string): ResultPoint[] {
  return experiment?.points.filter((p) => p.optimizer === name) ?? [];
}

export function distinct(points: readonly ResultPoint[], name: string): number[] {
  return [...new Set(points.map((p) => value(p, name)).filter((v) => !Number.isNaN(v)))].sort(
    (a, b) => a - b,
  );
}

export function panel(
  title: string,
  experiment: string,
  series: readonly Series[],
  more: Partial<PaperPanel> = {},
): PaperPanel {
  return {
    title,
    experiment,
    series,
    x: 'epoch',
    y: 'validation loss',
    logX: false,
    cap: Infinity,
    ...more,
  };
}

export function optimizerLine(point: ResultPoint, y: Column, x: Column, theme: Theme): Series {
  const settings = Object.entries(point.settings)
    .map(([k, v]) => `${k} ${v}`)
    .join(' · ');
  const { optimizer } = point;
  return {
    key: optimizer,
    entry: optimizer,
    label: settings ? `${optimizer} · ${settings}` : optimizer,
    x,
    y,
    width: optimizer === 'sven' ? 2.4 : 1.5,
    ...optimizerInk(optimizer, theme),
  };
}

export function optimizerLegend(panels: readonly PaperPanel[], theme: Theme): LegendEntry[] {
  const names = [...new Set(panels.flatMap((p) => p.series.map((s) => s.entry)))];
  return names
    .sort((a, b) => order(a) - order(b))
    .map((name) => ({ key: name, label: name, ...optimizerInk(name, theme) }));
}

export function order(name: string): number {
  const at = ORDER.indexOf(name);
  return at < 0 ? ORDER.length : at;
}

/** The point with the largest k and the smallest rtol of those with spectra. */
export function wholeSpectrum(experiment: Experiment | undefined): ResultPoint | null {
  const points = ofOptimizer(experiment, 'sven').filter((p) => p.spectra?.length);
  const widest = Math.max(...points.map((p) => value(p, 'k')));
  return (
    points
      .filter((p) => value(p, 'k') === widest)
      .sort((a, b) => value(a, 'rtol') - value(b, 'rtol'))[0] ?? null
  );
}

export interface Spectral {
  readonly name: string;
  readonly colour: string;
  readonly point: ResultPoint;
}

export function spectraSeries(all: readonly Spectral[], chosen?: readonly number[]): Series[] {
  return all.flatMap(({ name, colour, point }) => {
    const epochs =
      chosen?.filter((e) => e <= point.spectra!.length) ?? numbers(point.spectra!.length);
    return epochs.map((epoch, n): Series => {
      const values = point.spectra![epoch - 1]!;
      return {
        key: `${name} ${epoch}`,
        entry: name,
        label: `${name}, epoch ${epoch}`,
        colour,
        width: 1.2,
        opacity: 0.25 + (0.75 * n) / Math.max(epochs.length - 1, 1),
        x: numbers(values.length),
        y: values,
      };
    });
  });
}

/** Curves of the best learning rate for each value of a setting. */
export function bestByValue(
  points: readonly ResultPoint[],
  name: string,
  values: readonly number[],
  theme: Theme,
): Series[] {
  return values.flatMap((v, i) => {
    const point = best(points.filter((p) => value(p, name) === v));
    if (!point) return [];
    const y = middle(point.validation!);
    return [
      {
        key: `${name} ${v}`,
        entry: `${name} ${v}`,
        label: `${name} ${short(v)} · lr ${point.settings.lr ?? '–'}`,
        colour: ramp(i, values.length, theme),
        x: numbers(y.length),
        y,
      },
    ];
  });
}

export function valueLegend(name: string, values: readonly number[], theme: Theme): LegendEntry[] {
  return values.map((v, i) => ({
    key: `${name} ${v}`,
    label: `${name} ${short(v)}`,
    colour: ramp(i, values.length, theme),
  }));
}
