import { assert } from '../base/assert.ts';
import type { HandBack } from '../ledger/contract.ts';
import { type ItemRef, plainRef, type WorkerId } from '../model/row.ts';
import type { Outcome } from '../model/session.ts';
import { command, lockItem } from './mirror.ts';
import type { Item, State } from './state.ts';

/** The few things that are done with a row; each locks the item until the ledger has answered. */

/** Hands an outcome over to the result log, and from there to the ledger (L19). */
export function record(state: State, worker: WorkerId, item: Item, outcome: Outcome): void {
  lockItem(item, 'recording');
  command(state, { kind: 'record', recordings: [{ worker, outcome }] });
}

export function handBack(state: State, item: Item, reason: HandBack['reason'], delayMs: number): void {
  assert(item.isRunning, 'only a running row is handed back');
  lockItem(item, 'returning');
  command(state, { kind: 'hand-back', returns: [{ index: item.index, row: item.row, reason, delayMs }] });
}

/** Hands back, uncounted, rows whose worker is gone. */
export function handBackAll(state: State, items: readonly Item[]): void {
  for (const item of items) lockItem(item, 'returning');
  const returns = items.map(({ index, row }): HandBack => ({ index, row, reason: 'lost', delayMs: 0 }));
  if (returns.length > 0) command(state, { kind: 'hand-back', returns });
}

/** The worker may forget this pair. */
export function acknowledge(state: State, worker: WorkerId, ref: ItemRef): void {
  state.workers.get(worker)?.acknowledged.push(plainRef(ref));
}

/** The ledger has confirmed that this pair can never settle (L29). */
export function giveStale(state: State, worker: WorkerId, ref: ItemRef): void {
  state.workers.get(worker)?.stale.push(plainRef(ref));
}
