import type { HandedBackItem } from '../../ledger/contract.ts';
import type { ItemIndex } from '../../model/row.ts';
import type { Item } from './item.ts';
import { addWithoutRow, delayItem, unlock } from './items.ts';
import type { State } from './state.ts';

/** The owner of the queues in which items stand that are handed back: those that may be claimed, those that wait, and those that run alone. */
interface Queues {
  ready: ItemIndex[];
  delayed: ItemIndex[];
  alone: ItemIndex[];
}

function own(state: State): Queues {
  return state as State & Queues;
}

export function addHandedBack(state: State, handedBack: HandedBackItem): Item {
  const item = addWithoutRow(state, handedBack);
  queueItem(state, item);
  return item;
}

/** A handed-back item waits for its time, or for its next claim. */
export function queueItem(state: State, item: Item): void {
  const { delayMs } = item.faults;
  delayItem(item, state.nowMs + delayMs);
  own(state)[delayMs > 0 ? 'delayed' : 'ready'].push(item.index);
}

/** What was picked for a claim, and not claimed, is at the end of its queue again. */
export function releaseClaim(state: State, item: Item): void {
  own(state).ready.push(item.index);
  unlock(state, item);
}

/** What a round of claims has left, in its order, and what it has set aside to run alone. */
export function keepReady(state: State, left: ItemIndex[], alone: readonly ItemIndex[]): void {
  own(state).ready = left;
  if (alone.length > 0) own(state).alone = [...state.alone, ...alone];
}

/** Handed-back items whose time has come may be claimed. After a boot, or where a server was away for long, that may be the whole list at once. */
export function releaseDue(state: State): void {
  const waiting: ItemIndex[] = [];
  for (const index of state.delayed) {
    const item = state.items.get(index);
    if (item !== undefined && item.dueAtMs > state.nowMs) waiting.push(index);
    else if (item !== undefined) own(state).ready.push(index);
  }
  own(state).delayed = waiting;
}

/** These items are not to be claimed now. */
export function unqueue(state: State, indexes: ReadonlySet<ItemIndex>): void {
  const isOther = (index: ItemIndex): boolean => !indexes.has(index);
  for (const queue of ['ready', 'delayed', 'alone'] as const) own(state)[queue] = state[queue].filter(isOther);
}
