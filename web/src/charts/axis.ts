// SPDX-License-Identifier: MIT
// Scales from values to pixels, and where their ticks stand.
import { scaleLinear, scaleLog } from 'd3-scale';
import type { Column } from '../data';
import { short, superscript } from '../format';

export interface AxisSpec {
  readonly label: string;
  readonly log?: boolean;
  /** Set from outside, for panels that share it. */
  readonly domain?: readonly [number, number];
  /** Only whole numbers have ticks. */
  readonly integer?: boolean;
  /** Values beyond do not stretch the axis. */
  readonly cap?: number;
}

export interface Tick {
  readonly value: number;
  readonly label: string;
}

export interface Axis {
  (value: number): number;
  readonly ticks: readonly Tick[];
  readonly domain: readonly [number, number];
}

// Beyond, the ends of an axis would no longer be numbers.
const LARGEST = 1e300;

export function isShown(value: number | null | undefined, log: boolean): value is number {
  if (value === null || value === undefined) return false;
  return Math.abs(value) <= LARGEST && (!log || value >= 1 / LARGEST);
}

/** Smallest and largest of what can be shown. */
export function extent(
  columns: Iterable<Column>,
  log: boolean,
  cap = Infinity,
): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const column of columns) {
    for (const value of column) {
      if (!isShown(value, log)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  if (low > high) return null;
  return [low, Math.max(low, Math.min(high, cap))];
}

const MANTISSAS = [
  [1, 1.5, 2, 3, 4, 5, 6, 8],
  [1, 2, 3, 4, 5, 7],
  [1, 2, 3, 5],
  [1, 2, 5],
  [1, 3],
];

function logTicks([low, high]: readonly [number, number], room: number): Tick[] {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  const decades = last - first + 1;
  if (decades >= 3 || (decades === 2 && room < 4)) {
    const step = Math.max(1, Math.ceil(decades / room));
    return Array.from({ length: Math.ceil(decades / step) }, (_, i) => {
      const power = first + i * step;
      return {
        value: 10 ** power,
        label: power === 0 ? '1' : power === 1 ? '10' : `10${superscript(power)}`,
      };
    });
  }
  // Within two decades the numbers between are needed as well, as many as fit.
  for (const mantissas of MANTISSAS) {
    const ticks: Tick[] = [];
    for (let power = first - 1; power <= last; power++) {
      for (const m of mantissas) {
        const value = Number(`${m}e${power}`);
        if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
          ticks.push({ value, label: short(value) });
      }
    }
    if (ticks.length >= 2 && ticks.length <= room) return ticks;
  }
  return scaleLinear()
    .domain([low, high])
    .ticks(Math.min(room, 4))
    .map((value) => ({ value, label: short(value) }));
}

function linearTicks(domain: readonly [number, number], room: number, integer: boolean): Tick[] {
  const ticks = scaleLinear().domain(domain).ticks(room);
  return ticks
    .filter((value) => !integer || Number.isInteger(value))
    .map((value) => ({ value, label: short(Number(value.toPrecision(12))) }));
}

/** A domain with some space at its ends; a single value gets room on both sides. */
function padded([low, high]: [number, number], log: boolean, share: number): [number, number] {
  if (log) {
    const width = Math.log(high / low) || Math.log(10);
    return [low / Math.exp(width * share), high * Math.exp(width * share)];
  }
  const width = high - low || Math.abs(high) || 1;
  return [low - width * share, high + width * share];
}

export function makeAxis(
  spec: AxisSpec,
  columns: Iterable<Column>,
  pixels: [number, number],
  room: number,
  pad: number,
): Axis {
  const log = spec.log ?? false;
  const found = extent(columns, log, spec.cap) ?? [log ? 0.1 : 0, 1];
  const domain = spec.domain ?? padded(found, log, found[0] === found[1] ? 0.5 : pad);
  const scale = (log ? scaleLog() : scaleLinear()).domain(domain).range(pixels);
  const ticks = log ? logTicks(domain, room) : linearTicks(domain, room, spec.integer ?? false);
  return Object.assign((value: number) => scale(value), {
    ticks,
    domain: [domain[0], domain[1]] as const,
  });
}

/** Room for the labels of an upright axis and for its name. */
export function leftMargin(axis: Axis): number {
  return 28 + 6.6 * Math.max(3, ...axis.ticks.map((tick) => tick.label.length));
}
