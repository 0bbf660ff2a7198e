// SPDX-License-Identifier: MIT
// Singular values over the largest one, by index, one line per epoch.
import { useMemo } from 'preact/hooks';
import { extent } from '../charts/axis';
import { ColourBar } from '../charts/colour_bar';
import { Figure } from '../charts/figure';
import { LineChart, type Series } from '../charts/line_chart';
import { seriesRows } from '../charts/series';
import type { Run, Spectra as RunSpectra } from '../data';
import { plural } from '../format';
import { optimizerOf, type Point } from '../model';
import { ramp, type Theme } from '../theme';
import { Section, Segmented } from '../ui';
import { hashOf, useOneOf, usePage, useSet } from '../view';
import { LINEAR_FIRST, LOG_FIRST } from './curve_controls';
import { SourceSelect, TaskSelect, useSource, useTask } from './selects';

const FIRST_SHOWN = 4;

/** The widest spectra tell most, and come first. */
function longest(run: Run): number {
  return Math.max(...run.spectra!.values.map((values) => values.length));
}

export function spectraSeries(spectra: RunSpectra, theme: Theme): Series[] {
  return spectra.values.map((values, i) => ({
    key: `epoch ${spectra.epoch[i]}`,
    label: `epoch ${spectra.epoch[i]}`,
    entry: String(spectra.epoch[i]),
    colour: ramp(i, spectra.values.length, theme),
    width: 1.3,
    x: values.map((_, index) => index + 1),
    y: values,
  }));
}

function runLabel(point: Point, run: Run): string {
  const seeds = point.runs.length > 1 ? ` · run ${point.runs.indexOf(run) + 1}` : '';
  return `${optimizerOf(run)}${point.label ? ` · ${point.label}` : ''}${seeds}`;
}

export function Spectra() {
  const { model, theme } = usePage();
  const tasks = model.tasks.filter((t) => t.points.some((p) => p.runs.some((run) => run.spectra)));
  const chosen = useTask();
  const task = tasks.includes(chosen) ? chosen : tasks[0]!;
  const [x, setX] = useOneOf('xs', LINEAR_FIRST);
  const [y, setY] = useOneOf('y', LOG_FIRST);
  const [wanted, , setWanted] = useSet('runs');
  const points = task.points.filter((p) => p.runs.some((run) => run.spectra));
  const [source, setSource] = useSource(points);
  const runs = points
    .filter((p) => source === 'all' || p.source.name === source)
    .flatMap((p) => p.runs.filter((run) => run.spectra))
    .sort((a, b) => longest(b) - longest(a) || b.spectra!.values.length - a.spectra!.values.length);
  // Nothing picked shows the first ones of different settings; the first click starts from these.
  const labels = runs.map((run) => model.pointOf.get(run.id)!.label);
  const first = runs.filter((_, i) => labels.indexOf(labels[i]!) === i).slice(0, FIRST_SHOWN);
  const picked = runs.filter((run) => wanted.has(run.id));
  const shown = picked.length > 0 ? picked : first;
  const press = (pressed: Run) => {
    const next = shown.includes(pressed)
      ? shown.filter((run) => run !== pressed)
      : [...shown, pressed];
    setWanted(next.map((run) => run.id));
  };
  const shownKey = shown.map((run) => run.id).join('\u0000');
  const panels = useMemo(
    () =>
      shown.map((run) => ({
        run,
        title: runLabel(model.pointOf.get(run.id)!, run),
        x: 'index i',
        y: 'sᵢ / s₁',
        series: spectraSeries(run.spectra!, theme),
      })),
    [shownKey, model, theme],
  );
  const domain = useMemo(() => {
    const found = extent(
      panels.flatMap((panel) => panel.series.map((s) => s.y)),
      y === 'log',
    );
    return found && (y === 'log' ? ([found[0] / 1.3, 1.1] as const) : ([0, 1.02] as const));
  }, [panels, y]);
  const epochs = Math.max(1, ...shown.map((run) => run.spectra!.values.length));
  return (
    <Section
      title="Spectra"
      lead="Singular values of the Jacobian of the losses over the largest one, by index: means over an epoch of those that were kept. A fast fall means that few directions matter."
    >
      <div class="controls">
        <TaskSelect tasks={tasks} />
        <SourceSelect points={points} value={source} onChange={setSource} />
        <Segmented
          label="Index"
          value={x}
          onChange={setX}
          options={[
            { value: 'linear', label: 'linear' },
            { value: 'log', label: 'log' },
          ]}
        />
        <Segmented
          label="Values"
          value={y}
          onChange={setY}
          options={[
            { value: 'log', label: 'log' },
            { value: 'linear', label: 'linear' },
          ]}
        />
      </div>
      {runs.length > 1 && (
        <div class="chips" role="group" aria-label="Runs shown">
          {runs.map((run) => (
            <button
              key={run.id}
              type="button"
              aria-pressed={shown.includes(run)}
              title={run.id}
              onClick={() => press(run)}
            >
              {chipLabel(model.pointOf.get(run.id)!, run, source === 'all')}
            </button>
          ))}
        </div>
      )}
      <Figure
        name={`spectra-${task.key}`}
        title={`${task.title}: ${plural(shown.length, 'run')}`}
        height={320}
        note={
          <ColourBar
            from="epoch 1"
            to={`epoch ${epochs}`}
            colours={Array.from({ length: 12 }, (_, i) => ramp(i, 12, theme))}
          />
        }
        table={() => seriesRows(panels)}
      >
        {() => (
          <div class={`panels of-${Math.min(Math.max(panels.length, 1), 2)}`}>
            {panels.map((panel) => (
              <div key={panel.run.id}>
                <LineChart
                  label={`Spectra of ${panel.run.id}, ${plural(panel.series.length, 'epoch')}`}
                  title={panel.title}
                  series={panel.series}
                  height={280}
                  x={{ label: panel.x, log: x === 'log', integer: true }}
                  y={{ label: panel.y, log: y === 'log', ...(domain ? { domain } : {}) }}
                />
                <a
                  class="panel-link"
                  href={hashOf('run', { id: panel.run.id })}
                  aria-label={`run ${panel.run.id}`}
                  title={panel.run.id}
                >
                  run
                </a>
              </div>
            ))}
          </div>
        )}
      </Figure>
    </Section>
  );
}

function chipLabel(point: Point, run: Run, named: boolean): string {
  return `${named ? `${point.source.name}: ` : ''}${runLabel(point, run)}`;
}
