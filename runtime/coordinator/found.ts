import type { Found } from '../ledger/contract.ts';
import { isSameRow, type Row } from '../model/row.ts';
import { unlock } from './judge.ts';
import { addHandedBack, addRunning, dropItem, findRow } from './mirror.ts';
import type { Item, State } from './state.ts';

/** A write was refused: what stands there is the truth, and the mirror takes it over (L7). */
export function takeFound(state: State, found: Found): void {
  const before = state.items.get(found.index);
  if (before !== undefined && isAsFound(before, found)) {
    // Else something is being done with it just now, and its answer will open the lock.
    if (before.lock === null) unlock(state, before);
    return;
  }
  const rows = before?.rows ?? [];
  if (before !== undefined) dropItem(state, before);
  state.ready = state.ready.filter((index) => index !== found.index);
  state.delayed = state.delayed.filter((index) => index !== found.index);
  const after = itemOf(state, found);
  if (after === null) return;
  // What is known of a row that still runs is as true as before.
  after.rows = after.rows.map((live) => rows.find((other) => isSameRow(other.row, live.row)) ?? live);
  after.waiting.push(...(before?.waiting ?? []));
  unlock(state, after);
}

function itemOf(state: State, found: Found): Item | null {
  if (found.state === 'running') return addRunning(state, found);
  return found.state === 'handed-back' ? addHandedBack(state, found) : null;
}

/** The mirror knows these rows already, and may be doing something with them. */
function isAsFound(item: Item, found: Found): boolean {
  if (found.state !== 'running') return false;
  const rows: readonly (Row | null)[] = [found.row, found.second];
  const isKnown = rows.every((row) => row === null || findRow(item, row) !== undefined);
  return isKnown && item.rows.length === rows.filter((row) => row !== null).length;
}
