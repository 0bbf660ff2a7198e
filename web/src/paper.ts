// SPDX-License-Identifier: MIT
// The paper's figures from the results of a reproduction, panel by panel in the
// paper's arrangement.
import type { Series } from './charts/line_chart';
import type { Experiment } from './data';
import { short } from './format';
import {
  best,
  bestByValue,
  distinct,
  middle,
  numbers,
  ofOptimizer,
  optimizerLegend,
  optimizerLine,
  order,
  panel,
  type PaperFigure,
  type PaperPanel,
  type PaperRow,
  type Results,
  type Spectral,
  spectraSeries,
  TASKS,
  TITLES,
  value,
  valueLegend,
  wholeSpectrum,
} from './paper_parts';
import { namedColour, optimizerInk, ramp, type Theme } from './theme';

/** Validation loss of the best points by epoch and by time. */
function figure1(results: Results, theme: Theme): PaperFigure {
  const byEpoch: PaperPanel[] = [];
  const byTime: PaperPanel[] = [];
  for (const task of TASKS) {
    const experiment = results.get(`seeds-${task}`) ?? results.get(task);
    if (!experiment) continue;
    const optimizers = [...new Set(experiment.points.map((p) => p.optimizer))].sort(
      (a, b) => order(a) - order(b),
    );
    const points = optimizers
      .map((name) => best(ofOptimizer(experiment, name)))
      .filter((p) => p !== null);
    const curves = points.map((p) => ({ point: p, y: middle(p.validation!) }));
    byEpoch.push(
      panel(
        TITLES[task]!,
        experiment.name,
        curves.map(({ point, y }) => optimizerLine(point, y, numbers(y.length), theme)),
      ),
    );
    byTime.push(
      panel(
        TITLES[task]!,
        experiment.name,
        curves.map(({ point, y }) => optimizerLine(point, y, point.seconds, theme)),
        { x: 'seconds of training', logX: true },
      ),
    );
  }
  return {
    number: 1,
    title: 'Validation loss by epoch and by time',
    note: 'Best points of the scans, median of ten seeds. Above against epochs, below against time of training.',
    rows: byEpoch.length
      ? [
          { legend: optimizerLegend(byEpoch, theme), panels: byEpoch },
          { legend: [], panels: byTime },
        ]
      : [],
  };
}

/** The effect of k and of rtol, and the spectra. */
function figure2(results: Results, theme: Theme): PaperFigure {
  const tasks = ['toy1d', 'polynomial-additive', 'mnist'].filter((task) => results.has(task));
  // Over ten seeds where there are so many.
  const pointsOf = (task: string) =>
    ofOptimizer(results.get(`sweep-${task}`) ?? results.get(task), 'sven');
  const nameOf = (task: string) => (results.has(`sweep-${task}`) ? `sweep-${task}` : task);
  const ks = distinct(
    tasks.flatMap(pointsOf).filter((p) => value(p, 'rtol') === 1e-3),
    'k',
  );
  const top = tasks.map((task) =>
    panel(
      `${TITLES[task]}: k`,
      nameOf(task),
      bestByValue(
        pointsOf(task).filter((p) => value(p, 'rtol') === 1e-3),
        'k',
        ks,
        theme,
      ),
    ),
  );
  const atB = (task: string) =>
    pointsOf(task).filter((p) => value(p, 'k') === results.get(task)!.batch_size);
  const cuts = distinct(tasks.slice(0, 2).flatMap(atB), 'rtol');
  // Not those of optimizers.
  const colours = ['violet', 'amber', 'ink'];
  const spectral = tasks.flatMap((task, i): Spectral[] => {
    const point = wholeSpectrum(results.get(task));
    const name = task === 'toy1d' ? '1-D' : task === 'mnist' ? 'MNIST' : 'polynomial';
    return point ? [{ name, colour: namedColour(colours[i]!, theme), point }] : [];
  });
  const bottom = tasks
    .slice(0, 2)
    .map((task) =>
      panel(
        `${TITLES[task]}: rtol, k = B`,
        nameOf(task),
        bestByValue(atB(task), 'rtol', cuts, theme),
      ),
    );
  const spectra = panel('Spectra, every epoch', 'toy1d', spectraSeries(spectral), {
    x: 'index i',
    y: 'sᵢ / s₁',
  });
  return {
    number: 2,
    title: 'The effect of k and of rtol, and the spectra',
    note: 'Above: k at rtol 10⁻³. Below: spectra of three tasks (k = B, smallest rtol), later epochs stronger, and rtol at k = B. Each curve at its best learning rate, median of ten seeds, one for MNIST.',
    rows:
      top.length === 0
        ? []
        : [
            { legend: valueLegend('k', ks, theme), panels: top },
            {
              legend: [
                ...spectral.map(({ name, colour }) => ({ key: name, label: name, colour })),
                ...valueLegend('rtol', cuts, theme),
              ],
              panels: [...(spectral.length ? [spectra] : []), ...bottom],
            },
          ],
  };
}

function sweep(
  results: Results,
  name: string,
  key: string,
  symbol: string,
  title: string,
  values: readonly number[],
  theme: Theme,
): PaperPanel {
  const experiment = results.get(name)!;
  const series = [...experiment.points]
    .sort((a, b) => value(a, key) - value(b, key))
    .flatMap((point): Series[] => {
      const band = point.validation;
      if (!band?.deviation) return [];
      const v = value(point, key);
      const edge = (sign: number) =>
        band.mean.map((m, i) => (m === null ? null : m + sign * (band.deviation![i] ?? 0)));
      return [
        {
          key: `${symbol} ${v}`,
          entry: `${symbol} ${v}`,
          label: `${symbol} ${short(v)}`,
          colour: ramp(values.indexOf(v), values.length, theme),
          x: numbers(band.mean.length),
          y: band.mean,
          low: edge(-1),
          high: edge(1),
        },
      ];
    });
  // Some seeds run off; what lies above the start is not of interest.
  return panel(title, name, series, {
    cap: experiment.initial_loss ? 3 * experiment.initial_loss : Infinity,
  });
}

/** Micro-batches and parameter batches: mean and deviation over ten seeds. */
function figure3(results: Results, theme: Theme): PaperFigure {
  const rows = [
    ['microbatch', 'size'],
    ['fraction', 'f'],
  ].flatMap(([key, symbol]): PaperRow[] => {
    const tasks = TASKS.filter((task) => results.has(`${key}-${task}`));
    const values = distinct(
      tasks.flatMap((task) => results.get(`${key}-${task}`)!.points),
      key!,
    );
    const panels = tasks.map((task) =>
      sweep(results, `${key}-${task}`, key!, symbol!, `${TITLES[task]}: ${symbol}`, values, theme),
    );
    return panels.length ? [{ legend: valueLegend(symbol!, values, theme), panels }] : [];
  });
  return {
    number: 3,
    title: 'Micro-batches and parameter batches',
    rows,
    note: 'Above: losses summed into conditions of a size. Below: a random fraction f of the parameters moves in each step. Mean and one standard deviation of ten seeds; a mean above the upper edge is that of seeds that ran off.',
  };
}

/** Cross-entropy: training and validation loss, and the spectra of both losses. */
function figure4(results: Results, theme: Theme): PaperFigure {
  const experiment = results.get('mnist-ce');
  const rms = best(ofOptimizer(results.get('mnist-ce-rms'), 'sven'));
  const panels = experiment
    ? (['train', 'validation'] as const).map((key) => {
        const optimizers = [...new Set(experiment.points.map((p) => p.optimizer))].sort(
          (a, b) => order(a) - order(b),
        );
        const series = optimizers.flatMap((name): Series[] => {
          const point = best(ofOptimizer(experiment, name));
          if (!point?.[key]) return [];
          const y = middle(point[key]);
          return [optimizerLine(point, y, numbers(y.length), theme)];
        });
        if (rms?.[key]) {
          const y = middle(rms[key]);
          series.push({
            ...optimizerLine(rms, y, numbers(y.length), theme),
            key: 'sven, RMS',
            entry: 'sven, RMS',
            label: 'sven, RMS scaling',
            dash: '6 3',
          });
        }
        return panel(key === 'train' ? 'Training loss' : 'Validation loss', 'mnist-ce', series, {
          y: key === 'train' ? 'training loss' : 'validation loss',
        });
      })
    : [];
  const spectral = [
    ['mnist', 'label regression', 'ink'],
    ['mnist-ce', 'cross-entropy', 'amber'],
  ].flatMap(([name, title, colour]): Spectral[] => {
    const point = wholeSpectrum(results.get(name!));
    return point ? [{ name: title!, colour: namedColour(colour!, theme), point }] : [];
  });
  const legend =
    panels.length === 0
      ? []
      : [
          ...optimizerLegend(panels, theme).map((e) =>
            e.key === 'sven, RMS' ? { ...e, ...optimizerInk('sven', theme), dash: '6 3' } : e,
          ),
          ...spectral.map(({ name, colour }) => ({ key: name, label: name, colour })),
        ];
  const spectra = panel(
    'Spectra, epochs 1, 2, 5, 20',
    'mnist-ce',
    spectraSeries(spectral, [1, 2, 5, 20]),
    { x: 'index i', y: 'sᵢ / s₁' },
  );
  return {
    number: 4,
    title: 'MNIST with cross-entropy',
    note: 'Best points of the scans by optimizer; spectra beside those of label regression, later epochs stronger.',
    rows: panels.length
      ? [{ legend, panels: [...panels, ...(spectral.length ? [spectra] : [])] }]
      : [],
  };
}

export function paperFigures(experiments: readonly Experiment[], theme: Theme): PaperFigure[] {
  const results = new Map(experiments.map((experiment) => [experiment.name, experiment]));
  return [figure1, figure2, figure3, figure4]
    .map((make) => make(results, theme))
    .filter((figure) => figure.rows.length > 0);
}
