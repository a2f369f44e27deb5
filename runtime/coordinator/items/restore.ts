import { assert, mustGet } from '../../base/assert.ts';
import type { CountedRow, RestoreReply } from '../../ledger/contract.ts';
import { type ItemRef, isSameRow, refKey, type WorkerId } from '../../model/row.ts';
import type { HeldItem } from '../../model/session.ts';
import { command } from '../state/commands.ts';
import { type Item, refOf, rowOf } from '../state/item.ts';
import { correct, itemAt, lockItem, openLock, restoreRow, unlock } from '../state/items.ts';
import { unqueue } from '../state/queues.ts';
import type { State } from '../state/state.ts';
import type { Worker } from '../state/worker.ts';
import { awaitRestored, takeRestored, tellOf } from '../state/workers.ts';
import { takeFound } from './found.ts';

/**
 * A worker that was failed for its silence and comes back still executes what it held (L44). An item that nobody has claimed since gets
 * back the row that was taken: the execution goes on, and its outcome settles under the attempt that it began with.
 */

/** Restores the rows of the items that this hello names as started, and remembers them until the ledger has answered. */
export function restoreStarted(state: State, worker: Worker, held: readonly HeldItem[]): void {
  const awaited: HeldItem[] = [];
  const items: Item[] = [];
  for (const one of held) {
    const item = one.state === 'started' ? state.items.get(one.index) : undefined;
    if (item === undefined || !isTakenFrom(item, worker, one)) continue;
    if (item.lock === null) items.push(item);
    if (item.lock === null || item.lock === 'restoring' || item.lock === 'returning') awaited.push(one);
  }
  awaitRestored(state, worker.id, awaited);
  askFor(state, worker.id, items);
}

/** The item runs nowhere and was not claimed since, or a hand-back from before this registration is under way. */
function isTakenFrom(item: Item, { id, items }: Worker, ref: ItemRef): boolean {
  const row = rowOf(id, ref);
  const [only, second] = item.rows;
  if (only === undefined) return isSameRow(item.taken, row);
  return second === undefined && item.lock === 'returning' && !items.has(item.index) && isSameRow(only.row, row);
}

/** The hand-back that was under way at the hello has ended. True: the item is now being restored to its worker. */
export function restoreReturned(state: State, item: Item): boolean {
  const isAwaited = state.workers.get(item.taken.worker)?.restoring.has(refKey(refOf(item.index, item.taken))) === true;
  openLock(item, 'returning');
  if (isAwaited) askFor(state, item.taken.worker, [item]);
  return isAwaited;
}

function askFor(state: State, worker: WorkerId, items: readonly Item[]): void {
  if (items.length === 0) return;
  for (const item of items) lockItem(item, 'restoring');
  unqueue(state, new Set(items.map(({ index }) => index)));
  command(state, {
    kind: 'restore',
    worker,
    rows: items.map(({ index, taken, faults }) => ({ index, row: taken, restores: faults.restores })),
  });
}

export function onRestored(state: State, id: WorkerId, rows: readonly CountedRow[], verdicts: RestoreReply['verdicts']): void {
  for (const [at, { index, row, restores }] of rows.entries()) {
    const item = itemAt(state, index);
    assert(item.lock === 'restoring', 'an item being restored is locked');
    const isAwaited = takeRestored(state, id, refOf(index, row));
    const verdict = mustGet(verdicts[at], 'restore verdict');
    if (verdict.kind === 'restored') {
      correct(item, { lastAttempt: item.lastAttempt, faults: { ...item.faults, restores: restores + 1 } });
      // Where its worker has gone again, or its newest hello does not name the item, judging hands the row back.
      restoreRow(state, item, row, isAwaited);
      unlock(state, item);
    } else {
      openLock(item, 'restoring');
      if (isAwaited) tellOf(state, id, 'revoked', refOf(index, row));
      takeFound(state, verdict.found);
    }
    state.dirty.add(id);
  }
}
