// SPDX-License-Identifier: MIT
// Follows a server: asks every second what has changed, and goes on asking when
// it is away. DATA.md has what is asked and answered.
import type { Report } from './data';
import { readChanges, readReport } from './read';

export type Connection = 'off' | 'connecting' | 'live' | 'lost';

const EVERY = 1000;
const EVERY_HIDDEN = 5000;
const LONGEST_WAIT = 5000;
const TIMEOUT = 10_000;

export interface LiveOptions {
  readonly current: () => Report | null;
  readonly onReport: (report: Report) => void;
  readonly onConnection: (connection: Connection) => void;
}

/** What to make of an answer: all of it anew, changes, or nothing. */
export function applyAnswer(before: Report | null, answer: unknown): Report {
  const json =
    typeof answer === 'object' && answer !== null
      ? (answer as { session?: unknown; partial?: unknown })
      : {};
  // Another session counts its revisions anew: changes to it say nothing here.
  if (before && json.partial === true && json.session === before.session)
    return readChanges(before, answer);
  return readReport(answer);
}

async function ask(before: Report | null): Promise<Report | null> {
  const query = before?.session
    ? `?session=${encodeURIComponent(before.session)}&since=${before.revision}`
    : '';
  const response = await fetch(`api/data${query}`, {
    cache: 'no-store',
    signal: AbortSignal.timeout(TIMEOUT),
  });
  if (response.status === 204) return null;
  if (!response.ok) throw new Error(`status ${response.status}`);
  return applyAnswer(before, await response.json());
}

/** Begins to follow; the function that it gives back ends it. */
export function follow(options: LiveOptions): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let ended = false;
  let failures = 0;
  const round = async () => {
    try {
      const report = await ask(options.current());
      if (ended) return;
      if (report) options.onReport(report);
      failures = 0;
      options.onConnection('live');
    } catch {
      if (ended) return;
      failures++;
      options.onConnection('lost');
    }
    const pause = document.hidden ? EVERY_HIDDEN : EVERY;
    timer = setTimeout(
      round,
      failures > 0 ? Math.min(pause * 2 ** Math.min(failures - 1, 3), LONGEST_WAIT) : pause,
    );
  };
  // Seen again, the page does not wait for its turn.
  const seen = () => {
    if (document.hidden || ended || timer === undefined) return;
    clearTimeout(timer);
    timer = undefined;
    void round();
  };
  document.addEventListener('visibilitychange', seen);
  options.onConnection('connecting');
  void round();
  return () => {
    ended = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', seen);
  };
}
