import { assert } from '../base/assert.ts';
import { DenseMap } from '../base/dense-map.ts';
import type { Attempt, ItemIndex } from './row.ts';

/** Names one attempt of an item. */
export interface AttemptRef {
  readonly index: ItemIndex;
  readonly attempt: Attempt;
}

/** Something of one attempt of an item. */
export interface OfAttempt<T> {
  readonly ref: AttemptRef;
  /** Of another attempt of the same item. */
  sibling: T | null;
}

/**
 * By index and attempt. An item hardly ever has two attempts in one place, so its index is the key, and further attempts are chained to the
 * first: a number as a key costs a fraction of a text made of two.
 */
export class AttemptMap<T extends OfAttempt<T>> {
  readonly #byIndex = new DenseMap<T>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get({ index, attempt }: AttemptRef): T | undefined {
    let one = this.#byIndex.get(index);
    while (one !== undefined && one.ref.attempt !== attempt) one = one.sibling ?? undefined;
    return one;
  }

  /** Of all attempts of an item. */
  ofItem(index: ItemIndex): readonly T[] {
    const found: T[] = [];
    for (let one = this.#byIndex.get(index) ?? null; one !== null; one = one.sibling) found.push(one);
    return found;
  }

  hasItem(index: ItemIndex): boolean {
    return this.#byIndex.has(index);
  }

  add(one: T): void {
    const { index } = one.ref;
    const first = this.#byIndex.get(index);
    assert(first === undefined || this.get(one.ref) === undefined, 'one held item per index and attempt');
    one.sibling = first ?? null;
    this.#byIndex.set(index, one);
    this.#size += 1;
  }

  delete(one: T): void {
    const { index } = one.ref;
    const first = this.#byIndex.get(index);
    assert(first !== undefined, 'what is taken out was put in');
    if (first !== one) unchain(first, one);
    else if (one.sibling === null) this.#byIndex.delete(index);
    else this.#byIndex.set(index, one.sibling);
    one.sibling = null;
    this.#size -= 1;
  }

  /** In the order in which their items came. What is handed out may be taken out meanwhile. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (const first of this.#byIndex.values()) {
      for (let one: T | null = first; one !== null; ) {
        const { sibling }: T = one;
        yield one;
        one = sibling;
      }
    }
  }
}

function unchain<T extends OfAttempt<T>>(first: T, one: T): void {
  let before = first;
  while (before.sibling !== null && before.sibling !== one) before = before.sibling;
  assert(before.sibling === one, 'what is taken out was put in');
  before.sibling = one.sibling;
}
