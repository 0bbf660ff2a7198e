// SPDX-License-Identifier: MIT
// Curves of points, and their rows for files.
import type { Column, Epochs } from '../data';
import type { Point } from '../model';
import { median, spread } from '../stats';
import type { Rows } from './export';
import type { Series } from './line_chart';

export type Metric = 'val_loss' | 'train_loss' | 'val_accuracy' | 'train_accuracy';
export type Abscissa = 'epoch' | 'step' | 'seconds';

export const METRIC_LABELS: { readonly [metric in Metric]: string } = {
  val_loss: 'validation loss',
  train_loss: 'training loss',
  val_accuracy: 'validation accuracy',
  train_accuracy: 'training accuracy',
};
export const ABSCISSA_LABELS: { readonly [x in Abscissa]: string } = {
  epoch: 'epoch',
  step: 'step',
  seconds: 'seconds of training',
};

export interface PointCurve {
  readonly x: Column;
  readonly y: Column;
  readonly low: Column;
  readonly high: Column;
}

function longest(columns: readonly Column[]): Column {
  return columns.reduce((a, b) => (b.length > a.length ? b : a), [] as Column);
}

/** Median over the seeds, and their deviation on the scale of the axis. */
export function pointCurve(point: Point, metric: Metric, x: Abscissa, log: boolean): PointCurve {
  const columns = point.runs.map((run) => (run.epochs[metric] as Column | null) ?? []);
  const { median: y, low, high } = spread(columns, log);
  const xs = point.runs.map((run) => run.epochs[x] as Epochs['epoch'] | Column);
  const abscissae =
    x === 'seconds'
      ? y.map((_, i) =>
          median(xs.filter((column) => i < column.length).map((column) => column[i]!)),
        )
      : longest(xs);
  return { x: abscissae, y, low, high };
}

export function hasMetric(points: readonly Point[], metric: Metric): boolean {
  return points.some((point) =>
    point.runs.some((run) => run.epochs[metric]?.some((value) => value !== null)),
  );
}

/** One row for each value of each curve. */
export function seriesRows(
  panels: readonly { title: string; x: string; y: string; series: readonly Series[] }[],
): Rows {
  const banded = panels.some((panel) => panel.series.some((s) => s.low));
  const rows = panels.flatMap((panel) =>
    panel.series.flatMap((s) =>
      s.y.map((y, i) => [
        panel.title,
        s.label,
        panel.x,
        s.x[i] ?? null,
        panel.y,
        y,
        ...(banded ? [s.low?.[i] ?? null, s.high?.[i] ?? null] : []),
      ]),
    ),
  );
  return {
    header: ['panel', 'curve', 'x is', 'x', 'y is', 'y', ...(banded ? ['low', 'high'] : [])],
    rows,
  };
}
