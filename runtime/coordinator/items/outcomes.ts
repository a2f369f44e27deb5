import { assert, assertNever, mustGet } from '../../base/assert.ts';
import type { HandBack, HandBackReason, HandBackVerdict, SettleVerdict, Verdict } from '../../ledger/contract.ts';
import { addDuration } from '../../model/durations.ts';
import { COORDINATOR_WORKER, type ItemIndex, type WorkerId } from '../../model/row.ts';
import type { Outcome } from '../../model/session.ts';
import { noteHeadway } from '../progress/stall.ts';
import type { Recording } from '../state/commands.ts';
import { command } from '../state/commands.ts';
import type { FreshClaim } from '../state/fresh-items.ts';
import { type ActiveClaim, findClaim, findRow, type Item, refOf } from '../state/item.ts';
import { correct, dropFresh, dropItem, itemAt, leaveWhereItIs, noteCutOff, openLock, removeRow, unlock } from '../state/items.ts';
import { queueItem } from '../state/queues.ts';
import { acknowledge, giveStale, revoke } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import { takeFound } from './found.ts';
import { takeTwiceGiven } from './given-twice.ts';
import { judge } from './judge.ts';
import { isPoison, rejectItem } from './poison.ts';
import { restoreReturned } from './restore.ts';

/** The outcomes of one batch are in the log, and the ledger has answered for each. */
export function onRecorded(state: State, recordings: readonly Recording[], verdicts: readonly SettleVerdict[]): void {
  // The mirror said that these rows may settle, and L19 kept every other outcome away: the ledger cannot think otherwise.
  const at = verdicts.indexOf('stale');
  assert(at === -1 && verdicts.length === recordings.length, `mirror and ledger differ on item ${recordings[at]?.outcome.index}`);
  for (const recording of recordings) onItemRecorded(state, recording);
}

function onItemRecorded(state: State, { worker, outcome }: Recording): void {
  const { index } = outcome;
  const claim = state.items.fresh.claimOf(index);
  if (claim === undefined) endItem(state, worker, outcome);
  else endFresh(state, index, claim);
  if (outcome.kind === 'result') state.done += 1;
  else onItemFailed(state, outcome);
  if (worker === COORDINATOR_WORKER) state.rejected -= 1;
  else acknowledge(state, worker, outcome);
}

/** The only row of a fresh item has settled. */
function endFresh(state: State, index: ItemIndex, { row }: FreshClaim): void {
  assert(state.items.fresh.isRecording(index), 'a recorded item is locked');
  noteDuration(state, state.items.fresh.sinceMsOf(index));
  dropFresh(state, index, row);
}

/** The item is terminal: a worker that still works on it is told to stop (L13). The row that settled may have been taken before (L15). */
function endItem(state: State, worker: WorkerId, outcome: Outcome): void {
  const item = itemAt(state, outcome.index);
  assert(item.lock === 'recording', 'a recorded item is locked');
  const settled = findClaim(item, worker, outcome);
  if (settled === undefined) noteHeadway(state, null);
  else noteDuration(state, settled.sinceMs);
  for (const live of item.rows) if (live !== settled) revoke(state, item, live);
  dropItem(state, item);
  // It has left the mirror: without anything that waits there is nothing to judge.
  if (item.waiting.length > 0) unlock(state, item);
}

function noteDuration(state: State, sinceMs: number): void {
  noteHeadway(state, sinceMs);
  addDuration(state.durations, state.nowMs - sinceMs);
}

function onItemFailed(state: State, outcome: Outcome): void {
  state.failed += 1;
  command(state, { kind: 'emit', event: { kind: 'item_failed', index: outcome.index, attempt: outcome.attempt, code: outcome.code } });
}

/** Taken from a worker that may still hold it; whatever else goes back was given back, and its worker waits to hear so. */
const IS_TAKEN: ReadonlySet<HandBackReason> = new Set(['lost', 'suspected', 'crashed']);

/** As far as its worker has told. One that goes back for another reason was refused by its endpoint. */
function wasExecuted({ isStarted }: ActiveClaim, reason: HandBackReason): boolean {
  return reason === 'failed' || (isStarted && (IS_TAKEN.has(reason) || reason === 'drained'));
}

/** Hand-backs are known: a worker may forget what it returned, though not what was only taken from it. */
export function onHandedBack(state: State, returns: readonly HandBack[], results: readonly HandBackVerdict[]): void {
  for (const [at, { index, row, reason }] of returns.entries()) {
    const item = itemAt(state, index);
    assert(item.lock === 'returning', 'an item being handed back is locked');
    const live = mustGet(findRow(item, row), 'the row being handed back');
    if (!IS_TAKEN.has(reason) || live.isGivenBack) acknowledge(state, row.worker, refOf(index, row));
    applyHandBack(state, item, live, mustGet(results[at], 'hand-back result'), wasExecuted(live, reason));
  }
}

function applyHandBack(state: State, item: Item, live: ActiveClaim, result: HandBackVerdict, isCutOff: boolean): void {
  switch (result.kind) {
    case 'returned': {
      removeRow(state, item, live);
      noteCutOff(item, isCutOff);
      assert((result.other === null) === (item.rows.length === 0), `mirror and ledger differ on item ${item.index}`);
      correct(item, result);
      if (item.rows.length === 0 && isPoison(item)) {
        openLock(item, 'returning');
        return rejectItem(state, item);
      }
      if (item.rows.length > 0) return unlock(state, item);
      if (restoreReturned(state, item)) return;
      queueItem(state, item);
      return unlock(state, item);
    }
    case 'refused':
      leaveWhereItIs(item, live, 'returning');
      return takeFound(state, result.found);
    default:
      return assertNever(result);
  }
}

/** The ledger's word on outcomes that the mirror does not know (L29). */
export function onLooked(state: State, worker: WorkerId, outcomes: readonly Outcome[], verdicts: readonly Verdict[]): void {
  for (const [at, outcome] of outcomes.entries()) applyLook(state, worker, outcome, mustGet(verdicts[at], 'look verdict'));
}

function applyLook(state: State, worker: WorkerId, outcome: Outcome, verdict: Verdict): void {
  switch (verdict) {
    case 'recorded':
      return acknowledge(state, worker, outcome);
    case 'stale':
      giveStale(state, worker, outcome);
      return takeTwiceGiven(state, worker, outcome);
    case 'live': {
      // The mirror has moved since the question was asked, and knows the row by now.
      assert(state.items.has(outcome.index), `mirror and ledger differ on item ${outcome.index}`);
      return judge(state, worker, outcome);
    }
    default:
      return assertNever(verdict);
  }
}
