// SPDX-License-Identifier: MIT
// Statistics over seeds. A loss that is not finite (null) counts as infinitely
// large where losses are ranked, and is left out of means.
import type { Column } from './data';

/** The q-th part of sorted values, linear between neighbours; inf - inf is inf. */
function quantileSorted(sorted: readonly number[], q: number): number {
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)]!;
  const high = sorted[Math.ceil(at)]!;
  return low === high ? low : low + (high - low) * (at - Math.floor(at));
}

export interface Quartiles {
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly count: number;
}

export function quartiles(values: Column): Quartiles | null {
  if (values.length === 0) return null;
  const sorted = values.map((v) => v ?? Infinity).sort((a, b) => a - b);
  return {
    low: quantileSorted(sorted, 0.25),
    median: quantileSorted(sorted, 0.5),
    high: quantileSorted(sorted, 0.75),
    count: sorted.length,
  };
}

/** The median, or null if there is none or it is not finite. */
export function median(values: Column): number | null {
  const middle = quartiles(values)?.median;
  return middle !== undefined && Number.isFinite(middle) ? middle : null;
}

export interface Spread {
  readonly median: (number | null)[];
  /** Mean minus and plus one standard deviation, of logarithms if so asked. */
  readonly low: (number | null)[];
  readonly high: (number | null)[];
}

/** Mean and deviation (of the sample) of the finite values, on a scale. */
function oneSigma(values: Column, log: boolean): [number, number] | null {
  const kept = values
    .filter((v): v is number => v !== null && (!log || v > 0))
    .map((v) => (log ? Math.log(v) : v));
  if (kept.length < 2) return null;
  const mean = kept.reduce((a, b) => a + b, 0) / kept.length;
  const variance = kept.reduce((a, b) => a + (b - mean) ** 2, 0) / (kept.length - 1);
  const sigma = Math.sqrt(variance);
  return log ? [Math.exp(mean - sigma), Math.exp(mean + sigma)] : [mean - sigma, mean + sigma];
}

/**
 * Curves of several seeds in one, epoch by epoch over those that came so far.
 * (The median always lies within one standard deviation of the mean.)
 */
export function spread(curves: readonly Column[], log: boolean): Spread {
  const length = Math.max(0, ...curves.map((curve) => curve.length));
  const result: Spread = { median: [], low: [], high: [] };
  for (let i = 0; i < length; i++) {
    const values = curves.filter((curve) => i < curve.length).map((curve) => curve[i]!);
    const band = oneSigma(values, log);
    result.median.push(median(values));
    result.low.push(band && band[0]);
    result.high.push(band && band[1]);
  }
  return result;
}
