// SPDX-License-Identifier: MIT
// Losses and accuracies as they fall and rise.
import { useMemo } from 'preact/hooks';
import { Figure } from '../charts/figure';
import type { LegendEntry } from '../charts/legend';
import { LineChart, MOST_BANDS, type Series } from '../charts/line_chart';
import { ABSCISSA_LABELS, type Abscissa, hasMetric, type Metric, METRIC_LABELS, pointCurve, seriesRows } from '../charts/series';
import type { Setting } from '../data';
import { count, number, plural, settingText } from '../format';
import { bestPoints, byFinalLoss, type Point, valuesOf, variedSettings } from '../model';
import { median } from '../stats';
import { optimizerInk, ramp, type Theme } from '../theme';
import { Section, Segmented, Select, SettingsText, Table } from '../ui';
import { hashOf, useChoice, usePage, useSet } from '../view';
import { linkTo } from './overview';
import { TaskSelect, useTask } from './task_select';

const MOST_LINES = 150;
const METRICS: readonly Metric[] = ['val_loss', 'train_loss', 'val_accuracy', 'train_accuracy'];

/** How lines are told apart: by optimizer, or by the value of one setting. */
function entryOf(point: Point, by: string): string {
  return by === 'optimizer' ? point.optimizer : settingText(point.settings.get(by));
}

function makeLegend(points: readonly Point[], by: string, off: ReadonlySet<string>, theme: Theme): LegendEntry[] {
  if (by === 'optimizer') {
    const names = [...new Set(points.map((p) => p.optimizer))];
    return names.map((name) => ({ key: name, label: name, off: off.has(name), ...optimizerInk(name, theme) }));
  }
  const values: (Setting | undefined)[] = valuesOf(points, by);
  if (points.some((p) => !p.settings.has(by))) values.push(undefined);
  return values.map((value, i) => {
    const text = settingText(value);
    return { key: text, label: `${by} ${text}`, colour: ramp(i, values.length, theme), off: off.has(text) };
  });
}

/** Runs that flew up would flatten all others: what lies far above the start is cut. */
export function capOf(points: readonly Point[]): number {
  const starts = points.flatMap((p) => p.runs.map((run) => run.initial_val_loss));
  const typical = median(starts.filter((value) => value !== null));
  return typical !== null && typical > 0 ? 10 * typical : Infinity;
}

export function Curves() {
  const { model, theme, view, change } = usePage();
  const task = useTask();
  const [source, setSource] = useChoice('source', 'all');
  const [show, setShow] = useChoice('show', 'best');
  const [x, setX] = useChoice('x', 'epoch');
  const [y, setY] = useChoice('y', 'log');
  const [xScale, setXScale] = useChoice('xs', 'linear');
  const [band, setBand] = useChoice('band', 'sigma');
  const [by] = useChoice('by', 'optimizer');
  const [off, toggle] = useSet('off');
  const log = y === 'log';

  const inSource = useMemo(() => task.points.filter((p) => source === 'all' || p.source.name === source), [task, source]);
  const filters = variedSettings(inSource).map((name) => ({ name, values: valuesOf(inSource, name), value: view.params.get(`s.${name}`) ?? '' }));
  const filterKey = filters.map((f) => `${f.name}=${f.value}`).join();
  const matching = useMemo(() => inSource.filter((p) =>
    filters.every((f) => f.value === '' || String(p.settings.get(f.name)) === f.value)), [inSource, filterKey]);
  const candidates = useMemo(() => (show === 'best' ? bestPoints(matching) : byFinalLoss(matching)), [matching, show]);
  const legend = makeLegend(candidates, by, off, theme);
  const offKey = [...off].sort().join('~');
  const points = useMemo(() => candidates.filter((p) => !off.has(entryOf(p, by))).slice(0, MOST_LINES), [candidates, by, offKey]);
  const panels = useMemo(() => {
    const inks = new Map(legend.map((entry) => [entry.key, entry]));
    return METRICS.filter((metric) => hasMetric(candidates, metric)).map((metric) => ({
      metric, title: METRIC_LABELS[metric].replace(/^./, (letter) => letter.toUpperCase()), x: ABSCISSA_LABELS[x as Abscissa], y: METRIC_LABELS[metric],
      series: points.map((p): Series => {
        const { low, high, ...curve } = pointCurve(p, metric, x as Abscissa, log && metric.endsWith('loss'));
        const ink = inks.get(entryOf(p, by))!;
        const several = p.runs.length > 1;
        return {
          key: p.key, entry: entryOf(p, by), colour: ink.colour, dash: ink.dash, ...curve,
          label: [p.optimizer, p.label, several ? plural(p.runs.length, 'run') : ''].filter((word) => word).join(' · '),
          width: p.optimizer === 'sven' && by === 'optimizer' ? 2.2 : 1.5,
          opacity: points.length > 40 ? 0.55 : 1,
          ...(band === 'sigma' && several ? { low, high } : {}),
        };
      }),
    }));
  }, [points, x, log, band, by, theme]);
  const cap = useMemo(() => capOf(points), [points]);
  const pick = (key: string) => {
    location.hash = linkTo(model.points.find((p) => p.key === key)!);
  };
  const reset = () => change(Object.fromEntries([...filters.map((f) => [`s.${f.name}`, null]), ['off', null]]));
  const filtered = filters.some((f) => f.value) || off.size > 0;
  const bands = points.some((p) => p.runs.length > 1);
  return (
    <Section title="Curves">
      <div class="controls">
        <TaskSelect />
        <SourceSelect points={task.points} value={source} onChange={setSource} />
        <Segmented label="Points" value={show} onChange={setShow}
          options={[{ value: 'best', label: 'best of each optimizer' }, { value: 'all', label: 'all' }]} />
      </div>
      {filters.length > 0 &&
        <details class="filters" open={filters.some((f) => f.value)}>
          <summary>Settings</summary>
          <div class="controls">
          {filters.map((f) => (
            <Select key={f.name} label={f.name} value={f.value} onChange={(value) => change({ [`s.${f.name}`]: value })}
              options={[{ value: '', label: 'any' }, ...f.values.map((v) => ({ value: String(v), label: settingText(v) }))]} />
          ))}
            {filtered && <button type="button" class="plain" onClick={reset}>Show all again</button>}
          </div>
        </details>}
      <div class="controls">
        <Segmented label="Against" value={x} onChange={setX}
          options={[{ value: 'epoch', label: 'epoch' }, { value: 'step', label: 'step' }, { value: 'seconds', label: 'seconds' }]} />
        <Segmented label="x axis" value={xScale} onChange={setXScale} options={[{ value: 'linear', label: 'linear' }, { value: 'log', label: 'log' }]} />
        <Segmented label="Loss axis" value={y} onChange={setY} options={[{ value: 'log', label: 'log' }, { value: 'linear', label: 'linear' }]} />
        {filters.length > 0 && <Select label="Colour by" value={by} onChange={(value) => change({ off: null, by: value === 'optimizer' ? null : value })}
          options={['optimizer', ...filters.map((f) => f.name)].map((value) => ({ value, label: value }))} />}
        {bands && <Segmented label="Band" value={band} onChange={setBand} options={[{ value: 'sigma', label: '±1σ' }, { value: 'none', label: 'none' }]} />}
      </div>
      <Figure name={`curves-${task.key}`} title={task.title} legend={legend} onToggle={toggle} height={340}
        note={noteOf(bands && band === 'sigma', log, points.length, candidates.length, panels, cap)} table={() => seriesRows(panels)}>
        {(lit) => (
          <div class={`panels of-${Math.min(panels.length, 2)}`}>
            {panels.map((panel) => (
              <LineChart key={panel.metric} label={`${task.title}: ${panel.y} against ${panel.x}, ${plural(panel.series.length, 'curve')}`}
                title={panel.title} series={panel.series} height={320} lit={lit} onPick={pick} pickHint="click for its runs"
                x={{ label: panel.x, log: xScale === 'log', integer: x !== 'seconds' }}
                y={{ label: panel.y, log: log && panel.metric.endsWith('loss'), ...(panel.metric.endsWith('loss') ? { cap } : {}) }} />
            ))}
          </div>
        )}
      </Figure>
      <h3>Points shown</h3>
      <Table label="Points shown" rows={points} rowKey={(p) => p.key} most={25} columns={[
        { key: 'optimizer', title: 'Optimizer', cell: (p) => (
          <span class="name"><span class="swatch" style={{ background: legend.find((e) => e.key === entryOf(p, by))?.colour }} />{p.optimizer}</span>) },
        { key: 'settings', title: 'Settings', cell: (p) => <SettingsText label={p.label} /> },
        { key: 'final', title: 'Final validation loss', numeric: true, cell: (p) => number(p.final.median) },
        { key: 'source', title: 'Folder', minor: true, cell: (p) => p.source.name },
        { key: 'runs', title: 'Runs', cell: (p) => <RunLinks point={p} /> },
      ]} />
    </Section>
  );
}

function noteOf(bands: boolean, log: boolean, shown: number, all: number, panels: readonly { series: readonly Series[]; metric: Metric }[], cap: number): string {
  const words = [bands
    ? `Medians over the runs of a point, with bands of one standard deviation ${log ? 'of the logarithms (geometric mean times and over it)' : 'about the mean'}.`
    : 'Medians over the runs of a point.'];
  if (bands && shown > MOST_BANDS) words.push(`With more than ${MOST_BANDS} curves only the band of the one pointed at is shown.`);
  if (shown === MOST_LINES && all > shown) words.push(`The best ${shown} of ${count(all)} points.`);
  const cut = panels.some((p) => p.metric.endsWith('loss') && p.series.some((s) => s.y.some((v) => v !== null && v > cap)));
  if (cut) words.push(`Losses above ${number(cap, 2)} (ten times the start) are cut off.`);
  return words.join(' ');
}

export function SourceSelect(props: { points: readonly Point[]; value: string; onChange: (value: string) => void; all?: boolean }) {
  const names = [...new Set(props.points.map((p) => p.source.name))];
  if (names.length < 2) return null;
  const options = names.map((name) => ({ value: name, label: name }));
  return <Select label="Folder" value={props.value} onChange={props.onChange} options={props.all === false ? options : [{ value: 'all', label: 'all' }, ...options]} />;
}

/** The runs of a point, each one click away. */
export function RunLinks({ point }: { point: Point }) {
  if (point.runs.length > 12) return <a href={linkTo(point)}>{plural(point.runs.length, 'run')}</a>;
  return (
    <span class="run-links">
      {point.runs.map((run, i) => <a key={run.id} href={hashOf('run', { id: run.id })} title={run.id} aria-label={`run ${run.id}`}>{String(i + 1)}</a>)}
    </span>
  );
}
