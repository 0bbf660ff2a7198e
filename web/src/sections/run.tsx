// SPDX-License-Identifier: MIT
// One run: what it was, how it went, how to do it again.
import { useMemo, useState } from 'preact/hooks';
import { Bars } from '../charts/bars';
import { ColourBar } from '../charts/colour_bar';
import { Figure } from '../charts/figure';
import { LineChart, type Series } from '../charts/line_chart';
import { seriesRows } from '../charts/series';
import { commandOf } from '../command';
import { allSettings, type Column, type Run } from '../data';
import { bytes, count, duration, number, percent, settingText } from '../format';
import { isDiverged, optimizerOf } from '../model';
import { namedColour, optimizerInk, ramp, type Theme } from '../theme';
import { Section, Segmented } from '../ui';
import { hashOf, useChoice, usePage } from '../view';
import { spectraSeries } from './spectra';
import { statusText } from './runs';

export function RunPage() {
  const { model, view } = usePage();
  const run = model.runs.get(view.params.get('id') ?? '');
  if (!run) {
    return (
      <Section title="No such run">
        <p><a href="#runs">All runs</a></p>
      </Section>
    );
  }
  return <RunView key={run.id} run={run} />;
}

function facts(run: Run): [string, string][] {
  const list: [string, string | null][] = [
    ['Status', statusText(run) + (run.diverged_at_step ? ` at step ${count(run.diverged_at_step)}` : '')],
    ['Final validation loss', number(run.final_val_loss)],
    ['Best validation loss', run.best_val_loss === null ? null : `${number(run.best_val_loss)}${run.best_epoch !== null ? ` in epoch ${run.best_epoch}` : ''}`],
    ['Final training loss', number(run.final_train_loss)],
    ['Loss at the start', run.initial_val_loss === null ? null : number(run.initial_val_loss)],
    ['Accuracy', run.final_val_accuracy === null ? null : percent(run.final_val_accuracy)],
    ['Epochs', count(run.epochs.epoch.length)],
    ['Steps', run.steps === null ? null : count(run.steps)],
    ['Steps refused', run.refused ? count(run.refused) : null],
    ['Training', duration(run.train_seconds)],
    ['With evaluation', run.total_seconds === null ? null : duration(run.total_seconds)],
    ['Peak memory', run.peak_memory === null ? null : bytes(run.peak_memory)],
  ];
  return list.filter((entry): entry is [string, string] => entry[1] !== null);
}

function RunView({ run }: { run: Run }) {
  const { model } = usePage();
  const point = model.pointOf.get(run.id)!;
  return (
    <Section title={run.id} lead={<>
      <span class={isDiverged(run) ? 'bad' : ''}>{`${optimizerOf(run)}${point.label ? ` · ${point.label}` : ''}`}</span>
      {point.runs.length > 1 && <>
        {' · other runs of this point: '}
        <span class="run-links">
          {point.runs.map((other, i) => other === run ? <b key={other.id}>{String(i + 1)}</b>
            : <a key={other.id} href={hashOf('run', { id: other.id })} title={other.id} aria-label={`run ${other.id}`}>{String(i + 1)}</a>)}
        </span>
      </>}
    </>}>
      <dl class="facts">
        {facts(run).map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{value}</dd></div>)}
      </dl>
      <Again run={run} />
      <RunCurves run={run} />
      {run.spectra && <RunSpectrum run={run} />}
      <Phases run={run} />
      <Configuration run={run} />
    </Section>
  );
}

function Again({ run }: { run: Run }) {
  const { model } = usePage();
  const [copied, setCopied] = useState('');
  const command = commandOf(model.report, run);
  const copy = () => {
    // Files have no clipboard in some browsers: then the text is selected instead.
    const done = navigator.clipboard ? navigator.clipboard.writeText(command) : Promise.reject(new Error('none'));
    done.then(() => setCopied('Copied'), () => {
      getSelection()?.selectAllChildren(document.getElementById('command')!);
      setCopied('Selected: press Ctrl+C');
    });
  };
  return (
    <div class="again">
      <div class="caption"><h3>Run it again</h3>
        <div class="tools">
          <span role="status">{copied}</span>
          <button type="button" onClick={copy}>Copy</button>
        </div>
      </div>
      <pre class="command" tabIndex={0}><code id="command">{wordsOf(command)}</code></pre>
      {run.command && <p class="note">{'As it was called: '}<code>{run.command}</code></p>}
    </div>
  );
}

/** Options stay whole where the command runs over several lines. */
function wordsOf(command: string) {
  return command.split(/ (?=--[a-z])/).flatMap((option, i) => [i > 0 ? ' ' : '', <span key={i}>{option}</span>]);
}

interface RunPanel {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly log: boolean;
  readonly domain?: readonly [number, number];
  readonly series: readonly Series[];
}

function runPanels(run: Run, x: 'epoch' | 'step' | 'seconds', log: boolean, theme: Theme): RunPanel[] {
  const { epochs, checks } = run;
  const own = optimizerInk(optimizerOf(run), theme).colour;
  const grey = namedColour('grey', theme);
  const label = x === 'seconds' ? 'seconds of training' : x;
  const line = (name: string, y: Column | null, colour: string, more: Partial<Series> = {}): Series[] =>
    y?.some((value) => value !== null) ? [{ key: name, entry: name, label: name, colour, x: epochs[x], y, ...more }] : [];
  // Between epochs the number of steps tells where a validation belongs.
  const perEpoch = (epochs.step[0] ?? 0) / (epochs.epoch[0] ?? 1);
  const checkX = !checks ? [] : x === 'step' ? checks.step : x === 'seconds' ? checks.seconds
    : checks.step.map((step) => (step !== null && perEpoch > 0 ? step / perEpoch : null));
  const panels: (RunPanel | null)[] = [
    { title: 'Loss', y: 'loss', log, x: label, series: [
      ...line('validation', epochs.val_loss, own, { width: 2 }),
      ...line('training', epochs.train_loss, own, { dash: '5 3' }),
      ...line('batches before their step', epochs.batch_loss, grey, { dash: '2 2.5' }),
      ...(checks ? [{ key: 'checks', entry: 'within epochs', label: 'within epochs', colour: own, opacity: 0.5, width: 1, x: checkX, y: checks.val_loss }] : []),
    ] },
    { title: 'Accuracy', y: 'accuracy', log: false, x: label, series: [
      ...line('validation', epochs.val_accuracy, own, { width: 2 }), ...line('training', epochs.train_accuracy, own, { dash: '5 3' })] },
    { title: 'Singular values kept', y: 'mean of an epoch', log: false, x: label, domain: [0, 1.06 * Math.max(1, ...(epochs.kept ?? []).map((kept) => kept ?? 0))], series: line('kept', epochs.kept, own) },
    { title: 'Norm of the update', y: 'norm', log: true, x: label, series: line('norm', epochs.update_norm, own) },
    { title: 'Learning rate', y: 'learning rate', log: false, x: label,
      series: new Set(epochs.learning_rate ?? []).size > 1 ? line('learning rate', epochs.learning_rate, own) : [] },
  ];
  return panels.filter((panel): panel is RunPanel => panel !== null && panel.series.length > 0);
}

function RunCurves({ run }: { run: Run }) {
  const { theme } = usePage();
  const [x, setX] = useChoice('x', 'epoch');
  const [y, setY] = useChoice('y', 'log');
  const panels = useMemo(() => runPanels(run, x as 'epoch', y === 'log', theme), [run, x, y, theme]);
  if (panels.length === 0) return <p class="note">No epoch has ended yet.</p>;
  const losses = panels[0]!.series;
  return (
    <>
      <div class="controls">
        <Segmented label="Against" value={x} onChange={setX}
          options={[{ value: 'epoch', label: 'epoch' }, { value: 'step', label: 'step' }, { value: 'seconds', label: 'seconds' }]} />
        <Segmented label="Loss axis" value={y} onChange={setY} options={[{ value: 'log', label: 'log' }, { value: 'linear', label: 'linear' }]} />
      </div>
      <Figure name={`run-${run.id}`} title="As it went" height={320} table={() => seriesRows(panels)}
        legend={losses.map((s) => ({ key: s.entry, label: s.entry, colour: s.colour, ...(s.dash ? { dash: s.dash } : {}) }))}>
        {(lit) => (
          <div class={`panels of-${Math.min(panels.length, 2)}`}>
            {panels.map((panel) => (
              <LineChart key={panel.title} label={`${panel.title} of ${run.id}`} title={panel.title} series={panel.series} lit={lit} height={260}
                x={{ label: panel.x, integer: x !== 'seconds' }} y={{ label: panel.y, log: panel.log, ...(panel.domain ? { domain: panel.domain } : {}) }} />
            ))}
          </div>
        )}
      </Figure>
    </>
  );
}

function RunSpectrum({ run }: { run: Run }) {
  const { theme } = usePage();
  const series = useMemo(() => spectraSeries(run.spectra!, theme), [run, theme]);
  const { epoch } = run.spectra!;
  return (
    <Figure name={`spectrum-${run.id}`} title="Spectrum" height={300} table={() => seriesRows([{ title: run.id, x: 'i', y: 'sᵢ / s₁', series }])}
      note={<ColourBar from={`epoch ${epoch[0]}`} to={`epoch ${epoch[epoch.length - 1]}`} colours={Array.from({ length: 12 }, (_, i) => ramp(i, 12, theme))} />}>
      {() => <LineChart label={`Spectra of ${run.id} by epoch`} series={series} height={300} x={{ label: 'index i', integer: true }} y={{ label: 'sᵢ / s₁', log: true }} />}
    </Figure>
  );
}

const PHASES: { readonly [phase: string]: string } = {
  forward: 'forward pass', backward: 'backward pass', gram: 'Gram matrix', weights: 'weights of the step', pull_back: 'pull back', apply: 'apply',
};

function Phases({ run }: { run: Run }) {
  const { theme } = usePage();
  const bars = Object.entries(run.phases).map(([name, seconds]) => ({ name: PHASES[name] ?? name, value: seconds }));
  if (bars.length === 0) return null;
  const total = bars.reduce((sum, bar) => sum + bar.value, 0);
  return (
    <Figure name={`phases-${run.id}`} title="Time by phase" height={200} note={`Of all steps together: ${duration(total)}.`}
      table={() => ({ header: ['phase', 'seconds', 'share'], rows: bars.map((bar) => [bar.name, bar.value, bar.value / total]) })}>
      {() => <Bars label={`Time by phase of ${run.id}`} bars={bars.map((bar) => ({ ...bar, text: `${duration(bar.value)} · ${(100 * bar.value / total).toFixed(0)} %` }))}
        colour={optimizerInk(optimizerOf(run), theme).colour} />}
    </Figure>
  );
}

function Configuration({ run }: { run: Run }) {
  const settings = Object.entries(allSettings(run)).sort(([a], [b]) => (a < b ? -1 : 1));
  const said = settings.filter(([, value]) => value !== 'none' && value !== '');
  const rest = settings.filter(([, value]) => value === 'none' || value === '');
  const machine = Object.entries(run.base.machine);
  const list = (entries: readonly [string, string | number | boolean][]) => (
    <dl class="configuration">{entries.map(([name, value]) => <div key={name}><dt>{name}</dt><dd>{settingText(value)}</dd></div>)}</dl>
  );
  return (
    <div>
      <h3>Configuration</h3>
      {list(said)}
      {rest.length > 0 && <p class="note">{`Not set: ${rest.map(([name]) => name).join(', ')}.`}</p>}
      {(machine.length > 0 || run.base.version) &&
        <p class="note">{[run.base.version && `sven ${run.base.version}`, ...machine.map(([name, value]) => `${name} ${settingText(value)}`)].filter((w) => w).join(' · ')}</p>}
    </div>
  );
}
