// SPDX-License-Identifier: MIT
// Losses and accuracies as they fall and rise.
import { useMemo } from 'preact/hooks';
import { Figure } from '../charts/figure';
import { LineChart, MOST_BANDS, type Series } from '../charts/line_chart';
import {
  type Abscissa,
  ABSCISSA_LABELS,
  hasMetric,
  type Metric,
  METRIC_LABELS,
  pointCurve,
  seriesRows,
} from '../charts/series';
import { count, number, plural } from '../format';
import type { Point } from '../model';
import { Section, SettingsText, Table } from '../ui';
import { useOneOf, usePage } from '../view';
import { ABSCISSAE, BANDS, CurveControls, LINEAR_FIRST, LOG_FIRST } from './curve_controls';
import { capOf, type CurveChoice, entryOf, MOST_LINES, useCurveChoice } from './curve_choice';
import { linkTo, RunLinks } from './links';

const METRICS: readonly Metric[] = ['val_loss', 'train_loss', 'val_accuracy', 'train_accuracy'];

const isLoss = (metric: Metric) => metric.endsWith('loss');

interface CurvePanel {
  readonly metric: Metric;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly series: readonly Series[];
}

function seriesLabel(point: Point): string {
  const runs = point.runs.length > 1 ? plural(point.runs.length, 'run') : '';
  return [point.optimizer, point.label, runs].filter((word) => word).join(' · ');
}

function makePanels(choice: CurveChoice, x: Abscissa, log: boolean, bands: boolean): CurvePanel[] {
  const { points, candidates, by } = choice;
  const inks = new Map(choice.legend.map((entry) => [entry.key, entry]));
  const seriesOf = (point: Point, metric: Metric): Series => {
    const { low, high, ...curve } = pointCurve(point, metric, x, log && isLoss(metric));
    const entry = entryOf(point, by);
    const ink = inks.get(entry)!;
    return {
      key: point.key,
      entry,
      label: seriesLabel(point),
      colour: ink.colour,
      dash: ink.dash,
      width: point.optimizer === 'sven' && by === 'optimizer' ? 2.2 : 1.5,
      opacity: points.length > 40 ? 0.55 : 1,
      ...curve,
      ...(bands && point.runs.length > 1 ? { low, high } : {}),
    };
  };
  return METRICS.filter((metric) => hasMetric(candidates, metric)).map((metric) => ({
    metric,
    title: METRIC_LABELS[metric].replace(/^./, (letter) => letter.toUpperCase()),
    x: ABSCISSA_LABELS[x],
    y: METRIC_LABELS[metric],
    series: points.map((point) => seriesOf(point, metric)),
  }));
}

export function Curves() {
  const { model, theme } = usePage();
  const choice = useCurveChoice();
  const [x] = useOneOf('x', ABSCISSAE);
  const [y] = useOneOf('y', LOG_FIRST);
  const [xScale] = useOneOf('xs', LINEAR_FIRST);
  const [band] = useOneOf('band', BANDS);
  const { task, points, candidates, by } = choice;
  const log = y === 'log';
  const panels = useMemo(
    () => makePanels(choice, x, log, band === 'sigma'),
    [points, candidates, x, log, band, by, theme],
  );
  const cap = useMemo(() => capOf(points), [points]);
  const bands = points.some((p) => p.runs.length > 1);
  const pick = (key: string) => {
    location.hash = linkTo(model.points.find((p) => p.key === key)!);
  };
  return (
    <Section title="Curves">
      <CurveControls choice={choice} bands={bands} />
      {panels.length === 0 ? (
        <p class="note">No epoch has ended yet.</p>
      ) : (
        <Figure
          name={`curves-${task.key}`}
          title={task.title}
          legend={choice.legend}
          onToggle={choice.toggle}
          height={340}
          note={noteOf(
            bands && band === 'sigma',
            log,
            points.length,
            candidates.length,
            panels,
            cap,
          )}
          table={() => seriesRows(panels)}
        >
          {(lit) => (
            <div class={`panels of-${Math.min(panels.length, 2)}`}>
              {panels.map((panel) => (
                <LineChart
                  key={panel.metric}
                  label={`${task.title}: ${panel.y} against ${panel.x}, ${plural(panel.series.length, 'curve')}`}
                  title={panel.title}
                  series={panel.series}
                  height={320}
                  lit={lit}
                  onPick={pick}
                  pickHint="click for its runs"
                  x={{ label: panel.x, log: xScale === 'log', integer: x !== 'seconds' }}
                  y={{
                    label: panel.y,
                    log: log && isLoss(panel.metric),
                    ...(isLoss(panel.metric) ? { cap } : {}),
                  }}
                />
              ))}
            </div>
          )}
        </Figure>
      )}
      <PointsShown choice={choice} />
    </Section>
  );
}

function PointsShown({ choice }: { choice: CurveChoice }) {
  return (
    <>
      <h3>Points shown</h3>
      <Table
        label="Points shown"
        rows={choice.points}
        rowKey={(p) => p.key}
        most={25}
        columns={[
          {
            key: 'optimizer',
            title: 'Optimizer',
            cell: (p) => (
              <span class="name">
                <span
                  class="swatch"
                  style={{
                    background: choice.legend.find((e) => e.key === entryOf(p, choice.by))?.colour,
                  }}
                />
                {p.optimizer}
              </span>
            ),
          },
          { key: 'settings', title: 'Settings', cell: (p) => <SettingsText label={p.label} /> },
          {
            key: 'final',
            title: 'Final validation loss',
            numeric: true,
            cell: (p) => number(p.final.median),
          },
          { key: 'source', title: 'Folder', minor: true, cell: (p) => p.source.name },
          { key: 'runs', title: 'Runs', cell: (p) => <RunLinks point={p} /> },
        ]}
      />
    </>
  );
}

function noteOf(
  bands: boolean,
  log: boolean,
  shown: number,
  all: number,
  panels: readonly CurvePanel[],
  cap: number,
): string {
  const words = [
    bands
      ? `Medians over the runs of a point, with bands of one standard deviation ${log ? 'of the logarithms (geometric mean times and over it)' : 'about the mean'}.`
      : 'Medians over the runs of a point.',
  ];
  if (bands && shown > MOST_BANDS)
    words.push(`With more than ${MOST_BANDS} curves only the band of the one pointed at is shown.`);
  if (shown === MOST_LINES && all > shown) words.push(`The best ${shown} of ${count(all)} points.`);
  const cut = panels.some(
    (p) => isLoss(p.metric) && p.series.some((s) => s.y.some((v) => v !== null && v > cap)),
  );
  if (cut) words.push(`Losses above ${number(cap, 2)} (ten times the start) are cut off.`);
  return words.join(' ');
}
