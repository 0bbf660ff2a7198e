// SPDX-License-Identifier: MIT
// How one run went: its curves, its spectrum, where its time went.
import { useMemo } from 'preact/hooks';
import { Bars } from '../charts/bars';
import { ColourBar } from '../charts/colour_bar';
import { columnsFor, Figure } from '../charts/figure';
import { LineChart, type Series } from '../charts/line_chart';
import { type Abscissa, ABSCISSA_LABELS, seriesRows } from '../charts/series';
import type { Column, Run } from '../data';
import { duration } from '../format';
import { optimizerOf } from '../model';
import { namedColour, optimizerInk, ramp, type Theme } from '../theme';
import { Segmented } from '../ui';
import { useOneOf, usePage } from '../view';
import { ABSCISSAE, LOG_FIRST } from './curve_controls';
import { spectraSeries } from './spectra';

interface RunPanel {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly log: boolean;
  readonly domain?: readonly [number, number];
  readonly series: readonly Series[];
}

function runPanels(run: Run, x: Abscissa, log: boolean, theme: Theme): RunPanel[] {
  const { epochs, checks } = run;
  const own = optimizerInk(optimizerOf(run), theme).colour;
  const grey = namedColour('grey', theme);
  const label = ABSCISSA_LABELS[x];
  const line = (
    name: string,
    y: Column | null,
    colour: string,
    more: Partial<Series> = {},
  ): Series[] =>
    y?.some((value) => value !== null)
      ? [{ key: name, entry: name, label: name, colour, x: epochs[x], y, ...more }]
      : [];
  // Between epochs the number of steps tells where a validation belongs.
  const perEpoch = (epochs.step[0] ?? 0) / (epochs.epoch[0] ?? 1);
  const checkX = !checks
    ? []
    : x === 'step'
      ? checks.step
      : x === 'seconds'
        ? checks.seconds
        : checks.step.map((step) => (step !== null && perEpoch > 0 ? step / perEpoch : null));
  const panels: (RunPanel | null)[] = [
    {
      title: 'Loss',
      y: 'loss',
      log,
      x: label,
      series: [
        ...line('validation', epochs.val_loss, own, { width: 2 }),
        ...line('training', epochs.train_loss, own, { dash: '5 3' }),
        ...line('batches before their step', epochs.batch_loss, grey, { dash: '2 2.5' }),
        ...(checks
          ? [
              {
                key: 'checks',
                entry: 'within epochs',
                label: 'within epochs',
                colour: own,
                opacity: 0.5,
                width: 1,
                x: checkX,
                y: checks.val_loss,
              },
            ]
          : []),
      ],
    },
    {
      title: 'Accuracy',
      y: 'accuracy',
      log: false,
      x: label,
      series: [
        ...line('validation', epochs.val_accuracy, own, { width: 2 }),
        ...line('training', epochs.train_accuracy, own, { dash: '5 3' }),
      ],
    },
    {
      title: 'Singular values kept',
      y: 'mean of an epoch',
      log: false,
      x: label,
      domain: [0, 1.06 * Math.max(1, ...(epochs.kept ?? []).map((kept) => kept ?? 0))],
      series: line('kept', epochs.kept, own),
    },
    {
      title: 'Norm of the update',
      y: 'norm',
      log: true,
      x: label,
      series: line('norm', epochs.update_norm, own),
    },
    {
      title: 'Learning rate',
      y: 'learning rate',
      log: false,
      x: label,
      series:
        new Set(epochs.learning_rate ?? []).size > 1
          ? line('learning rate', epochs.learning_rate, own)
          : [],
    },
  ];
  return panels.filter((panel): panel is RunPanel => panel !== null && panel.series.length > 0);
}

export function RunCurves({ run }: { run: Run }) {
  const { theme } = usePage();
  const [x, setX] = useOneOf('x', ABSCISSAE);
  const [y, setY] = useOneOf('y', LOG_FIRST);
  const panels = useMemo(() => runPanels(run, x, y === 'log', theme), [run, x, y, theme]);
  if (panels.length === 0) return <p class="note">No epoch has ended yet.</p>;
  const losses = panels[0]!.series;
  return (
    <>
      <div class="controls">
        <Segmented
          label="Against"
          value={x}
          onChange={setX}
          options={[
            { value: 'epoch', label: 'epoch' },
            { value: 'step', label: 'step' },
            { value: 'seconds', label: 'seconds' },
          ]}
        />
        <Segmented
          label="Loss axis"
          value={y}
          onChange={setY}
          options={[
            { value: 'log', label: 'log' },
            { value: 'linear', label: 'linear' },
          ]}
        />
      </div>
      <Figure
        name={`run-${run.id}`}
        title="As it went"
        height={320}
        table={() => seriesRows(panels)}
        legend={losses.map((s) => ({
          key: s.entry,
          label: s.entry,
          colour: s.colour,
          ...(s.dash ? { dash: s.dash } : {}),
        }))}
      >
        {(lit) => (
          <div class={`panels of-${columnsFor(panels.length)}`}>
            {panels.map((panel) => (
              <LineChart
                key={panel.title}
                label={`${panel.title} of ${run.id}`}
                title={panel.title}
                series={panel.series}
                lit={lit}
                height={260}
                x={{ label: panel.x, integer: x !== 'seconds' }}
                y={{
                  label: panel.y,
                  log: panel.log,
                  ...(panel.domain ? { domain: panel.domain } : {}),
                }}
              />
            ))}
          </div>
        )}
      </Figure>
    </>
  );
}

export function RunSpectrum({ run }: { run: Run }) {
  const { theme } = usePage();
  const series = useMemo(() => spectraSeries(run.spectra!, theme), [run, theme]);
  const { epoch } = run.spectra!;
  return (
    <Figure
      name={`spectrum-${run.id}`}
      title="Spectrum"
      height={300}
      table={() => seriesRows([{ title: run.id, x: 'i', y: 'sᵢ / s₁', series }])}
      note={
        <ColourBar
          from={`epoch ${epoch[0]}`}
          to={`epoch ${epoch[epoch.length - 1]}`}
          colours={Array.from({ length: 12 }, (_, i) => ramp(i, 12, theme))}
        />
      }
    >
      {() => (
        <LineChart
          label={`Spectra of ${run.id} by epoch`}
          series={series}
          height={300}
          x={{ label: 'index i', integer: true }}
          y={{ label: 'sᵢ / s₁', log: true }}
        />
      )}
    </Figure>
  );
}

const PHASES: { readonly [phase: string]: string } = {
  forward: 'forward pass',
  backward: 'backward pass',
  gram: 'Gram matrix',
  weights: 'weights of the step',
  pull_back: 'pull back',
  apply: 'apply',
};

export function RunPhases({ run }: { run: Run }) {
  const { theme } = usePage();
  const bars = Object.entries(run.phases).map(([name, seconds]) => ({
    name: PHASES[name] ?? name,
    value: seconds,
  }));
  if (bars.length === 0) return null;
  const total = bars.reduce((sum, bar) => sum + bar.value, 0);
  return (
    <Figure
      name={`phases-${run.id}`}
      title="Time by phase"
      height={200}
      note={`Of all steps together: ${duration(total)}.`}
      table={() => ({
        header: ['phase', 'seconds', 'share'],
        rows: bars.map((bar) => [bar.name, bar.value, bar.value / total]),
      })}
    >
      {() => (
        <Bars
          label={`Time by phase of ${run.id}`}
          bars={bars.map((bar) => ({
            ...bar,
            text: `${duration(bar.value)} · ${((100 * bar.value) / total).toFixed(0)} %`,
          }))}
          colour={optimizerInk(optimizerOf(run), theme).colour}
        />
      )}
    </Figure>
  );
}
