// SPDX-License-Identifier: MIT
// Ways from a point to its runs.
import { plural } from '../format';
import type { Point } from '../model';
import { hashOf } from '../view';

/** To the runs of a point: to the only one, or to the list of them. */
export function linkTo(point: Point): string {
  return point.runs.length === 1
    ? hashOf('run', { id: point.runs[0]!.id })
    : hashOf('runs', { point: point.key });
}

/** The runs of a point, each one click away. */
export function RunLinks({ point }: { point: Point }) {
  if (point.runs.length > 12) return <a href={linkTo(point)}>{plural(point.runs.length, 'run')}</a>;
  return (
    <span class="run-links">
      {point.runs.map((run, i) => (
        <a
          key={run.id}
          href={hashOf('run', { id: run.id })}
          title={run.id}
          aria-label={`run ${run.id}`}
        >
          {String(i + 1)}
        </a>
      ))}
    </span>
  );
}
