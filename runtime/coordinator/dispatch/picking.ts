import { mustGet } from '../../base/assert.ts';
import type { ItemIndex } from '../../model/row.ts';
import { isAlone, isSuspect, suspectRoom } from '../items/poison.ts';
import type { GrantPick } from '../state/commands.ts';
import { type Item, pickOf } from '../state/item.ts';
import { lockItem } from '../state/items.ts';
import type { State } from '../state/state.ts';
import type { Worker } from '../state/worker.ts';

/**
 * Which of the handed-back items a round of claims gives to whom. All its workers go through them once and together: a fleet that is
 * lost leaves tens of thousands, to be shared by hundreds of workers.
 */
export class Picking {
  readonly #state: State;
  readonly #items: readonly ItemIndex[];
  /** The first that nobody has looked at. */
  #at = 0;
  /** Passed over so far, in their order. */
  #kept: ItemIndex[] = [];
  readonly #alone: ItemIndex[] = [];

  constructor(state: State) {
    this.#state = state;
    this.#items = state.ready;
  }

  /** Takes as many as the worker has room for, suspects among them as few as poison.ts allows; answers how many. */
  pick({ worker, free }: { readonly worker: Worker; readonly free: number }, into: GrantPick[]): number {
    if (this.#items.length === 0) return 0;
    let suspects = suspectRoom(this.#state, worker);
    const isKept = (index: ItemIndex): boolean => {
      const item = this.#state.items.get(index);
      if (item === undefined || item.rows.length > 0) return false;
      if (into.length === free || !mayBePicked(item, suspects)) return true;
      if (isSuspect(item)) suspects -= 1;
      lockItem(item, 'claiming');
      into.push(pickOf(item));
      return false;
    };
    // Another worker has passed them over: suspects for which it had no room, and what is locked, which is so for everybody.
    if (suspects > 0) this.#kept = this.#kept.filter(isKept);
    for (; into.length < free && this.#at < this.#items.length; this.#at += 1) {
      const index = mustGet(this.#items[this.#at], 'ready item');
      if (!this.#setAside(index) && isKept(index)) this.#kept.push(index);
    }
    return into.length;
  }

  /** What nobody has been given. */
  left(): ItemIndex[] {
    return [...this.#kept, ...this.#items.slice(this.#at)];
  }

  /** What is to run alone, from now on. */
  alone(): readonly ItemIndex[] {
    return this.#alone;
  }

  /** One that is to run alone waits elsewhere (isolation.ts). */
  #setAside(index: ItemIndex): boolean {
    const item = this.#state.items.get(index);
    if (item === undefined || item.rows.length > 0 || item.lock !== null || !isAlone(item)) return false;
    this.#alone.push(index);
    return true;
  }
}

/** One with a late outcome on its way (L15) stays where it is, and so does a suspect where there are enough of them. */
function mayBePicked(item: Item, suspects: number): boolean {
  return item.lock === null && (suspects > 0 || !isSuspect(item));
}
