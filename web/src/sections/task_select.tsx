// SPDX-License-Identifier: MIT
import type { Task } from '../model';
import { Select } from '../ui';
import { usePage } from '../view';

const NO_TASK: Task = { key: '', title: 'No runs', points: [] };

/** The task that the sections share, by default the first one. */
export function useTask(): Task {
  const { model, view } = usePage();
  const key = view.params.get('task');
  return model.tasks.find((task) => task.key === key) ?? model.tasks[0] ?? NO_TASK;
}

export function TaskSelect(props: { tasks?: readonly Task[] }) {
  const { model, view, change } = usePage();
  const task = useTask();
  const tasks = props.tasks ?? model.tasks;
  if (tasks.length < 2) return null;
  // Choices of one task mean nothing in another.
  const choose = (key: string) => change({
    ...Object.fromEntries([...view.params.keys()].filter((name) => name.startsWith('s.')).map((name) => [name, null])),
    source: null, off: null, by: null, runs: null, optimizer: null, task: key,
  });
  return <Select label="Task" value={task.key} onChange={choose} options={tasks.map((t) => ({ value: t.key, label: t.title }))} />;
}
