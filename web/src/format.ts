// SPDX-License-Identifier: MIT
// Numbers as a scientist writes them: 1.3 × 10⁻⁶, 0.0517, 12 400.
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const MINUS = '−';
const NARROW_SPACE = '\u202f';

export function superscript(n: number): string {
  const digits = String(Math.abs(n)).replace(/\d/g, (d) => SUPERSCRIPTS[Number(d)]!);
  return (n < 0 ? '⁻' : '') + digits;
}

/** Sign and thousands as in print. */
function typeset(plain: string): string {
  const [whole, part] = plain.replace('-', MINUS).split('.');
  const grouped = whole!.length > 4 ? whole!.replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE) : whole!;
  return part === undefined ? grouped : `${grouped}.${part}`;
}

function isPlain(magnitude: number): boolean {
  return magnitude >= 1e-2 && magnitude < 1e5;
}

/** Rounded to so many significant digits; powers of ten where it is short. */
export function number(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || Number.isNaN(value)) return '–';
  if (!Number.isFinite(value)) return value > 0 ? '∞' : `${MINUS}∞`;
  if (value === 0) return '0';
  if (isPlain(Math.abs(value))) {
    if (Math.abs(value) >= 10 ** digits) return typeset(value.toFixed(0));
    return typeset(value.toPrecision(digits));
  }
  const [mantissa, exponent] = value.toExponential(digits - 1).split('e') as [string, string];
  return `${mantissa.replace('-', MINUS)} × 10${superscript(Number(exponent))}`;
}

/** A setting or tick: no trailing zeros, 10⁻³ instead of 1 × 10⁻³. */
export function short(value: number): string {
  if (value === 0 || !Number.isFinite(value)) return number(value);
  if (Math.abs(value) >= 1e-2 && Math.abs(value) < 1e5)
    return typeset(String(Number(value.toPrecision(6))));
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string];
  const power = `10${superscript(Number(exponent))}`;
  const rounded = String(Number(Number(mantissa).toPrecision(4)));
  if (rounded === '1') return power;
  return rounded === '-1' ? MINUS + power : `${rounded.replace('-', MINUS)} × ${power}`;
}

/** Two digits, for tight places: 0.99, 2.1 × 10⁴. */
export function compact(value: number): { mantissa: string; power: string } {
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 0.01 && magnitude < 1000))
    return { mantissa: number(value, 2), power: '' };
  const [mantissa, exponent] = value.toExponential(1).split('e') as [string, string];
  return { mantissa: mantissa.replace('-', MINUS), power: `10${superscript(Number(exponent))}` };
}

export function settingText(value: string | number | boolean | undefined): string {
  if (value === undefined) return '–';
  // Seeds and sizes are shown to the last digit.
  if (typeof value === 'number' && Number.isInteger(value))
    return String(value).replace('-', MINUS);
  return typeof value === 'number' ? short(value) : String(value);
}

/** Median and quartiles with one power of ten: (1.3, quartiles 0.46 – 2.1) × 10⁻⁶. */
export function medianWithQuartiles(
  low: number,
  median: number,
  high: number,
): { middle: string; range: string } {
  if (!Number.isFinite(median) || median <= 0 || isPlain(median)) {
    return { middle: number(median), range: `${number(low)} – ${number(high)}` };
  }
  const exponent = Math.floor(Math.log10(median));
  const scaled = (v: number) => number(v / 10 ** exponent, 2);
  const wide = !Number.isFinite(high) || high / median >= 1e3 || low / median < 1e-2;
  const power = `10${superscript(exponent)}`;
  return {
    middle: number(median, 2),
    range: wide
      ? `${number(low, 2)} – ${number(high, 2)}`
      : `${scaled(low)} – ${scaled(high)} × ${power}`,
  };
}

export function duration(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds)) return '–';
  if (seconds < 1e-3) return `${number(seconds * 1e6, 2)} µs`;
  if (seconds < 0.1) return `${number(seconds * 1e3, 2)} ms`;
  if (seconds < 10) return `${seconds.toFixed(2)} s`;
  if (seconds < 120) return `${seconds.toFixed(0)} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

export function bytes(count: number | null): string {
  if (count === null) return '–';
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let value = count;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(value < 10 && unit > 0 ? 1 : 0)} ${units[unit]}`;
}

export function percent(share: number | null): string {
  return share === null ? '–' : `${(100 * share).toFixed(2)} %`;
}

export function count(n: number): string {
  return typeset(String(n));
}

/** "1 run", "2 runs". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
