// SPDX-License-Identifier: MIT
// One run: what it was, how it went, how to do it again.
import { useState } from 'preact/hooks';
import { commandOf } from '../command';
import { allSettings, type Run } from '../data';
import { bytes, count, duration, number, percent, settingText } from '../format';
import { isDiverged, optimizerOf } from '../model';
import { Section } from '../ui';
import { hashOf, usePage } from '../view';
import { RunCurves, RunPhases, RunSpectrum } from './run_figures';
import { statusText } from './runs';

export function RunPage() {
  const { model, view } = usePage();
  const run = model.runs.get(view.params.get('id') ?? '');
  if (!run) {
    return (
      <Section title="No such run">
        <p>
          <a href="#runs">All runs</a>
        </p>
      </Section>
    );
  }
  return <RunView key={run.id} run={run} />;
}

function facts(run: Run): [string, string][] {
  const list: [string, string | null][] = [
    [
      'Status',
      statusText(run) + (run.diverged_at_step ? ` at step ${count(run.diverged_at_step)}` : ''),
    ],
    ['Final validation loss', number(run.final_val_loss)],
    ['Best validation loss', run.best_val_loss === null ? null : number(run.best_val_loss)],
    ['In epoch', run.best_epoch === null ? null : count(run.best_epoch)],
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
    <Section
      title={run.id}
      lead={
        <>
          <span
            class={isDiverged(run) ? 'bad' : ''}
          >{`${optimizerOf(run)}${point.label ? ` · ${point.label}` : ''}`}</span>
          {point.runs.length > 1 && (
            <>
              {' · other runs of this point: '}
              <span class="run-links">
                {point.runs.map((other, i) =>
                  other === run ? (
                    <b key={other.id}>{String(i + 1)}</b>
                  ) : (
                    <a
                      key={other.id}
                      href={hashOf('run', { id: other.id })}
                      title={other.id}
                      aria-label={`run ${other.id}`}
                    >
                      {String(i + 1)}
                    </a>
                  ),
                )}
              </span>
            </>
          )}
        </>
      }
    >
      <dl class="facts">
        {facts(run).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Again run={run} />
      <RunCurves run={run} />
      {run.spectra && <RunSpectrum run={run} />}
      <RunPhases run={run} />
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
    const done = navigator.clipboard
      ? navigator.clipboard.writeText(command)
      : Promise.reject(new Error('none'));
    done.then(
      () => setCopied('Copied'),
      () => {
        getSelection()?.selectAllChildren(document.getElementById('command')!);
        setCopied('Selected: press Ctrl+C');
      },
    );
  };
  return (
    <div class="again">
      <div class="caption">
        <h3>Run it again</h3>
        <div class="tools">
          <span role="status">{copied}</span>
          <button type="button" onClick={copy}>
            Copy
          </button>
        </div>
      </div>
      <pre class="command" tabIndex={0}>
        <code id="command">{wordsOf(command)}</code>
      </pre>
      {run.command && (
        <p class="note">
          {'As it was called: '}
          <code>{run.command}</code>
        </p>
      )}
    </div>
  );
}

/** Options stay whole where the command runs over several lines. */
function wordsOf(command: string) {
  return command
    .split(/ (?=--[a-z])/)
    .flatMap((option, i) => [i > 0 ? ' ' : '', <span key={i}>{option}</span>]);
}

function Configuration({ run }: { run: Run }) {
  const settings = Object.entries(allSettings(run)).sort(([a], [b]) => (a < b ? -1 : 1));
  const said = settings.filter(([, value]) => value !== 'none' && value !== '');
  const rest = settings.filter(([, value]) => value === 'none' || value === '');
  const machine = Object.entries(run.base.machine);
  const list = (entries: readonly [string, string | number | boolean][]) => (
    <dl class="configuration">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{settingText(value)}</dd>
        </div>
      ))}
    </dl>
  );
  return (
    <div>
      <h3>Configuration</h3>
      {list(said)}
      {rest.length > 0 && (
        <p class="note">{`Not set: ${rest.map(([name]) => name).join(', ')}.`}</p>
      )}
      {(machine.length > 0 || run.base.version) && (
        <p class="note">
          {[
            run.base.version && `sven ${run.base.version}`,
            ...machine.map(([name, value]) => `${name} ${settingText(value)}`),
          ]
            .filter((w) => w)
            .join(' · ')}
        </p>
      )}
    </div>
  );
}
