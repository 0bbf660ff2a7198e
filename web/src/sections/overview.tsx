// SPDX-License-Identifier: MIT
// Optimizers ranked by task.
import type { Rows } from '../charts/export';
import { csvText, save } from '../charts/export';
import { duration, bytes, count, medianWithQuartiles, number, plural } from '../format';
import { bestPoints, byFinalLoss, type Point, type Task } from '../model';
import { median, type Quartiles } from '../stats';
import { optimizerInk } from '../theme';
import { Section, Segmented, Select, SettingsText, Table, type TableColumn } from '../ui';
import { useChoice, useOneOf, usePage } from '../view';
import { LeftOut } from './left_out';
import { linkTo } from './links';
import { useSource } from './selects';

const ofRuns = (point: Point, name: 'train_seconds' | 'steps' | 'peak_memory') =>
  median(point.runs.map((run) => run[name]).filter((value) => value !== null));

export function Overview() {
  const { model } = usePage();
  const [source, setSource] = useSource(model.points);
  const [rows, setRows] = useOneOf('rows', ['best', 'all']);
  const { report, tasks } = model;
  const sources = [...new Set(model.points.map((p) => p.source))];
  const diverged = model.points.reduce((sum, point) => sum + point.diverged, 0);
  const seconds = report.runs.reduce((sum, run) => sum + (run.train_seconds ?? 0), 0);
  return (
    <Section
      title="Overview"
      lead={
        `${plural(report.runs.length, 'run')} of ${plural(new Set(model.points.map((p) => p.optimizer)).size, 'optimizer')} on ` +
        `${plural(tasks.length, 'task')}, ${duration(seconds)} of training in all` +
        (diverged ? `; ${count(diverged)} diverged.` : '.')
      }
    >
      <div class="controls">
        {sources.length > 1 && (
          <Select
            label="Folder"
            value={source}
            onChange={setSource}
            options={[
              { value: 'all', label: 'all' },
              ...sources.map((s) => ({ value: s.name, label: s.name })),
            ]}
          />
        )}
        <Segmented
          label="Rows"
          value={rows}
          onChange={setRows}
          options={[
            { value: 'best', label: 'best of each optimizer' },
            { value: 'all', label: 'all points' },
          ]}
        />
      </div>
      <p class="note">
        A point is all runs with the same settings, seeds aside. Losses are medians over its runs,
        quartiles below; runs that diverged count as infinite.{' '}
        {rows === 'best' &&
          'The best point of an optimizer has the lowest final validation loss; points with fewer than half as many runs as its largest, and those over other data or orders, are left aside.'}
      </p>
      {tasks.map((task) => (
        <Ranking key={task.key} task={task} source={source} all={rows === 'all'} />
      ))}
      <LeftOut report={report} />
    </Section>
  );
}

function Ranking(props: { task: Task; source: string; all: boolean }) {
  const { theme } = usePage();
  const [sort, setSort] = useChoice('sort', 'final');
  const points = props.task.points.filter(
    (p) => props.source === 'all' || p.source.name === props.source,
  );
  if (points.length === 0) return null;
  const shown = props.all ? byFinalLoss(points) : bestPoints(points);
  const severalSources = new Set(points.map((p) => p.source)).size > 1;
  const scale = rangeScale(shown.slice(0, 50));
  const columns: (TableColumn<Point> | false)[] = [
    {
      key: 'optimizer',
      title: 'Optimizer',
      order: (p) => p.optimizer,
      cell: (p) => (
        <span class="name">
          <span class="swatch" style={{ background: optimizerInk(p.optimizer, theme).colour }} />
          <a href={linkTo(p)}>{p.optimizer}</a>
        </span>
      ),
    },
    {
      key: 'settings',
      title: 'Settings',
      cell: (p) => <SettingsText label={p.label} />,
      minor: !props.all,
    },
    {
      key: 'final',
      title: 'Final validation loss',
      numeric: true,
      order: (p) => p.final.median,
      cell: (p) => <Loss of={p.final} />,
    },
    {
      key: 'range',
      title: '',
      cell: (p) => (
        <RangeBar of={p.final} scale={scale} colour={optimizerInk(p.optimizer, theme).colour} />
      ),
      minor: true,
    },
    {
      key: 'best',
      title: 'Best',
      numeric: true,
      minor: true,
      order: (p) => p.best.median,
      cell: (p) => <Loss of={p.best} />,
    },
    {
      key: 'runs',
      title: 'Runs',
      numeric: true,
      order: (p) => p.runs.length,
      cell: (p) => (
        <>
          {count(p.runs.length)}
          {p.diverged > 0 && <span class="range bad">{`${count(p.diverged)} diverged`}</span>}
        </>
      ),
    },
    {
      key: 'time',
      title: 'Time',
      numeric: true,
      order: (p) => ofRuns(p, 'train_seconds') ?? Infinity,
      cell: (p) => duration(ofRuns(p, 'train_seconds')),
    },
    {
      key: 'steps',
      title: 'Steps',
      numeric: true,
      minor: true,
      order: (p) => ofRuns(p, 'steps') ?? Infinity,
      cell: (p) => stepsText(p),
    },
    shown.some((p) => ofRuns(p, 'peak_memory') !== null) && {
      key: 'memory',
      title: 'Memory',
      numeric: true,
      order: (p: Point) => ofRuns(p, 'peak_memory') ?? Infinity,
      cell: (p: Point) => bytes(ofRuns(p, 'peak_memory')),
    },
    severalSources && {
      key: 'source',
      title: 'Folder',
      minor: true,
      order: (p) => p.source.name,
      cell: (p) => p.source.name,
    },
  ];
  return (
    <div class={`ranking${severalSources ? ' with-folder' : ''}`} data-task={props.task.key}>
      <div class="caption">
        <h3>{props.task.title}</h3>
        <div class="tools" role="group" aria-label={`Download: ${props.task.title}`}>
          <button
            type="button"
            onClick={() =>
              save(
                `sven-overview-${props.task.key}.csv`,
                new Blob([csvText(rankingRows(shown))], { type: 'text/csv' }),
              )
            }
          >
            CSV
          </button>
        </div>
      </div>
      <Table
        label={`Ranking on ${props.task.title}`}
        columns={columns.filter((c) => c !== false)}
        rows={shown}
        rowKey={(p) => p.key}
        sort={sort}
        onSort={setSort}
        most={50}
      />
    </div>
  );
}

function stepsText(point: Point): string {
  const steps = ofRuns(point, 'steps');
  return steps === null ? '–' : count(Math.round(steps));
}

function Loss({ of }: { of: Quartiles }) {
  if (!Number.isFinite(of.median)) return <span class="bad">diverged</span>;
  if (of.count < 2) return <>{number(of.median)}</>;
  const { middle, range } = medianWithQuartiles(of.low, of.median, of.high);
  return (
    <>
      {middle}
      <span class="range">{range}</span>
    </>
  );
}

function rangeScale(points: readonly Point[]): (loss: number) => number {
  const values = points
    .flatMap((p) => [p.final.low, p.final.median, p.final.high])
    .filter((v) => Number.isFinite(v) && v > 0);
  const low = Math.log(Math.min(...values));
  const high = Math.log(Math.max(...values));
  return (loss) =>
    high > low ? Math.min(Math.max((Math.log(loss) - low) / (high - low), 0), 1) : 0.5;
}

/** Quartiles and median on a logarithmic axis that all rows share. */
function RangeBar(props: { of: Quartiles; scale: (loss: number) => number; colour: string }) {
  const { low, median: middle, high } = props.of;
  if (!(middle > 0) || !Number.isFinite(middle)) return null;
  const at = (loss: number) => 6 + 128 * (loss > 0 ? props.scale(loss) : 0);
  const end = Number.isFinite(high) ? high : Number.MAX_VALUE;
  return (
    <svg width="140" height="14" aria-hidden="true" class="range-bar">
      <line x1="6" x2="134" y1="7" y2="7" class="grid" />
      <line
        x1={at(low)}
        x2={at(end)}
        y1="7"
        y2="7"
        stroke={props.colour}
        stroke-width="4"
        stroke-opacity="0.35"
        stroke-linecap="round"
      />
      <circle cx={at(middle)} cy="7" r="4" fill={props.colour} />
    </svg>
  );
}

function rankingRows(points: readonly Point[]): Rows {
  const quartileColumns = (name: string) => [
    `${name}_median`,
    `${name}_lower_quartile`,
    `${name}_upper_quartile`,
  ];
  return {
    header: [
      'optimizer',
      'settings',
      'folder',
      'runs',
      'diverged',
      ...quartileColumns('final_val_loss'),
      ...quartileColumns('best_val_loss'),
      'train_seconds',
      'steps',
      'peak_memory',
    ],
    rows: points.map((p) => [
      p.optimizer,
      p.label,
      p.source.name,
      p.runs.length,
      p.diverged,
      p.final.median,
      p.final.low,
      p.final.high,
      p.best.median,
      p.best.low,
      p.best.high,
      ofRuns(p, 'train_seconds'),
      ofRuns(p, 'steps'),
      ofRuns(p, 'peak_memory'),
    ]),
  };
}
