// SPDX-License-Identifier: MIT
// The paper's figures from the results of a reproduction, panel by panel in the
// paper's arrangement.
import type { LegendEntry } from './charts/legend';
import type { Series } from './charts/line_chart';
import type { Band, Column, Experiment, ResultPoint } from './data';
import { short } from './format';
import { median } from './stats';
import { namedColour, optimizerInk, ramp, type Theme } from './theme';

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

const ORDER = ['sven', 'adam', 'rmsprop', 'sgd', 'polyak', 'lbfgs'];
const TASKS = ['toy1d', 'polynomial-additive', 'polynomial', 'mnist'];
const TITLES: { readonly [task: string]: string } = {
  toy1d: '1-D regression', 'polynomial-additive': 'Polynomial, as published', polynomial: 'Polynomial, as printed', mnist: 'MNIST, label regression',
};

type Results = ReadonlyMap<string, Experiment>;

const middle = (band: Band): Column => band.median ?? band.mean;
const loss = (point: ResultPoint): number => median(point.val_loss) ?? Infinity;
const value = (point: ResultPoint, name: string): number => Number(point.settings[name] ?? NaN);
const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);

function best(points: readonly ResultPoint[]): ResultPoint | null {
  const finite = points.filter((p) => Number.isFinite(loss(p)) && p.validation);
  return finite.length > 0 ? finite.reduce((a, b) => (loss(b) < loss(a) ? b : a)) : null;
}

function ofOptimizer(experiment: Experiment | undefined, name: string): ResultPoint[] {
  return experiment?.points.filter((p) => p.optimizer === name) ?? [];
}

function distinct(points: readonly ResultPoint[], name: string): number[] {
  return [...new Set(points.map((p) => value(p, name)).filter((v) => !Number.isNaN(v)))].sort((a, b) => a - b);
}

function panel(title: string, experiment: string, series: readonly Series[], more: Partial<PaperPanel> = {}): PaperPanel {
  return { title, experiment, series, x: 'epoch', y: 'validation loss', logX: false, cap: Infinity, ...more };
}

function optimizerLine(point: ResultPoint, y: Column, x: Column, theme: Theme): Series {
  const settings = Object.entries(point.settings).map(([k, v]) => `${k} ${v}`).join(' · ');
  const { optimizer } = point;
  return {
    key: optimizer, entry: optimizer, label: settings ? `${optimizer} · ${settings}` : optimizer, x, y,
    width: optimizer === 'sven' ? 2.4 : 1.5, ...optimizerInk(optimizer, theme),
  };
}

function optimizerLegend(panels: readonly PaperPanel[], theme: Theme): LegendEntry[] {
  const names = [...new Set(panels.flatMap((p) => p.series.map((s) => s.entry)))];
  return names.sort((a, b) => order(a) - order(b)).map((name) => ({ key: name, label: name, ...optimizerInk(name, theme) }));
}

function order(name: string): number {
  const at = ORDER.indexOf(name);
  return at < 0 ? ORDER.length : at;
}

/** Validation loss of the best points by epoch and by time. */
function figure1(results: Results, theme: Theme): PaperFigure {
  const byEpoch: PaperPanel[] = [];
  const byTime: PaperPanel[] = [];
  for (const task of TASKS) {
    const experiment = results.get(`seeds-${task}`) ?? results.get(task);
    if (!experiment) continue;
    const optimizers = [...new Set(experiment.points.map((p) => p.optimizer))].sort((a, b) => order(a) - order(b));
    const points = optimizers.map((name) => best(ofOptimizer(experiment, name))).filter((p) => p !== null);
    const curves = points.map((p) => ({ point: p, y: middle(p.validation!) }));
    byEpoch.push(panel(TITLES[task]!, experiment.name, curves.map(({ point, y }) => optimizerLine(point, y, numbers(y.length), theme))));
    byTime.push(panel(TITLES[task]!, experiment.name, curves.map(({ point, y }) => optimizerLine(point, y, point.seconds, theme)),
      { x: 'seconds of training', logX: true }));
  }
  return {
    number: 1, title: 'Validation loss by epoch and by time',
    note: 'Best points of the scans, median of ten seeds. Above against epochs, below against time of training.',
    rows: byEpoch.length ? [{ legend: optimizerLegend(byEpoch, theme), panels: byEpoch }, { legend: [], panels: byTime }] : [],
  };
}

/** The point with the largest k and the smallest rtol of those with spectra. */
function wholeSpectrum(experiment: Experiment | undefined): ResultPoint | null {
  const points = ofOptimizer(experiment, 'sven').filter((p) => p.spectra?.length);
  const widest = Math.max(...points.map((p) => value(p, 'k')));
  return points.filter((p) => value(p, 'k') === widest).sort((a, b) => value(a, 'rtol') - value(b, 'rtol'))[0] ?? null;
}

interface Spectral {
  readonly name: string;
  readonly colour: string;
  readonly point: ResultPoint;
}

function spectraSeries(all: readonly Spectral[], chosen?: readonly number[]): Series[] {
  return all.flatMap(({ name, colour, point }) => {
    const epochs = chosen?.filter((e) => e <= point.spectra!.length) ?? numbers(point.spectra!.length);
    return epochs.map((epoch, n): Series => {
      const values = point.spectra![epoch - 1]!;
      return {
        key: `${name} ${epoch}`, entry: name, label: `${name}, epoch ${epoch}`, colour, width: 1.2,
        opacity: 0.25 + (0.75 * n) / Math.max(epochs.length - 1, 1), x: numbers(values.length), y: values,
      };
    });
  });
}

/** Curves of the best learning rate for each value of a setting. */
function bestByValue(points: readonly ResultPoint[], name: string, values: readonly number[], theme: Theme): Series[] {
  return values.flatMap((v, i) => {
    const point = best(points.filter((p) => value(p, name) === v));
    if (!point) return [];
    const y = middle(point.validation!);
    return [{ key: `${name} ${v}`, entry: `${name} ${v}`, label: `${name} ${short(v)} · lr ${point.settings.lr ?? '–'}`, colour: ramp(i, values.length, theme), x: numbers(y.length), y }];
  });
}

function valueLegend(name: string, values: readonly number[], theme: Theme): LegendEntry[] {
  return values.map((v, i) => ({ key: `${name} ${v}`, label: `${name} ${short(v)}`, colour: ramp(i, values.length, theme) }));
}

/** The effect of k and of rtol, and the spectra. */
function figure2(results: Results, theme: Theme): PaperFigure {
  const tasks = ['toy1d', 'polynomial-additive', 'mnist'].filter((task) => results.has(task));
  // Over ten seeds where there are so many.
  const pointsOf = (task: string) => ofOptimizer(results.get(`sweep-${task}`) ?? results.get(task), 'sven');
  const nameOf = (task: string) => (results.has(`sweep-${task}`) ? `sweep-${task}` : task);
  const ks = distinct(tasks.flatMap(pointsOf).filter((p) => value(p, 'rtol') === 1e-3), 'k');
  const top = tasks.map((task) => panel(`${TITLES[task]}: k`, nameOf(task),
    bestByValue(pointsOf(task).filter((p) => value(p, 'rtol') === 1e-3), 'k', ks, theme)));
  const atB = (task: string) => pointsOf(task).filter((p) => value(p, 'k') === results.get(task)!.batch_size);
  const cuts = distinct(tasks.slice(0, 2).flatMap(atB), 'rtol');
  // Not those of optimizers.
  const colours = ['violet', 'amber', 'ink'];
  const spectral = tasks.flatMap((task, i): Spectral[] => {
    const point = wholeSpectrum(results.get(task));
    const name = task === 'toy1d' ? '1-D' : task === 'mnist' ? 'MNIST' : 'polynomial';
    return point ? [{ name, colour: namedColour(colours[i]!, theme), point }] : [];
  });
  const bottom = tasks.slice(0, 2).map((task) => panel(`${TITLES[task]}: rtol, k = B`, nameOf(task), bestByValue(atB(task), 'rtol', cuts, theme)));
  const spectra = panel('Spectra, every epoch', 'toy1d', spectraSeries(spectral), { x: 'index i', y: 'sᵢ / s₁' });
  return {
    number: 2, title: 'The effect of k and of rtol, and the spectra',
    note: 'Above: k at rtol 10⁻³. Below: spectra of three tasks (k = B, smallest rtol), later epochs stronger, and rtol at k = B. Each curve at its best learning rate, median of ten seeds, one for MNIST.',
    rows: top.length === 0 ? [] : [
      { legend: valueLegend('k', ks, theme), panels: top },
      { legend: [...spectral.map(({ name, colour }) => ({ key: name, label: name, colour })), ...valueLegend('rtol', cuts, theme)],
        panels: [...(spectral.length ? [spectra] : []), ...bottom] },
    ],
  };
}

function sweep(results: Results, name: string, key: string, symbol: string, title: string, values: readonly number[], theme: Theme): PaperPanel {
  const experiment = results.get(name)!;
  const series = [...experiment.points].sort((a, b) => value(a, key) - value(b, key)).flatMap((point): Series[] => {
    const band = point.validation;
    if (!band?.deviation) return [];
    const v = value(point, key);
    const edge = (sign: number) => band.mean.map((m, i) => (m === null ? null : m + sign * (band.deviation![i] ?? 0)));
    return [{
      key: `${symbol} ${v}`, entry: `${symbol} ${v}`, label: `${symbol} ${short(v)}`, colour: ramp(values.indexOf(v), values.length, theme),
      x: numbers(band.mean.length), y: band.mean, low: edge(-1), high: edge(1),
    }];
  });
  // Some seeds run off; what lies above the start is not of interest.
  return panel(title, name, series, { cap: experiment.initial_loss ? 3 * experiment.initial_loss : Infinity });
}

/** Micro-batches and parameter batches: mean and deviation over ten seeds. */
function figure3(results: Results, theme: Theme): PaperFigure {
  const rows = [['microbatch', 'size'], ['fraction', 'f']].flatMap(([key, symbol]): PaperRow[] => {
    const tasks = TASKS.filter((task) => results.has(`${key}-${task}`));
    const values = distinct(tasks.flatMap((task) => results.get(`${key}-${task}`)!.points), key!);
    const panels = tasks.map((task) => sweep(results, `${key}-${task}`, key!, symbol!, `${TITLES[task]}: ${symbol}`, values, theme));
    return panels.length ? [{ legend: valueLegend(symbol!, values, theme), panels }] : [];
  });
  return {
    number: 3, title: 'Micro-batches and parameter batches', rows,
    note: 'Above: losses summed into conditions of a size. Below: a random fraction f of the parameters moves in each step. Mean and one standard deviation of ten seeds; a mean above the upper edge is that of seeds that ran off.',
  };
}

/** Cross-entropy: training and validation loss, and the spectra of both losses. */
function figure4(results: Results, theme: Theme): PaperFigure {
  const experiment = results.get('mnist-ce');
  const rms = best(ofOptimizer(results.get('mnist-ce-rms'), 'sven'));
  const panels = experiment ? (['train', 'validation'] as const).map((key) => {
    const optimizers = [...new Set(experiment.points.map((p) => p.optimizer))].sort((a, b) => order(a) - order(b));
    const series = optimizers.flatMap((name): Series[] => {
      const point = best(ofOptimizer(experiment, name));
      if (!point?.[key]) return [];
      const y = middle(point[key]);
      return [optimizerLine(point, y, numbers(y.length), theme)];
    });
    if (rms?.[key]) {
      const y = middle(rms[key]);
      series.push({ ...optimizerLine(rms, y, numbers(y.length), theme), key: 'sven, RMS', entry: 'sven, RMS', label: 'sven, RMS scaling', dash: '6 3' });
    }
    return panel(key === 'train' ? 'Training loss' : 'Validation loss', 'mnist-ce', series, { y: key === 'train' ? 'training loss' : 'validation loss' });
  }) : [];
  const spectral = [['mnist', 'label regression', 'ink'], ['mnist-ce', 'cross-entropy', 'amber']].flatMap(([name, title, colour]): Spectral[] => {
    const point = wholeSpectrum(results.get(name!));
    return point ? [{ name: title!, colour: namedColour(colour!, theme), point }] : [];
  });
  const legend = panels.length === 0 ? [] : [
    ...optimizerLegend(panels, theme).map((e) => (e.key === 'sven, RMS' ? { ...e, ...optimizerInk('sven', theme), dash: '6 3' } : e)),
    ...spectral.map(({ name, colour }) => ({ key: name, label: name, colour }))];
  const spectra = panel('Spectra, epochs 1, 2, 5, 20', 'mnist-ce', spectraSeries(spectral, [1, 2, 5, 20]), { x: 'index i', y: 'sᵢ / s₁' });
  return {
    number: 4, title: 'MNIST with cross-entropy',
    note: 'Best points of the scans by optimizer; spectra beside those of label regression, later epochs stronger.',
    rows: panels.length ? [{ legend, panels: [...panels, ...(spectral.length ? [spectra] : [])] }] : [],
  };
}

export function paperFigures(experiments: readonly Experiment[], theme: Theme): PaperFigure[] {
  const results = new Map(experiments.map((experiment) => [experiment.name, experiment]));
  return [figure1, figure2, figure3, figure4].map((make) => make(results, theme)).filter((figure) => figure.rows.length > 0);
}
