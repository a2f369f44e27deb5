import { assert, never, present } from '../base/assert.ts';
import type { Faults, Found, HandBack, SettleVerdict, Verdict } from '../ledger/contract.ts';
import { COORDINATOR_WORKER, isSameRow, type WorkerId } from '../model/row.ts';
import type { Outcome } from '../model/session.ts';
import type { Recording } from './commands.ts';
import { takeFound } from './found.ts';
import { judge, rejudge } from './judge.ts';
import { addHandedBack, command, dropItem, forgetRow, itemAt, refOf, rowOf } from './mirror.ts';
import { acknowledge, giveStale } from './rows.ts';
import type { Item, State } from './state.ts';

/** The outcomes of one batch are in the log, and the ledger has answered for each. */
export function onRecorded(state: State, recordings: readonly Recording[], verdicts: readonly SettleVerdict[]): void {
  recordings.forEach(({ worker, outcome }, at) => {
    const verdict = present(verdicts[at], 'verdict');
    // The mirror said that this row may settle, and L19 kept every other outcome away: the ledger cannot think otherwise.
    assert(verdict !== 'stale', `mirror and ledger differ on item ${outcome.index}`);
    const item = itemAt(state, outcome.index);
    assert(item.lock === 'recording', 'a recorded item is locked');
    dropItem(state, item);
    if (outcome.kind === 'result') state.done += 1;
    else onItemFailed(state, outcome);
    if (worker === COORDINATOR_WORKER) state.condemned -= 1;
    else acknowledge(state, worker, outcome);
    item.lock = null;
    for (const waiting of item.waiting.splice(0)) judge(state, waiting.worker, waiting.outcome);
  });
}

function onItemFailed(state: State, outcome: Outcome): void {
  state.failed += 1;
  command(state, { kind: 'emit', event: { kind: 'item_failed', index: outcome.index, attempt: outcome.attempt, code: outcome.code } });
}

export type HandBackResult = { readonly kind: 'returned'; readonly faults: Faults } | { readonly kind: 'refused'; readonly found: Found };

/** Hand-backs are known: a worker may forget what it returned, though not what was only taken from it (`lost`). */
export function onHandedBack(state: State, nowMs: number, returns: readonly HandBack[], results: readonly HandBackResult[]): void {
  for (const [at, returned] of returns.entries()) {
    const item = itemAt(state, returned.index);
    assert(item.lock === 'returning', 'an item being handed back is locked');
    if (returned.reason !== 'lost' || item.isGivenBack) acknowledge(state, returned.row.worker, refOf(item));
    applyHandBack(state, nowMs, item, present(results[at], 'hand-back result'));
  }
}

function applyHandBack(state: State, nowMs: number, item: Item, result: HandBackResult): void {
  switch (result.kind) {
    case 'returned': {
      forgetRow(state, item);
      const after = addHandedBack(state, item.index, item.row, result.faults, nowMs);
      after.waiting.push(...item.waiting);
      return rejudge(state, after);
    }
    case 'refused':
      item.lock = null;
      item.isGivenBack = false;
      return takeFound(state, nowMs, result.found);
    default:
      return never(result);
  }
}

/** The ledger's word on outcomes that the mirror does not know (L29). */
export function onLooked(state: State, worker: WorkerId, outcomes: readonly Outcome[], verdicts: readonly Verdict[]): void {
  for (const [at, outcome] of outcomes.entries()) applyLook(state, worker, outcome, present(verdicts[at], 'look verdict'));
}

function applyLook(state: State, worker: WorkerId, outcome: Outcome, verdict: Verdict): void {
  switch (verdict) {
    case 'recorded':
      return acknowledge(state, worker, outcome);
    case 'stale':
      return giveStale(state, worker, outcome);
    case 'live': {
      // The mirror has moved since the question was asked, and knows the row by now.
      const row = state.items.get(outcome.index)?.row;
      assert(row !== undefined && isSameRow(row, rowOf(worker, outcome)), `mirror and ledger differ on item ${outcome.index}`);
      return judge(state, worker, outcome);
    }
    default:
      return never(verdict);
  }
}
