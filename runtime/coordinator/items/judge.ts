import { assert } from '../../base/assert.ts';
import { COORDINATOR_WORKER, type ItemRef, isRowOf, type WorkerId } from '../../model/row.ts';
import type { ItemReturn, Outcome } from '../../model/session.ts';
import { noteFailure, noteReturned } from '../progress/waits.ts';
import { command } from '../state/commands.ts';
import { type ActiveClaim, findClaim, type Item, type Waiting } from '../state/item.ts';
import { addWaiting, lockFresh, noteGivenBack, takeReopened, takeWaiting } from '../state/items.ts';
import { acknowledge, commandMove, commandRecord, handBack, reassign, record } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import { isGoing } from '../state/worker.ts';
import { sendItem, takeRestored, takeUnreconciled } from '../state/workers.ts';
import { isSuspicious, isTail, noteQuota, noteRefusal, noteResult, sendBack, suspect } from './breaker.ts';
import { takeTwiceGiven } from './given-twice.ts';
import { dropPendingCrash } from './poison.ts';

/**
 * Judges an outcome by the mirror (L19): it goes to the log only if exactly this row may settle and nothing else of the item is
 * on its way. What the mirror does not know is asked of the ledger (L29); what must wait is judged again when the lock opens.
 */
export function judge(state: State, worker: WorkerId, outcome: Outcome): void {
  if (isFreshResult(state, worker, outcome)) judgeFresh(state, worker, outcome);
  else judgeItem(state, worker, outcome);
}

function isFreshResult(state: State, worker: WorkerId, outcome: Outcome): boolean {
  const claim = state.items.fresh.claimOf(outcome.index);
  return outcome.kind === 'result' && !outcome.isProbe && claim !== undefined && isRowOf(claim.row, worker, outcome);
}

/** What nearly all outcomes are: the result of the only row that its item ever had. */
function judgeFresh(state: State, worker: WorkerId, outcome: Outcome): void {
  if (!lockFresh(state, outcome.index)) return;
  noteResult(state, worker);
  commandRecord(state, worker, outcome);
}

function judgeItem(state: State, worker: WorkerId, outcome: Outcome): void {
  const item = state.items.get(outcome.index);
  if (item === undefined || !maySettle(item, worker, outcome)) {
    return command(state, { kind: 'look', worker, outcomes: [outcome] });
  }
  dropPendingCrash(state, item);
  if (item.lock !== null) return wait(item, { worker, outcome });
  if (isSuspicious(state, outcome)) return suspect(state, worker, item, outcome);
  if (outcome.kind === 'result') noteResult(state, worker);
  if (outcome.isProbe && !isTail(state)) return sendBack(state, worker, item, outcome);
  if (outcome.isRetryable) return judgeFailure(state, worker, item, outcome);
  record(state, worker, item, outcome);
}

/** L13: either row of an item; L15: without any, the one that was taken last. */
function maySettle(item: Item, worker: WorkerId, ref: ItemRef): boolean {
  return item.rows.length > 0 ? findClaim(item, worker, ref) !== undefined : isRowOf(item.taken, worker, ref);
}

/**
 * What comes twice waits once. While the only row's outcome is being recorded, or held by the breaker, there is nothing to wait for;
 * that of a second attempt has to, and so has that of a row that was taken: the coordinator may be recording the item in its place.
 */
function wait(item: Item, waiting: Waiting): void {
  const isHeld = item.lock === 'recording' || item.lock === 'suspect';
  if ('outcome' in waiting && isHeld && item.rows.length === 1) return;
  const { attempt } = refOfWaiting(waiting);
  const isThere = item.waiting.some((other) => other.worker === waiting.worker && refOfWaiting(other).attempt === attempt);
  if (!isThere) addWaiting(item, waiting);
}

function refOfWaiting(waiting: Waiting): Outcome | ItemReturn {
  return 'outcome' in waiting ? waiting.outcome : waiting.returned;
}

/**
 * A failure that counts: the claim ends and the item waits, or, with no attempts left, the failure is the record, unless another
 * attempt still runs. One that arrives for a row already handed back was counted then, or was lost with its worker: it is neither
 * counted nor recorded now.
 */
function judgeFailure(state: State, worker: WorkerId, item: Item, outcome: Outcome): void {
  const live = findClaim(item, worker, outcome);
  if (live === undefined) return acknowledge(state, worker, outcome);
  noteFailure(state, item, outcome);
  const isLast = item.rows.length === 1 && item.faults.failures + 1 >= state.settings.maxAttempts;
  if (isLast) record(state, worker, item, outcome);
  else handBack(state, item, live, 'failed', outcome.delayMs);
}

/** An item that a worker returns without an outcome. */
export function onReturned(state: State, worker: WorkerId, returned: ItemReturn): void {
  if (returned.reason === 'quota') noteQuota(state, returned.detail);
  if (returned.reason === 'refused') noteRefusal(state, worker, returned.detail);
  const item = state.items.get(returned.index);
  // L44: the row is being restored to this worker; it is handed back once the ledger has answered.
  if (item?.lock === 'restoring' && isRowOf(item.taken, worker, returned)) return wait(item, { worker, returned });
  const live = findClaim(item, worker, returned);
  if (item === undefined || live === undefined) {
    acknowledge(state, worker, returned);
    return takeTwiceGiven(state, worker, returned);
  }
  noteReturned(state, item, returned);
  if (live.isLeaving) onGivenBack(state, worker, live, returned);
  else if (item.lock !== null) wait(item, { worker, returned });
  else takeBack(state, item, live, returned);
}

/** The row is being handed back already, and its worker no longer waits for it to be restored. */
function onGivenBack(state: State, worker: WorkerId, live: ActiveClaim, returned: ItemReturn): void {
  noteGivenBack(live);
  takeRestored(state, worker, returned);
}

/** L32: what was recalled, and is released, goes to the thief; everything else goes back. */
function takeBack(state: State, item: Item, live: ActiveClaim, { reason, delayMs }: ItemReturn): void {
  const thief = reason === 'recalled' && live.recalledFor !== null ? state.workers.get(live.recalledFor) : undefined;
  if (thief === undefined || thief.state !== 'ready' || isGoing(thief) || live.isStarted)
    return handBack(state, item, live, reason === 'refused' ? 'unavailable' : reason, delayMs);
  noteGivenBack(live);
  commandMove(state, reassign(state, item, live, thief.id));
}

/** Items whose locks have opened: what waited is judged, and then a row that nobody has any more goes back (L27, L31). */
export function judgeReopened(state: State): void {
  for (const item of takeReopened(state)) if (item.lock === null) judgeAgain(state, item);
  assert(state.reopened.length === 0, 'judging opens no lock');
}

function judgeAgain(state: State, item: Item): void {
  for (const waiting of takeWaiting(item)) {
    if ('outcome' in waiting) judge(state, waiting.worker, waiting.outcome);
    else onReturned(state, waiting.worker, waiting.returned);
  }
  const now = state.items.get(item.index);
  if (now !== undefined && now.lock === null) meetOwners(state, now);
}

/** While the item was locked, the worker of a row may have gone, or come back without it, or been told to go before it was sent. */
function meetOwners(state: State, item: Item): void {
  for (const live of item.rows) {
    const { worker } = live.row;
    if (worker === COORDINATOR_WORKER) continue;
    const owner = state.workers.get(worker);
    const isUnreconciled = takeUnreconciled(state, worker, item.index);
    if (owner === undefined || !owner.items.has(item.index)) return handBack(state, item, live, 'lost', 0);
    if (!isUnreconciled) continue;
    if (live.bootNonce !== owner.bootNonce || isGoing(owner)) return handBack(state, item, live, 'lost', 0);
    sendItem(state, worker, item.index);
  }
}
