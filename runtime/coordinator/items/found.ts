import type { Found } from '../../ledger/contract.ts';
import { isSameRow, type Row } from '../../model/row.ts';
import { findRow, type Item, rowsOf } from '../state/item.ts';
import { addRow, addRunning, correct, dropItem, follow, removeRow, unlock } from '../state/items.ts';
import { addHandedBack, unqueue } from '../state/queues.ts';
import type { State } from '../state/state.ts';
import { reconcileLater } from '../state/workers.ts';

type FoundRunning = Extract<Found, { readonly state: 'running' }>;

/** A write was refused: what stands there is the truth, and the mirror takes it over (L7). */
export function takeFound(state: State, found: Found): void {
  const before = state.items.get(found.index);
  if (before !== undefined && isAsFound(before, found)) {
    // Else something is being done with it just now, and its answer will open the lock.
    if (before.lock === null) unlock(state, before);
    return;
  }
  unqueue(state, new Set([found.index]));
  const known = before?.rows.map(({ row }) => row) ?? [];
  const after = before !== undefined && found.state === 'running' ? replaceRows(state, before, found) : replaceItem(state, before, found);
  if (after === null) return;
  meetLate(state, after, known);
  unlock(state, after);
}

/** L8: a row of this epoch that nobody knew was left by a claim that was carried out late: its worker has never been sent it. */
function meetLate(state: State, item: Item, known: readonly Row[]): void {
  for (const { row } of item.rows) {
    if (row.claimEpoch !== state.epoch || known.some((other) => isSameRow(other, row))) continue;
    reconcileLater(state, row.worker, item.index);
  }
}

/** What is known of a row that still runs is as true as before, and what is to be sent of it is still to be sent. */
function replaceRows(state: State, item: Item, found: FoundRunning): Item {
  const rows = rowsOf(found);
  for (const live of item.rows.filter(({ row }) => !rows.some((other) => isSameRow(other, row)))) removeRow(state, item, live);
  for (const row of rows.filter((one) => findRow(item, one) === undefined)) {
    addRow(state, item, row);
  }
  correct(item, found);
  return item;
}

function replaceItem(state: State, before: Item | undefined, found: Found): Item | null {
  if (before !== undefined) {
    dropItem(state, before);
    // Nobody else counts it.
    if (found.state === 'done') state.done += 1;
    if (found.state === 'failed') state.failed += 1;
  }
  const after = itemOf(state, found);
  if (after !== null) follow(state, before, after);
  return after;
}

function itemOf(state: State, found: Found): Item | null {
  if (found.state === 'running') return addRunning(state, found);
  return found.state === 'handed-back' ? addHandedBack(state, found) : null;
}

/** The mirror knows these rows already, and may be doing something with them. */
function isAsFound(item: Item, found: Found): boolean {
  if (found.state !== 'running') return false;
  const rows = rowsOf(found);
  return item.rows.length === rows.length && rows.every((row) => findRow(item, row) !== undefined);
}
