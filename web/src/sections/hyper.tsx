// SPDX-License-Identifier: MIT
// How the loss depends on settings: heat maps over two of them for each value
// of a third, and marginal plots.
import { ColourBar } from '../charts/colour_bar';
import type { Rows } from '../charts/export';
import { Figure } from '../charts/figure';
import { type Cell, HeatMap } from '../charts/heat_map';
import { Marginal } from '../charts/marginal';
import type { Setting } from '../data';
import { number, plural, settingText } from '../format';
import { type Model, type Point, type Task, valuesOf, variedSettings } from '../model';
import { median } from '../stats';
import { optimizerInk, viridis } from '../theme';
import { Section, Segmented, Select } from '../ui';
import { useChoice, usePage } from '../view';
import { SourceSelect } from './curves';
import { linkTo } from './overview';
import { TaskSelect, useTask } from './task_select';

/** Points of one folder, task and optimizer. */
interface Family {
  readonly task: Task;
  readonly optimizer: string;
  readonly source: string;
  readonly points: Point[];
}

function familiesOf(task: Task): Family[] {
  const families = new Map<string, Family>();
  for (const point of task.points) {
    const key = `${point.source.name}\u0000${point.optimizer}`;
    const family = families.get(key) ?? { task, optimizer: point.optimizer, source: point.source.name, points: [] };
    family.points.push(point);
    families.set(key, family);
  }
  return [...families.values()].filter((family) => family.points.length >= 3 && variedSettings(family.points).length > 0);
}

export function hasHyper(model: Model): boolean {
  return model.tasks.some((task) => familiesOf(task).length > 0);
}

const PREFERRED = { x: ['k', 'max_iter', 'history_size'], y: ['lr'], facet: ['rtol', 'kappa'] };
const MEASURES = [
  { value: 'final', label: 'final validation loss' },
  { value: 'best', label: 'best validation loss' },
  { value: 'train', label: 'final training loss' },
];

function measured(point: Point, measure: string): number | null {
  const value = measure === 'final' ? point.final.median : measure === 'best' ? point.best.median
    : median(point.runs.map((run) => (run.status === 'diverged' ? null : run.final_train_loss)));
  return value !== null && Number.isFinite(value) ? value : null;
}

function firstOf(preferred: readonly string[], names: readonly string[], taken: readonly string[]): string {
  const free = names.filter((name) => !taken.includes(name));
  return preferred.find((name) => free.includes(name)) ?? free[0] ?? '';
}

const valueText = (point: Point, name: string) => settingText(point.settings.get(name));

/** The best point of each cell, if other settings vary as well. */
function cellsOf(points: readonly Point[], x: string, y: string, measure: string): Cell[] {
  const best = new Map<string, Point>();
  for (const point of points) {
    if (!point.settings.has(x) || !point.settings.has(y)) continue;
    const key = `${valueText(point, x)} ${valueText(point, y)}`;
    const before = best.get(key);
    if (!before || (measured(point, measure) ?? Infinity) < (measured(before, measure) ?? Infinity)) best.set(key, point);
  }
  return [...best.values()].map((point) => {
    const value = measured(point, measure);
    const fate = point.diverged ? `, ${point.diverged} of ${plural(point.runs.length, 'run')} diverged` : '';
    return {
      x: valueText(point, x), y: valueText(point, y), settings: point.settings, value, diverged: point.diverged, runs: point.runs.length, href: linkTo(point),
      label: `${point.label}: ${value === null ? 'no finite loss' : number(value)}${fate}`,
    };
  });
}

export function Hyper() {
  const { model, theme } = usePage();
  const tasks = model.tasks.filter((task) => familiesOf(task).length > 0);
  const chosen = useTask();
  const task = tasks.includes(chosen) ? chosen : tasks[0]!;
  const families = familiesOf(task);
  const widest = families.reduce((a, b) => (weight(b) > weight(a) ? b : a));
  const [source, setSource] = useChoice('source', widest.source);
  const here = families.filter((f) => f.source === source);
  const inSource = here.length > 0 ? here : families.filter((f) => f.source === widest.source);
  const preferred = inSource.reduce((a, b) => (weight(b) > weight(a) ? b : a));
  const [optimizer, setOptimizer] = useChoice('optimizer', preferred.optimizer);
  const family = inSource.find((f) => f.optimizer === optimizer) ?? preferred;
  const names = variedSettings(family.points);
  const [measure, setMeasure] = useChoice('measure', 'final');
  // The learning rate goes up, unless it is all there is.
  const across = firstOf(PREFERRED.x, names, PREFERRED.y) || names[0]!;
  const [xName, setX] = useChoice('hx', across);
  const x = names.includes(xName) ? xName : across;
  const [yName, setY] = useChoice('hy', firstOf(PREFERRED.y, names, [x]));
  const y = names.includes(yName) && yName !== x ? yName : firstOf(PREFERRED.y, names, [x]);
  const [facetName, setFacet] = useChoice('facet', firstOf(PREFERRED.facet, names, [x, y]));
  const facet = names.includes(facetName) && facetName !== x && facetName !== y ? facetName : '';
  const rest = names.filter((name) => ![x, y, facet].includes(name));
  const options = names.map((name) => ({ value: name, label: name }));
  const measureLabel = MEASURES.find((m) => m.value === measure)!.label;

  const values = family.points.map((p) => measured(p, measure)).filter((v): v is number => v !== null && v > 0);
  const low = Math.log(Math.min(...values));
  // Losses beyond the start are all alike bad; they get the last colour.
  const start = median(family.points.flatMap((p) => p.runs.map((run) => run.initial_val_loss)).filter((v) => v !== null));
  const high = Math.log(Math.min(Math.max(...values), start ? 2 * start : Infinity));
  const colour = (value: number) => viridis(value > 0 && high > low ? 1 - Math.min(Math.max((Math.log(value) - low) / (high - low), 0), 1) : 1);
  const facets = facet ? valuesOf(family.points, facet) : [undefined];
  const xs = valuesOf(family.points, x).map(settingText);
  const ys = y ? valuesOf(family.points, y).map(settingText) : [''];
  const panels = facets.map((value) => ({
    title: facet ? `${facet} = ${settingText(value)}` : family.optimizer,
    cells: y ? cellsOf(family.points.filter((p) => !facet || p.settings.get(facet) === value), x, y, measure) : [],
  }));
  return (
    <Section title="Hyper-parameters">
      <div class="controls">
        <TaskSelect tasks={tasks} />
        <SourceSelect points={families.flatMap((f) => f.points)} value={family.source} onChange={setSource} all={false} />
        {inSource.length > 1 && <Select label="Optimizer" value={family.optimizer} onChange={setOptimizer} options={inSource.map((f) => ({ value: f.optimizer, label: f.optimizer }))} />}
        <Select label="Show" value={measure} onChange={setMeasure} options={MEASURES} />
      </div>
      {names.length > 2 &&
        <div class="controls">
          <Select label="Across" value={x} onChange={setX} options={options} />
          <Select label="Up" value={y} onChange={setY} options={options.filter((o) => o.value !== x)} />
          <Segmented label="Panels" value={facet} onChange={setFacet} options={[...options.filter((o) => o.value !== x && o.value !== y), { value: '', label: 'one' }]} />
        </div>}
      {y &&
        <Figure name={`hyper-${task.key}-${family.optimizer}`} title={`${task.title}: ${measureLabel} of ${family.optimizer}`} height={300}
          table={() => cellRows(panels, names, measureLabel)}
          note={<>
            {`${runsText(family.points)}${rest.length ? `, the best over ${rest.join(' and ')}` : ''}. A cross marks runs that diverged; hatched cells have no finite loss. `}
            <ColourBar from={number(Math.exp(low), 2)} to={number(Math.exp(high), 2)} colours={Array.from({ length: 12 }, (_, i) => viridis(1 - i / 11))} />
          </>}>
          {() => (
            <div class={`panels of-${panels.length > 1 ? 2 : 1}`}>
              {panels.map((panel) => (
                <HeatMap key={panel.title} label={`${measureLabel} of ${family.optimizer} by ${x} and ${y}, ${panel.title}`} title={panel.title}
                  xLabel={x} yLabel={y} xs={xs} ys={ys} cells={panel.cells} colour={colour} />
              ))}
            </div>
          )}
        </Figure>}
      <Figure name={`marginals-${task.key}-${family.optimizer}`} title="By one setting" height={300}
        note="Each dot is a point; the full line joins the best of each value, the dashed one their medians. Crosses at the top diverged."
        table={() => marginalRows(family.points, names, measure, measureLabel)}>
        {() => (
          <div class={`panels of-${Math.min(names.length, 3)}`}>
            {names.map((name) => (
              <Marginal key={name} label={`${measureLabel} of ${family.optimizer} by ${name}`} title={name} xLabel={name} yLabel={measureLabel}
                xs={valuesOf(family.points, name).map(settingText)} colour={optimizerInk(family.optimizer, theme).colour}
                dots={family.points.filter((p) => p.settings.has(name)).map((p) => ({ key: p.key, at: valueText(p, name), value: measured(p, measure), label: p.label, href: linkTo(p) }))} />
            ))}
          </div>
        )}
      </Figure>
    </Section>
  );
}

function runsText(points: readonly Point[]): string {
  const most = Math.max(...points.map((p) => p.runs.length));
  return most > 1 ? `Medians over ${plural(most, 'run')}` : 'One run per point';
}

/** Grids over several settings go before those over one; Sven's before others. */
function weight(family: Family): number {
  return Math.min(variedSettings(family.points).length, 3) * 10_000 + (family.optimizer === 'sven' ? 5000 : 0) + family.points.length;
}

function plain(settings: ReadonlyMap<string, Setting>, name: string): string | number | null {
  const value = settings.get(name);
  return typeof value === 'boolean' ? String(value) : value ?? null;
}

function cellRows(panels: readonly { cells: readonly Cell[] }[], names: readonly string[], measure: string): Rows {
  return {
    header: [...names, measure, 'diverged', 'runs'],
    rows: panels.flatMap((panel) => panel.cells.map((cell) =>
      [...names.map((name) => plain(cell.settings, name)), cell.value, cell.diverged, cell.runs])),
  };
}

function marginalRows(points: readonly Point[], names: readonly string[], measure: string, label: string): Rows {
  return {
    header: [...names, label, 'diverged', 'runs'],
    rows: points.map((p) => [...names.map((name) => plain(p.settings, name)), measured(p, measure), p.diverged, p.runs.length]),
  };
}
