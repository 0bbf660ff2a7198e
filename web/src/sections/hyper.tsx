// SPDX-License-Identifier: MIT
// How the loss depends on settings: heat maps over two of them for each value
// of a third, and marginal plots.
import { ColourBar } from '../charts/colour_bar';
import { columnsFor, Figure } from '../charts/figure';
import { HeatMap } from '../charts/heat_map';
import { Marginal } from '../charts/marginal';
import { number, plural, settingText } from '../format';
import { type Point, type Task, valuesOf, variedSettings } from '../model';
import { optimizerInk, viridis } from '../theme';
import { Section, Segmented, Select } from '../ui';
import { useChoice, usePage } from '../view';
import {
  cellRows,
  cellsOf,
  familiesOf,
  type Family,
  firstOf,
  lossScale,
  marginalRows,
  measured,
  MEASURES,
  PREFERRED,
  valueText,
  weight,
} from './hyper_data';
import { linkTo } from './links';
import { SourceSelect, TaskSelect, useTask } from './selects';

/** Which settings go where. */
interface Layout {
  readonly x: string;
  /** Empty if only one setting varies: then there is no heat map. */
  readonly y: string;
  /** The setting that has a panel for each value; empty: one panel. */
  readonly facet: string;
}

const ONE_PANEL = 'one';

function heaviest(families: readonly Family[]): Family {
  return families.reduce((a, b) => (weight(b) > weight(a) ? b : a));
}

function useLayout(names: readonly string[]): Layout {
  // The learning rate goes up, unless it is all there is.
  const across = firstOf(PREFERRED.x, names, PREFERRED.y) || names[0]!;
  const [xName] = useChoice('hx', across);
  const x = names.includes(xName) ? xName : across;
  const up = firstOf(PREFERRED.y, names, [x]);
  const [yName] = useChoice('hy', up);
  const y = names.includes(yName) && yName !== x ? yName : up;
  const third = firstOf(PREFERRED.facet, names, [x, y]);
  const [facetName] = useChoice('facet', third);
  const free = names.includes(facetName) && facetName !== x && facetName !== y;
  return { x, y, facet: facetName === ONE_PANEL ? '' : free ? facetName : third };
}

export function Hyper() {
  const { model } = usePage();
  const tasks = model.tasks.filter((task) => familiesOf(task).length > 0);
  const chosen = useTask();
  const task = tasks.includes(chosen) ? chosen : tasks[0]!;
  const families = familiesOf(task);
  const widest = heaviest(families);
  const [source, setSource] = useChoice('source', widest.source);
  const here = families.filter((f) => f.source === source);
  const inSource = here.length > 0 ? here : families.filter((f) => f.source === widest.source);
  const preferred = heaviest(inSource);
  const [optimizer, setOptimizer] = useChoice('optimizer', preferred.optimizer);
  const family = inSource.find((f) => f.optimizer === optimizer) ?? preferred;
  const [measureName, setMeasure] = useChoice('measure', MEASURES[0]!.value);
  const measure = MEASURES.find((m) => m.value === measureName) ?? MEASURES[0]!;
  return (
    <Section title="Hyper-parameters">
      <div class="controls">
        <TaskSelect tasks={tasks} />
        <SourceSelect
          points={families.flatMap((f) => f.points)}
          value={family.source}
          onChange={setSource}
          all={false}
        />
        {inSource.length > 1 && (
          <Select
            label="Optimizer"
            value={family.optimizer}
            onChange={setOptimizer}
            options={inSource.map((f) => ({ value: f.optimizer, label: f.optimizer }))}
          />
        )}
        <Select label="Show" value={measure.value} onChange={setMeasure} options={MEASURES} />
      </div>
      <HeatMaps key={family.optimizer} task={task} family={family} measure={measure} />
      <Marginals task={task} family={family} measure={measure} />
    </Section>
  );
}

interface FamilyProps {
  readonly task: Task;
  readonly family: Family;
  readonly measure: { readonly value: string; readonly label: string };
}

function LayoutControls({ names, layout }: { names: readonly string[]; layout: Layout }) {
  const { change } = usePage();
  const { x, y, facet } = layout;
  const options = names.map((name) => ({ value: name, label: name }));
  return (
    <div class="controls">
      <Select label="Across" value={x} onChange={(hx) => change({ hx })} options={options} />
      <Select
        label="Up"
        value={y}
        onChange={(hy) => change({ hy })}
        options={options.filter((o) => o.value !== x)}
      />
      <Segmented
        label="Panels"
        value={facet || ONE_PANEL}
        onChange={(value) => change({ facet: value })}
        options={[
          ...options.filter((o) => o.value !== x && o.value !== y),
          { value: ONE_PANEL, label: 'one' },
        ]}
      />
    </div>
  );
}

function HeatMaps({ task, family, measure }: FamilyProps) {
  const { points, optimizer } = family;
  const names = variedSettings(points);
  const layout = useLayout(names);
  const { x, y, facet } = layout;
  if (!y) return null;
  const rest = names.filter((name) => ![x, y, facet].includes(name));
  const scale = lossScale(points, measure.value);
  const panels = (facet ? valuesOf(points, facet) : [undefined]).map((value) => ({
    title: facet ? `${facet} = ${settingText(value)}` : optimizer,
    cells: cellsOf(
      points.filter((p) => !facet || p.settings.get(facet) === value),
      x,
      y,
      measure.value,
    ),
  }));
  const note =
    `${runsText(points)}${rest.length ? `, the best over ${rest.join(' and ')}` : ''}. ` +
    'A cross marks runs that diverged; hatched cells have no finite loss. ';
  return (
    <>
      {names.length > 2 && <LayoutControls names={names} layout={layout} />}
      <Figure
        name={`hyper-${task.key}-${optimizer}`}
        title={`${task.title}: ${measure.label} of ${optimizer}`}
        height={300}
        table={() => cellRows(panels, names, measure.label)}
        note={
          <>
            {note}
            <ColourBar
              from={number(scale.low, 2)}
              to={number(scale.high, 2)}
              colours={Array.from({ length: 12 }, (_, i) => viridis(1 - i / 11))}
            />
          </>
        }
      >
        {() => (
          <div class={`panels of-${columnsFor(panels.length)}`}>
            {panels.map((panel) => (
              <HeatMap
                key={panel.title}
                label={`${measure.label} of ${optimizer} by ${x} and ${y}, ${panel.title}`}
                title={panel.title}
                xLabel={x}
                yLabel={y}
                xs={valuesOf(points, x).map(settingText)}
                ys={valuesOf(points, y).map(settingText)}
                cells={panel.cells}
                colour={scale.colour}
              />
            ))}
          </div>
        )}
      </Figure>
    </>
  );
}

function Marginals({ task, family, measure }: FamilyProps) {
  const { theme } = usePage();
  const { points, optimizer } = family;
  const names = variedSettings(points);
  return (
    <Figure
      name={`marginals-${task.key}-${optimizer}`}
      title="By one setting"
      height={300}
      note="Each dot is a point; the full line joins the best of each value, the dashed one their medians. Crosses at the top diverged."
      table={() => marginalRows(points, names, measure.value, measure.label)}
    >
      {() => (
        <div class={`panels of-${Math.min(names.length, 3)}`}>
          {names.map((name) => (
            <Marginal
              key={name}
              label={`${measure.label} of ${optimizer} by ${name}`}
              title={name}
              xLabel={name}
              yLabel={measure.label}
              xs={valuesOf(points, name).map(settingText)}
              colour={optimizerInk(optimizer, theme).colour}
              dots={points
                .filter((p) => p.settings.has(name))
                .map((p) => ({
                  key: p.key,
                  at: valueText(p, name),
                  value: measured(p, measure.value),
                  label: p.label,
                  href: linkTo(p),
                }))}
            />
          ))}
        </div>
      )}
    </Figure>
  );
}

function runsText(points: readonly Point[]): string {
  const most = Math.max(...points.map((p) => p.runs.length));
  return most > 1 ? `Medians over ${plural(most, 'run')}` : 'One run per point';
}
