import { parseOutputLine } from '../../format/output-line.ts';
import type { WorkerId } from '../../model/row.ts';
import type { Outcome } from '../../model/session.ts';
import { pauseRun } from '../progress/ending.ts';
import { noteFailure } from '../progress/waits.ts';
import { findClaim, type Item } from '../state/item.ts';
import { itemAt, lockItem, openLock } from '../state/items.ts';
import { acknowledge, handBack, record } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import { clearRefusals, countRefusal } from '../state/workers.ts';

/**
 * Decides what only the whole run shows about a failure: whether it is the item's own, or every item would fail like it. The worker
 * decides the rest for each of its endpoints (worker/endpoint.ts).
 *
 * - If the endpoints of all workers refuse every item, a key, a path or an account is wrong: the run pauses.
 * - While no item of the run has a result, refusals of single items (400, 413, 422) may apply to all of them: such outcomes are held
 *   back, unrecorded, and `breaker` of them in a row pause the run.
 * - A failed probe counts if too few items are left to show that its endpoint works.
 */
/** A server's message may be a whole page. */
const MAX_TOLD_CHARACTERS = 300;
/** Items per attempt: as many as make a row of failures at an endpoint. */
const TAIL = 8;

export function isSuspicious({ done }: State, { kind, isRetryable, isProbe, httpStatus }: Outcome): boolean {
  return done === 0 && kind === 'error' && !isRetryable && !isProbe && httpStatus >= 400 && httpStatus < 500;
}

export function suspect(state: State, worker: WorkerId, item: Item, outcome: Outcome): void {
  if (state.phase.kind === 'pausing') return sendBack(state, worker, item, outcome);
  lockItem(item, 'suspect');
  state.heldFailures.push({ worker, outcome });
  if (state.heldFailures.length < state.settings.breaker) return;
  const told = parseOutputLine(outcome.line)?.error?.message ?? `HTTP ${outcome.httpStatus}`;
  pause(state, `no item has a result yet, and ${state.heldFailures.length} were refused, the last with: ${told}`);
}

/** All endpoints of this worker refuse every item. The run pauses if that is so for every worker that has items. */
export function noteRefusal(state: State, id: WorkerId, detail: string): void {
  const refused = state.workers.get(id);
  countRefusal(state, id);
  // In a run that has results single items may be refused: only a row of refusals counts.
  const least = state.done === 0 ? 1 : state.settings.breaker;
  const others = [...state.workers.values()].filter((worker) => worker === refused || worker.items.size > 0);
  if (others.every((worker) => worker.refusals >= least)) pause(state, `the endpoint refuses every item: ${detail}`);
}

/** An account without quota is refused every request. */
export function noteQuota(state: State, detail: string): void {
  pause(state, `the account has no quota left: ${detail}`);
}

/** An endpoint of the worker works: the outcomes that were held back are the items' own failures. */
export function noteResult(state: State, id: WorkerId): void {
  clearRefusals(state, id);
  releaseSuspects(state);
}

/**
 * Whether too few items are left to show that an endpoint works. Items that failed before, while their endpoint worked, do not show it.
 * The fewer attempts an item has, the fewer items may be left before its failures count.
 */
export function isTail({ supply, cursor, items, settings }: State): boolean {
  if (supply.items === null) return false;
  let room = TAIL * settings.maxAttempts - (supply.items - cursor) - items.fresh.size;
  for (const { faults } of items.withHistory()) {
    if (room < 0) return false;
    if (faults.failures === 0) room -= 1;
  }
  return room >= 0;
}

/** The outcome is not recorded, and its item goes back uncounted. */
export function sendBack(state: State, worker: WorkerId, item: Item, outcome: Outcome): void {
  const live = findClaim(item, worker, outcome);
  if (live === undefined) return acknowledge(state, worker, outcome);
  noteFailure(state, item, outcome);
  handBack(state, item, live, 'unavailable', outcome.delayMs);
}

/** Nothing else is left that could show whether refusals apply to every item. */
export function releaseLastSuspects(state: State): void {
  const isAll = state.supply.items !== null && state.cursor >= state.supply.items && state.items.size === state.heldFailures.length;
  if (isAll) releaseSuspects(state);
}

function releaseSuspects(state: State): void {
  if (state.heldFailures.length === 0) return;
  for (const { worker, outcome } of state.heldFailures.splice(0)) {
    const item = itemAt(state, outcome.index);
    openLock(item, 'suspect');
    record(state, worker, item, outcome);
  }
}

/** Outcomes that were held back are returned uncounted: no worker keeps waiting for them. */
function pause(state: State, reason: string): void {
  pauseRun(state, state.nowMs, reason.slice(0, MAX_TOLD_CHARACTERS));
  for (const { worker, outcome } of state.heldFailures.splice(0)) {
    const item = itemAt(state, outcome.index);
    openLock(item, 'suspect');
    sendBack(state, worker, item, outcome);
  }
}
