import type { WorkerId } from '../model/row.ts';
import type { Outcome } from '../model/session.ts';
import { parseOutputLine } from '../results/output-line.ts';
import { pauseRun } from './ending.ts';
import { findRow, itemAt, lockItem, rowOf } from './mirror.ts';
import { acknowledge, handBack, record } from './rows.ts';
import type { Item, State } from './state.ts';

/**
 * The breaker. A wrong key or a wrong URL makes every item fail alike; so many such answers in a row are the endpoint's fault, not
 * the items'. Until the row is broken by any other answer they are held back, unrecorded, and the worker keeps them in its
 * outbox: where the run pauses they go back uncounted, and nobody's item has failed for a mistyped key.
 */
/** A server's message may be a whole page. */
const MAX_TOLD_CHARACTERS = 300;
const SUSPICIOUS_STATUS: ReadonlySet<number> = new Set([401, 403, 404]);

export function isSuspicious(outcome: Outcome): boolean {
  return outcome.kind === 'error' && !outcome.isRetryable && SUSPICIOUS_STATUS.has(outcome.httpStatus);
}

export function suspect(state: State, worker: WorkerId, item: Item, outcome: Outcome): void {
  if (state.phase.kind === 'pausing') return sendBackSuspect(state, worker, item, outcome);
  lockItem(item, 'suspect');
  state.suspects.push({ worker, outcome });
  if (state.suspects.length < state.settings.breaker) return;
  pauseRun(state, state.lastTickMs, reasonOf(state.suspects.length, outcome));
  sendBackSuspects(state);
}

/** With the server's own words: they name the key, the model or the path that it does not like. */
function reasonOf(count: number, { httpStatus, line }: Outcome): string {
  const told = parseOutputLine(line)?.error?.message ?? '';
  return `${count} answers in a row were refusals of the endpoint, the last HTTP ${httpStatus}: ${told.slice(0, MAX_TOLD_CHARACTERS)}`;
}

/** The run pauses: what was held goes back uncounted, so that nobody waits for it. */
export function sendBackSuspects(state: State): void {
  for (const { worker, outcome } of state.suspects.splice(0)) {
    const item = itemAt(state, outcome.index);
    item.lock = null;
    sendBackSuspect(state, worker, item, outcome);
  }
}

function sendBackSuspect(state: State, worker: WorkerId, item: Item, outcome: Outcome): void {
  const live = findRow(item, rowOf(worker, outcome));
  if (live !== undefined) handBack(state, item, live, 'unavailable', 0);
  else acknowledge(state, worker, outcome);
}

/** The row is broken: what was held fails on its own account. */
export function releaseSuspects(state: State): void {
  for (const { worker, outcome } of state.suspects.splice(0)) {
    const item = itemAt(state, outcome.index);
    item.lock = null;
    record(state, worker, item, outcome);
  }
}

/** Nothing else is left that could break the row. */
export function releaseLastSuspects(state: State): void {
  const isAll = state.supply.items !== null && state.cursor >= state.supply.items && state.items.size === state.suspects.length;
  if (isAll) releaseSuspects(state);
}
