// SPDX-License-Identifier: MIT
// What several sections let people choose: a task, a folder.
import type { Point, Task } from '../model';
import { Select } from '../ui';
import { useChoice, usePage } from '../view';

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
  const choose = (key: string) =>
    change({
      ...Object.fromEntries(
        [...view.params.keys()].filter((name) => name.startsWith('s.')).map((name) => [name, null]),
      ),
      source: null,
      off: null,
      by: null,
      runs: null,
      optimizer: null,
      task: key,
    });
  return (
    <Select
      label="Task"
      value={task.key}
      onChange={choose}
      options={tasks.map((t) => ({ value: t.key, label: t.title }))}
    />
  );
}

/** The folder that is chosen, "all" unless there is one of that name. */
export function useSource(points: readonly Point[]): [string, (value: string) => void] {
  const [name, set] = useChoice('source', 'all');
  return [points.some((p) => p.source.name === name) ? name : 'all', set];
}

export function SourceSelect(props: {
  points: readonly Point[];
  value: string;
  onChange: (value: string) => void;
  all?: boolean;
}) {
  const names = [...new Set(props.points.map((p) => p.source.name))];
  if (names.length < 2) return null;
  const options = names.map((name) => ({ value: name, label: name }));
  return (
    <Select
      label="Folder"
      value={props.value}
      onChange={props.onChange}
      options={props.all === false ? options : [{ value: 'all', label: 'all' }, ...options]}
    />
  );
}
