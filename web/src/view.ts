// SPDX-License-Identifier: MIT
// What is on the screen, as the part of the address after #: a section and the
// choices made in it, such as #curves?task=toy1d&x=seconds.
import { createContext } from 'preact';
import { useCallback, useContext, useLayoutEffect, useState } from 'preact/hooks';
import type { Model } from './model';
import type { Theme } from './theme';

export interface View {
  readonly section: string;
  readonly params: URLSearchParams;
}

export function parseHash(hash: string): View {
  const [section = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  return { section, params: new URLSearchParams(query) };
}

export function hashOf(
  section: string,
  params: URLSearchParams | { [name: string]: string },
): string {
  const query = new URLSearchParams(params).toString();
  return `#${section}${query ? `?${query}` : ''}`;
}

export type Change = { readonly [name: string]: string | null };

export interface Page {
  readonly model: Model;
  readonly theme: Theme;
  readonly view: View;
  /** Sets choices of the section; null takes one back to its default. */
  readonly change: (change: Change) => void;
}

export const PageContext = createContext<Page>(null as unknown as Page);
export const usePage = (): Page => useContext(PageContext);

/** The view, kept in step with the address in both directions. */
export function useView(): [View, (change: Change) => void] {
  const [view, setView] = useState(() => parseHash(location.hash));
  // From the first paint on: a change of the address must not go unheard.
  useLayoutEffect(() => {
    const listen = () => setView(parseHash(location.hash));
    addEventListener('hashchange', listen);
    return () => removeEventListener('hashchange', listen);
  }, []);
  const change = useCallback((changes: Change) => {
    // The address is the state, so that quick changes add up.
    const now = parseHash(location.hash);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === '') now.params.delete(name);
      else now.params.set(name, value);
    }
    history.replaceState(null, '', hashOf(now.section, now.params) || '#');
    setView(now);
  }, []);
  return [view, change];
}

/** One choice of the section: its value and what sets it. */
export function useChoice(name: string, otherwise: string): [string, (value: string) => void] {
  const { view, change } = usePage();
  const set = useCallback(
    (value: string) => change({ [name]: value === otherwise ? null : value }),
    [change, name, otherwise],
  );
  return [view.params.get(name) ?? otherwise, set];
}

/** One of a few choices, of which the first is the default; an address may say anything. */
export function useOneOf<T extends string>(
  name: string,
  options: readonly [T, ...T[]],
): [T, (value: string) => void] {
  const [value, set] = useChoice(name, options[0]);
  return [options.find((option) => option === value) ?? options[0], set];
}

/** A set of words, such as the lines that are switched off. */
export function useSet(
  name: string,
): [ReadonlySet<string>, (word: string) => void, (words: string[]) => void] {
  const { view, change } = usePage();
  const words = new Set(
    (view.params.get(name) ?? '')
      .split(',')
      .filter((word) => word)
      .map(decodeWord),
  );
  const set = (list: string[]) =>
    change({ [name]: list.map(encodeURIComponent).join(',') || null });
  const toggle = (word: string) => {
    set(words.has(word) ? [...words].filter((w) => w !== word) : [...words, word]);
  };
  return [words, toggle, set];
}

/** Addresses can be typed by hand: what is not encoded rightly stays as it is. */
function decodeWord(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}
