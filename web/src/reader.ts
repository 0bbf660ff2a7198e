// SPDX-License-Identifier: MIT
// Takes values of the expected kind out of JSON of unknown content, and
// remembers where another kind was found.
import type { Column, Setting, Settings } from './data';

export type Json = { [name: string]: unknown };
export const MOST_PROBLEMS = 200;
export const NO_SETTINGS: Settings = {};

/** Reads values at a place of the document, and remembers what was wrong. */
export class Reader {
  readonly problems: string[] = [];
  private more = 0;

  complain(place: string, expected: string, found: unknown): void {
    if (this.problems.length < MOST_PROBLEMS) {
      this.problems.push(`${place}: expected ${expected}, found ${describe(found)}`);
    } else {
      this.more++;
    }
  }

  allProblems(): string[] {
    return this.more > 0 ? [...this.problems, `and ${this.more} more`] : this.problems;
  }

  object(value: unknown, place: string): Json {
    if (isObject(value)) return value;
    if (value !== undefined) this.complain(place, 'an object', value);
    return {};
  }

  list(value: unknown, place: string): unknown[] {
    if (Array.isArray(value)) return value;
    if (value !== undefined) this.complain(place, 'a list', value);
    return [];
  }

  text(value: unknown, place: string, otherwise = ''): string {
    if (typeof value === 'string') return value;
    if (value !== undefined) this.complain(place, 'a text', value);
    return otherwise;
  }

  number(value: unknown, place: string): number | null {
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (value !== undefined && value !== null) this.complain(place, 'a number', value);
    return null;
  }

  column(value: unknown, place: string): Column {
    const values = this.list(value, place);
    for (let i = 0; i < values.length; i++) {
      const entry = values[i];
      if (entry !== null && typeof entry !== 'number') {
        this.complain(`${place}[${i}]`, 'a number or null', entry);
        return values.map((v) => (typeof v === 'number' ? v : null));
      }
    }
    return values as Column;
  }

  settings(value: unknown, place: string): Settings {
    if (value === undefined) return NO_SETTINGS;
    const known: { [name: string]: Setting } = Object.create(null);
    for (const [name, entry] of Object.entries(this.object(value, place))) {
      if (typeof entry === 'string' || typeof entry === 'boolean') known[name] = entry;
      else if (typeof entry === 'number' && Number.isFinite(entry)) known[name] = entry;
      else this.complain(`${place}.${name}`, 'a text, a number or a truth value', entry);
    }
    return known;
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  const shown = String(value);
  return `${typeof value} ${shown.length > 40 ? shown.slice(0, 40) + '…' : shown}`;
}
