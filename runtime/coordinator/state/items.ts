import { assert, mustGet } from '../../base/assert.ts';
import type { HandedBackItem, RunningItem } from '../../ledger/contract.ts';
import { type ItemIndex, type ItemRef, isRowOf, type Row, type WorkerId } from '../../model/row.ts';
import { type ActiveClaim, findClaim, type Item, type Lock, rowsOf, type WaitCause, type Waiting } from './item.ts';
import { type ItemTable, NOTHING } from './item-table.ts';
import type { State } from './state.ts';
import type { Worker } from './worker.ts';
import { awaitItem, awaitNoMore, forgetRow, giveItems } from './workers.ts';

/**
 * The owner of the items: their rows and their locks. Everybody else reads them, and the compiler refuses it where another file writes.
 */
type Own<T> = { -readonly [K in keyof T]: T[K] };

interface OwnState {
  readonly items: ItemTable;
  reopened: Item[];
}

function own(state: State): OwnState {
  return state as State & OwnState;
}

export function itemAt(state: State, index: ItemIndex): Item {
  return mustGet(state.items.get(index), 'item of the mirror');
}

export function addRunning(state: State, running: RunningItem): Item {
  const rows = rowsOf(running).map((one) => giveTo(state, running.index, one));
  return addItem(state, running, rows);
}

/** An item without a row: queues.ts gives it its place. */
export function addWithoutRow(state: State, handedBack: HandedBackItem): Item {
  return addItem(state, handedBack, []);
}

/** An item that runs as it was granted by an earlier coordinator. Whether a boot that is older than its worker's was meant nobody knows. */
export function addFresh(state: State, index: ItemIndex, row: Row, isOfOlderBoot: boolean): void {
  const owner = giveItems(state, row.worker, index, 1);
  own(state).items.fresh.add(index, { row, bootNonce: isOfOlderBoot ? '' : (owner?.bootNonce ?? '') }, state.nowMs);
}

/** A claim was granted: its items run in one row. One that was handed back before has a history, which it keeps. */
export function addClaimed(state: State, from: ItemIndex, count: number, row: Row): void {
  const owner = giveItems(state, row.worker, from, count);
  const { items } = own(state);
  const claim = { row, bootNonce: owner?.bootNonce ?? '' };
  for (let index = from; index < from + count; index += 1) {
    const before = items.get(index);
    if (before === undefined) items.fresh.add(index, claim, state.nowMs);
    else
      follow(state, before, addItem(state, { index, row, lastAttempt: row.attempt, faults: before.faults }, [newRow(state, row, owner)]));
  }
}

/** Its worker has started it, or kept it when it was recalled. */
export function startItem(state: State, worker: WorkerId, ref: ItemRef): void {
  const { items } = own(state);
  const claim = items.fresh.claimOf(ref.index);
  if (claim !== undefined) {
    if (isRowOf(claim.row, worker, ref)) items.fresh.start(ref.index, state.nowMs);
    return;
  }
  const live = findClaim(items.get(ref.index), worker, ref);
  if (live !== undefined) noteStarted(state, ref.index, live);
}

/** The outcome of a fresh item is handed over to the log. False where that was done before: what comes twice waits for nothing. */
export function lockFresh(state: State, index: ItemIndex): boolean {
  const { fresh } = own(state).items;
  if (fresh.isRecording(index)) return false;
  fresh.record(index);
  return true;
}

/** A fresh item is terminal. */
export function dropFresh(state: State, index: ItemIndex, row: Row): void {
  forgetRow(state, index, row);
  own(state).items.fresh.delete(index);
}

function addItem(state: State, { index, row, lastAttempt, faults }: HandedBackItem, rows: readonly ActiveClaim[]): Item {
  const item: Item = { index, rows, taken: row, lastAttempt, faults, isCutOff: false, dueAtMs: 0, lock: null, why: null, waiting: NOTHING };
  own(state).items.set(index, item);
  return item;
}

/** The same item by another object: why it waits, and what waits for it, is as before. */
export function follow(state: State, before: Item | undefined, after: Item): void {
  if (before === undefined) return;
  const mine: Own<Item> = after;
  mine.why = before.why;
  mine.waiting = before.waiting;
  if (after.waiting.length > 0) own(state).reopened.push(after);
}

/** Takes an item out of the mirror: it is terminal, or about to be replaced. */
export function dropItem(state: State, item: Item): void {
  for (const live of item.rows) removeRow(state, item, live);
  own(state).items.delete(item.index);
}

/** What the ledger says of the item. */
export function correct(item: Item, { lastAttempt, faults }: Pick<Item, 'lastAttempt' | 'faults'>): void {
  const mine: Own<Item> = item;
  mine.lastAttempt = lastAttempt;
  mine.faults = faults;
}

export function delayItem(item: Item, dueAtMs: number): void {
  const mine: Own<Item> = item;
  mine.dueAtMs = dueAtMs;
}

export function noteWhy(item: Item, why: WaitCause): void {
  const mine: Own<Item> = item;
  mine.why = why;
}

/** A row that was just written, or just found. */
export function addRow(state: State, item: Item, row: Row): ActiveClaim {
  const live = giveTo(state, item.index, row);
  const mine: Own<Item> = item;
  mine.rows = [...item.rows, live];
  mine.lastAttempt = Math.max(item.lastAttempt, row.attempt);
  return live;
}

function giveTo(state: State, index: ItemIndex, row: Row): ActiveClaim {
  return newRow(state, row, giveItems(state, row.worker, index, 1));
}

function newRow({ nowMs }: State, row: Row, owner: Worker | undefined): ActiveClaim {
  const bootNonce = owner?.bootNonce ?? '';
  return { row, bootNonce, isStarted: false, sinceMs: nowMs, recalledFor: null, isLeaving: false, isGivenBack: false };
}

/** The row that was taken from the item runs again (L44). It is its worker's only where that still waits for it. */
export function restoreRow(state: State, item: Item, row: Row, isAwaited: boolean): void {
  const owner = state.workers.get(row.worker);
  if (isAwaited) giveItems(state, row.worker, item.index, 1);
  const mine: Own<Item> = item;
  mine.rows = [{ ...newRow(state, row, owner), isStarted: true }];
}

/** One row of the item is gone; with the last one the item is handed back, and keeps it (L15). */
export function removeRow(state: State, item: Item, live: ActiveClaim): void {
  endRecall(state, item.index, live);
  forgetRow(state, item.index, live.row);
  const mine: Own<Item> = item;
  mine.rows = item.rows.filter((other) => other !== live);
  mine.taken = live.row;
}

/** Whether an execution had begun in the row that was just taken from it. */
export function noteCutOff(item: Item, isCutOff: boolean): void {
  const mine: Own<Item> = item;
  mine.isCutOff = isCutOff;
}

/** The boot for which the row was claimed; empty where nobody knows it. */
export function noteBoot(live: ActiveClaim, bootNonce: string): void {
  const mine: Own<ActiveClaim> = live;
  mine.bootNonce = bootNonce;
}

/** A started item is never stolen (L32). */
export function noteStarted(state: State, index: ItemIndex, live: ActiveClaim): void {
  if (live.isStarted) return;
  endRecall(state, index, live);
  const mine: Own<ActiveClaim> = live;
  mine.isStarted = true;
  mine.sinceMs = state.nowMs;
}

/** The row is wanted for this worker. */
export function recall(state: State, item: Item, live: ActiveClaim, thief: WorkerId): void {
  const mine: Own<ActiveClaim> = live;
  mine.recalledFor = thief;
  awaitItem(state, thief, item.index);
}

/** Its worker is not asked for the row any more. */
export function endRecall(state: State, index: ItemIndex, live: ActiveClaim): void {
  const mine: Own<ActiveClaim> = live;
  if (live.recalledFor !== null) awaitNoMore(state, live.recalledFor, index);
  mine.recalledFor = null;
}

/** Its worker gives the row back while it is being taken from it. */
export function noteGivenBack(live: ActiveClaim): void {
  const mine: Own<ActiveClaim> = live;
  mine.isGivenBack = true;
}

/** The row is on its way out of its worker: nobody is sent it (L28). */
export function takeAway(state: State, item: Item, live: ActiveClaim, lock: 'returning' | 'moving'): void {
  assert(item.rows.includes(live), 'only a running row is taken away');
  lockItem(item, lock);
  endRecall(state, item.index, live);
  const mine: Own<ActiveClaim> = live;
  mine.isLeaving = true;
}

/** The ledger has refused to take the row away. */
export function leaveWhereItIs(item: Item, live: ActiveClaim, lock: 'returning' | 'moving'): void {
  openLock(item, lock);
  const mine: Own<ActiveClaim> = live;
  mine.isLeaving = false;
  mine.isGivenBack = false;
}

export function lockItem(item: Item, lock: Lock): void {
  assert(item.lock === null, 'one lock at a time');
  const mine: Own<Item> = item;
  mine.lock = lock;
}

/** Opens a lock for somebody who locks the item again at once, or judges it. */
export function openLock(item: Item, lock: Lock): void {
  assert(item.lock === lock, `item ${item.index} is locked as ${item.lock}, not as ${lock}`);
  const mine: Own<Item> = item;
  mine.lock = null;
}

/** Opens the item's lock, if it has one: what waited for it is judged when the fact has been taken in (judge.ts). */
export function unlock(state: State, item: Item): void {
  const mine: Own<Item> = item;
  mine.lock = null;
  own(state).reopened.push(item);
}

/** Items whose locks have opened since the last call. */
export function takeReopened(state: State): readonly Item[] {
  return own(state).reopened.splice(0);
}

/** To be judged when the lock opens. */
export function addWaiting(item: Item, waiting: Waiting): void {
  const mine: Own<Item> = item;
  mine.waiting = [...item.waiting, waiting];
}

export function takeWaiting(item: Item): readonly Waiting[] {
  const { waiting } = item;
  const mine: Own<Item> = item;
  mine.waiting = NOTHING;
  return waiting;
}
