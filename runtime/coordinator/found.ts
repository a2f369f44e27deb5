import type { Found } from '../ledger/contract.ts';
import { COORDINATOR_WORKER, isSameRow } from '../model/row.ts';
import { rejudge } from './judge.ts';
import { addHandedBack, addRunning, dropItem } from './mirror.ts';
import { handBackAll } from './rows.ts';
import type { Item, State } from './state.ts';

/** A write was refused: what stands there is the truth, and the mirror takes it over (L7). */
export function takeFound(state: State, nowMs: number, found: Found): void {
  const before = state.items.get(found.index);
  if (before !== undefined && isAsFound(before, found)) return;
  if (before !== undefined) dropItem(state, before);
  state.ready = state.ready.filter((index) => index !== found.index);
  state.delayed = state.delayed.filter((index) => index !== found.index);
  if (found.state === 'running') takeRunning(state, found);
  if (found.state === 'handed-back') addHandedBack(state, found.index, found.row, found.faults, nowMs);
  const after = state.items.get(found.index);
  if (after === undefined) return;
  if (before !== undefined) after.waiting.push(...before.waiting);
  rejudge(state, after);
}

/** L31: the rows of a worker that has gone go back whenever they are found. */
function takeRunning(state: State, { index, row, faults }: Extract<Found, { state: 'running' }>): void {
  const owner = state.workers.get(row.worker);
  const item = addRunning(state, index, row, faults, owner?.bootNonce ?? '');
  if (owner === undefined && row.worker !== COORDINATOR_WORKER) handBackAll(state, [item]);
}

/** The mirror knows the row already, and may be doing something with it. */
function isAsFound(item: Item, found: Found): boolean {
  return found.state === 'running' && item.isRunning && isSameRow(item.row, found.row);
}
