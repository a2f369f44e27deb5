import type { ToParent } from '../../base/process/supervised.ts';

/**
 * When a child process is started again. A process that lived long enough was healthy, so its next failure starts the row again.
 * A kill from outside says nothing about the process itself: it lengthens the pause, and never makes the supervisor give up.
 */

/** A single crash costs the run next to nothing. */
const FIRST_PAUSE_MS = 100;
/** Rare enough not to load the machine, soon enough to be back when the trouble is over. */
const LONGEST_PAUSE_MS = 5_000;
/** A process that cannot start fails well before this; one that got so far did real work. */
const HEALTHY_AFTER_MS = 10_000;

/** With the pauses between them eight failures take about 16 s: long enough for a short trouble, short enough to be told of a lasting one. */
export const QUICK_FAILURES_LIMIT = 8;

/** Signals that come from people, the OOM killer or the system; the others are crashes. */
const KILLS_FROM_OUTSIDE: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

export interface Restarts {
  /** Ends in a row since the process was last healthy; sets the pause. */
  readonly endsInARow: number;
  /** Those of them that the process itself is to blame for; sets the limit. */
  readonly failuresInARow: number;
}

export const NO_RESTARTS: Restarts = { endsInARow: 0, failuresInARow: 0 };

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly ranMs: number;
}

export type RestartDecision =
  | { readonly kind: 'restart'; readonly pauseMs: number; readonly restarts: Restarts }
  | { readonly kind: 'give-up'; readonly failures: number };

export function onEnd(before: Restarts, end: ProcessEnd): RestartDecision {
  const past = end.ranMs >= HEALTHY_AFTER_MS ? NO_RESTARTS : before;
  const isKilled = end.signal !== null && KILLS_FROM_OUTSIDE.includes(end.signal);
  const failuresInARow = past.failuresInARow + (isKilled ? 0 : 1);
  if (failuresInARow >= QUICK_FAILURES_LIMIT) return { kind: 'give-up', failures: failuresInARow };
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(past.endsInARow, 16));
  return { kind: 'restart', pauseMs, restarts: { endsInARow: past.endsInARow + 1, failuresInARow } };
}

export function describeEnd(end: ProcessEnd): string {
  return end.signal !== null ? `ended by ${end.signal}` : `ended with exit code ${end.code ?? 'unknown'}`;
}

/** Why the coordinator ended, as it said itself; null where it said nothing. */
export function reasonGiven(lastWord: ToParent | null): string | null {
  return lastWord?.kind === 'given-up' ? lastWord.reason : null;
}
