import { mustGet } from '../../base/assert.ts';
import { DenseMap } from '../../base/dense-map.ts';
import { NO_FAULTS } from '../../ledger/contract.ts';
import { type ItemIndex, isRowOf, type Row, type RowRef, type WorkerId } from '../../model/row.ts';
import { FreshItems } from './fresh-items.ts';
import { type ActiveClaim, findClaim, type Item, rowOfWorker, type Waiting } from './item.ts';

/** Nearly every item is recorded without anything having waited for it: they share one empty list. */
export const NOTHING: readonly Waiting[] = [];

/** All items that are handed out and not terminal: those with a history as an object each, and the fresh ones without any. */
export class ItemTable {
  readonly fresh: FreshItems = new FreshItems();
  readonly #objects = new DenseMap<Item>();

  get size(): number {
    return this.fresh.size + this.#objects.size;
  }

  has(index: ItemIndex): boolean {
    return this.fresh.claimOf(index) !== undefined || this.#objects.has(index);
  }

  /** What is asked for as a whole has an object from now on: something is done with it that its grant did not foresee. */
  get(index: ItemIndex): Item | undefined {
    const known = this.#objects.get(index);
    if (known !== undefined || this.fresh.claimOf(index) === undefined) return known;
    const item = this.#copyOf(index);
    this.fresh.delete(index);
    this.#objects.set(index, item);
    return item;
  }

  /** As it is now, to be looked at: a fresh item stays one, and what is done to the copy is lost. */
  copy(index: ItemIndex): Item | undefined {
    return this.#objects.get(index) ?? (this.fresh.claimOf(index) === undefined ? undefined : this.#copyOf(index));
  }

  set(index: ItemIndex, item: Item): void {
    this.#objects.set(index, item);
  }

  delete(index: ItemIndex): void {
    if (!this.#objects.delete(index)) this.fresh.delete(index);
  }

  /** The row that this worker has of the item; it has at most one. */
  rowOf(index: ItemIndex, worker: WorkerId): Row | undefined {
    const claim = this.fresh.claimOf(index);
    if (claim !== undefined) return claim.row.worker === worker ? claim.row : undefined;
    const item = this.#objects.get(index);
    return item === undefined ? undefined : rowOfWorker(item, worker)?.row;
  }

  /** The running row that a worker names; `leaving`: with a hand-back or reassign under way it is as good as gone (L28). Null for none. */
  claimOf(index: ItemIndex, worker: WorkerId, ref: RowRef): 'active' | 'leaving' | null {
    const claim = this.fresh.claimOf(index);
    if (claim !== undefined) return isRowOf(claim.row, worker, ref) ? 'active' : null;
    const live = findClaim(this.#objects.get(index), worker, ref);
    if (live === undefined) return null;
    return live.isLeaving ? 'leaving' : 'active';
  }

  isLocked(index: ItemIndex): boolean {
    return this.fresh.isRecording(index) || (this.#objects.get(index)?.lock ?? null) !== null;
  }

  /** Those that have an object: what waits, went wrong or was moved is among them. */
  withHistory(): Generator<Item, void, undefined> {
    return this.#objects.values();
  }

  /** Each as an object of its own from now on. */
  all(): readonly Item[] {
    for (const index of [...this.fresh.indexes()]) this.get(index);
    return [...this.#objects.values()];
  }

  /** Each as it is now, to be looked at (`copy`). */
  *copies(): Generator<readonly [ItemIndex, Item], void, undefined> {
    yield* this.#objects;
    for (const index of this.fresh.indexes()) yield [index, this.#copyOf(index)];
  }

  #copyOf(index: ItemIndex): Item {
    const { fresh } = this;
    const { row, bootNonce } = mustGet(fresh.claimOf(index), 'a fresh item');
    const [isStarted, sinceMs] = [fresh.isStarted(index), fresh.sinceMsOf(index)];
    const live: ActiveClaim = { row, bootNonce, isStarted, sinceMs, recalledFor: null, isLeaving: false, isGivenBack: false };
    const lock = fresh.isRecording(index) ? 'recording' : null;
    const { attempt: lastAttempt } = row;
    return {
      index,
      rows: [live],
      taken: row,
      lastAttempt,
      faults: NO_FAULTS,
      isCutOff: false,
      dueAtMs: 0,
      lock,
      why: null,
      waiting: NOTHING,
    };
  }
}

/** As all but state/items.ts see it. To ask for an item as a whole changes how it is kept, and nothing that is known of it. */
export type ReadonlyItemTable = Omit<ItemTable, 'set' | 'delete' | 'fresh'> & {
  readonly fresh: Omit<FreshItems, 'add' | 'start' | 'record' | 'delete'>;
};
