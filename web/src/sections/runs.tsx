// SPDX-License-Identifier: MIT
// The list of all runs, to find one.
import { useMemo } from 'preact/hooks';
import type { Run } from '../data';
import { count, duration, number, plural } from '../format';
import { isDiverged, optimizerOf } from '../model';
import { optimizerInk } from '../theme';
import { Section, Select, Table } from '../ui';
import { hashOf, useChoice, usePage } from '../view';
import { LeftOut } from './left_out';

export function statusText(run: Run): string {
  return run.status.replaceAll('_', ' ');
}

export function Runs() {
  const { model, theme, change } = usePage();
  const [search, setSearch] = useChoice('q', '');
  const [task, setTask] = useChoice('task', 'all');
  const [optimizer, setOptimizer] = useChoice('optimizer', 'all');
  const [pointKey] = useChoice('point', '');
  const [sort, setSort] = useChoice('sort', '');
  const point = pointKey ? model.pointOf.get(pointKey) : undefined;
  const optimizers = [...new Set(model.points.map((p) => p.optimizer))].sort();
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word);
  const runs = useMemo(
    () =>
      (point ? point.runs : model.report.runs).filter(
        (run) =>
          (point || task === 'all' || model.pointOf.get(run.id)!.task === task) &&
          (optimizer === 'all' || optimizerOf(run) === optimizer) &&
          words.every((word) => run.id.toLowerCase().includes(word)),
      ),
    [model, point, task, optimizer, search],
  );
  const titles = new Map(model.tasks.map((t) => [t.key, t.title]));
  const taskOf = (run: Run) => titles.get(model.pointOf.get(run.id)!.task) ?? '';
  return (
    <Section
      title="Runs"
      lead={
        point
          ? `${plural(runs.length, 'run')} of ${point.optimizer}${point.label ? `, ${point.label}` : ''}, from ${point.source.name}.`
          : `${count(runs.length)} of ${plural(model.report.runs.length, 'run')}.`
      }
    >
      <div class="controls">
        <label class="field wide">
          <span>Name has</span>
          <input
            type="search"
            value={search}
            onInput={(e) => setSearch(e.currentTarget.value)}
            placeholder="such as k=16 seed=3"
          />
        </label>
        {point ? (
          <button type="button" class="plain" onClick={() => change({ point: null })}>
            Show all runs
          </button>
        ) : (
          <>
            {model.tasks.length > 1 && (
              <Select
                label="Task"
                value={task}
                onChange={setTask}
                options={[
                  { value: 'all', label: 'all' },
                  ...model.tasks.map((t) => ({ value: t.key, label: t.title })),
                ]}
              />
            )}
            {optimizers.length > 1 && (
              <Select
                label="Optimizer"
                value={optimizer}
                onChange={setOptimizer}
                options={['all', ...optimizers].map((value) => ({ value, label: value }))}
              />
            )}
          </>
        )}
      </div>
      <Table
        label="Runs"
        rows={runs}
        rowKey={(run) => run.id}
        sort={sort}
        onSort={setSort}
        most={50}
        columns={[
          {
            key: 'name',
            title: 'Run',
            order: (run) => run.id,
            cell: (run) => (
              <span class="name">
                <span
                  class="swatch"
                  style={{ background: optimizerInk(optimizerOf(run), theme).colour }}
                />
                <a class="run-name" href={hashOf('run', { id: run.id })}>
                  {run.id}
                </a>
              </span>
            ),
          },
          { key: 'task', title: 'Task', minor: true, order: taskOf, cell: taskOf },
          {
            key: 'final',
            title: 'Final validation loss',
            numeric: true,
            order: (run) => (isDiverged(run) ? Infinity : (run.final_val_loss ?? Infinity)),
            cell: (run) =>
              isDiverged(run) ? <span class="bad">diverged</span> : number(run.final_val_loss),
          },
          {
            key: 'best',
            title: 'Best',
            numeric: true,
            minor: true,
            order: (run) => run.best_val_loss ?? Infinity,
            cell: (run) => number(run.best_val_loss),
          },
          {
            key: 'epochs',
            title: 'Epochs',
            numeric: true,
            minor: true,
            order: (run) => run.epochs.epoch.length,
            cell: (run) => count(run.epochs.epoch.length),
          },
          {
            key: 'time',
            title: 'Time',
            numeric: true,
            minor: true,
            order: (run) => run.train_seconds ?? Infinity,
            cell: (run) => duration(run.train_seconds),
          },
          {
            key: 'status',
            title: 'Status',
            minor: true,
            order: (run) => run.status,
            cell: (run) => <span class={isDiverged(run) ? 'bad' : ''}>{statusText(run)}</span>,
          },
        ]}
      />
      <LeftOut report={model.report} />
    </Section>
  );
}
