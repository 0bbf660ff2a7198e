// SPDX-License-Identifier: MIT
// Which curves the section Curves shows, and how they are told apart.
import { useMemo } from 'preact/hooks';
import type { LegendEntry } from '../charts/legend';
import type { Setting } from '../data';
import { settingText } from '../format';
import { bestPoints, byFinalLoss, type Point, type Task, valuesOf, variedSettings } from '../model';
import { median } from '../stats';
import { optimizerInk, ramp, type Theme } from '../theme';
import { useChoice, useOneOf, usePage, useSet } from '../view';
import { useSource, useTask } from './selects';

export const MOST_LINES = 150;

/** A setting of which one value, or any, is shown. */
export interface Filter {
  readonly name: string;
  readonly values: readonly Setting[];
  /** Empty: any. */
  readonly value: string;
}

export interface CurveChoice {
  readonly task: Task;
  readonly filters: readonly Filter[];
  readonly by: string;
  readonly legend: readonly LegendEntry[];
  readonly toggle: (entry: string) => void;
  /** Something is filtered out or switched off. */
  readonly narrowed: boolean;
  /** All that match, and those of them that are switched on. */
  readonly candidates: readonly Point[];
  readonly points: readonly Point[];
}

/** How lines are told apart: by optimizer, or by the value of one setting. */
export function entryOf(point: Point, by: string): string {
  return by === 'optimizer' ? point.optimizer : settingText(point.settings.get(by));
}

function makeLegend(
  points: readonly Point[],
  by: string,
  off: ReadonlySet<string>,
  theme: Theme,
): LegendEntry[] {
  if (by === 'optimizer') {
    const names = [...new Set(points.map((p) => p.optimizer))];
    return names.map((name) => ({
      key: name,
      label: name,
      off: off.has(name),
      ...optimizerInk(name, theme),
    }));
  }
  const values: (Setting | undefined)[] = valuesOf(points, by);
  if (points.some((p) => !p.settings.has(by))) values.push(undefined);
  return values.map((value, i) => {
    const text = settingText(value);
    return {
      key: text,
      label: `${by} ${text}`,
      colour: ramp(i, values.length, theme),
      off: off.has(text),
    };
  });
}

/** Runs that flew up would flatten all others: what lies far above the start is cut. */
export function capOf(points: readonly Point[]): number {
  const starts = points.flatMap((p) => p.runs.map((run) => run.initial_val_loss));
  const typical = median(starts.filter((value) => value !== null));
  return typical !== null && typical > 0 ? 10 * typical : Infinity;
}

function matches(point: Point, filters: readonly Filter[]): boolean {
  return filters.every((f) => f.value === '' || String(point.settings.get(f.name)) === f.value);
}

export function useCurveChoice(): CurveChoice {
  const { theme, view } = usePage();
  const task = useTask();
  const [source] = useSource(task.points);
  const [show] = useOneOf('show', ['best', 'all']);
  const [by] = useChoice('by', 'optimizer');
  const [off, toggle] = useSet('off');
  const inSource = useMemo(
    () => task.points.filter((p) => source === 'all' || p.source.name === source),
    [task, source],
  );
  const filters = variedSettings(inSource).map((name) => {
    const values = valuesOf(inSource, name);
    const value = view.params.get(`s.${name}`) ?? '';
    return { name, values, value: values.some((v) => String(v) === value) ? value : '' };
  });
  const filterKey = filters.map((f) => `${f.name}=${f.value}`).join();
  const candidates = useMemo(() => {
    const matching = inSource.filter((p) => matches(p, filters));
    return show === 'best' ? bestPoints(matching) : byFinalLoss(matching);
  }, [inSource, filterKey, show]);
  const offKey = [...off].sort().join();
  const points = useMemo(
    () => candidates.filter((p) => !off.has(entryOf(p, by))).slice(0, MOST_LINES),
    [candidates, by, offKey],
  );
  const narrowed = filters.some((f) => f.value) || off.size > 0;
  const legend = makeLegend(candidates, by, off, theme);
  return { task, filters, by, legend, toggle, narrowed, candidates, points };
}
