// SPDX-License-Identifier: MIT
// What is under the pointer.
import { number, short } from '../format';
import { type Axis, isShown } from './axis';
import type { Series } from './line_chart';

export interface Near {
  readonly series: Series;
  readonly index: number;
  readonly px: number;
  readonly py: number;
}

/** The point of a curve nearest to the pointer, if there is one close by. */
export function nearest(
  series: readonly Series[],
  x: Axis,
  y: Axis,
  xLog: boolean,
  yLog: boolean,
  at: [number, number],
): Near | null {
  let found: Near | null = null;
  let least = 40 ** 2;
  for (const one of series) {
    for (let i = 0; i < one.y.length; i++) {
      if (!isShown(one.x[i], xLog) || !isShown(one.y[i], yLog)) continue;
      const px = x(one.x[i]!);
      const py = y(one.y[i]!);
      const distance = (px - at[0]) ** 2 + (py - at[1]) ** 2;
      if (distance < least) {
        least = distance;
        found = { series: one, index: i, px, py };
      }
    }
  }
  return found;
}

export function Tooltip(props: {
  near: Near;
  width: number;
  xLabel: string;
  yLabel: string;
  hint?: string | undefined;
}) {
  const { series, index, px, py } = props.near;
  const { low, high } = series;
  const hasBand = low && high && isShown(low[index], false) && isShown(high[index], false);
  // On the side with more room, so that it never leaves the figure.
  const side =
    px > props.width / 2 ? { right: `${props.width - px + 12}px` } : { left: `${px + 12}px` };
  return (
    <div class="tooltip" aria-hidden="true" style={{ top: `${Math.max(py - 20, 0)}px`, ...side }}>
      <div class="tooltip-title">{series.label}</div>
      <div>{`${props.xLabel} ${short(Number(series.x[index]!.toPrecision(4)))}`}</div>
      <div>{`${props.yLabel} ${number(series.y[index])}`}</div>
      {hasBand && <div class="muted">{`${number(low[index], 3)} – ${number(high[index], 3)}`}</div>}
      {props.hint && <div class="muted">{props.hint}</div>}
    </div>
  );
}
