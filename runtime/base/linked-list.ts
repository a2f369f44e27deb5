/**
 * Lists of things that are in one list at most, each in the order in which they were put in. The links are in the things themselves, so
 * that a thing moves from list to list without anything made or hashed.
 */
export interface Linked<T extends Linked<T>> {
  list: LinkedList<T> | null;
  before: T | null;
  after: T | null;
}

export class LinkedList<T extends Linked<T>> {
  #first: T | null = null;
  #last: T | null = null;
  #size = 0;

  get first(): T | null {
    return this.#first;
  }

  get size(): number {
    return this.#size;
  }

  has(thing: T): boolean {
    return thing.list === this;
  }

  /** At the end; one that is here already keeps its place, and one that is in another list leaves it. */
  add(thing: T): void {
    if (thing.list === this) return;
    thing.list?.delete(thing);
    thing.list = this;
    thing.before = this.#last;
    if (this.#last === null) this.#first = thing;
    else this.#last.after = thing;
    this.#last = thing;
    this.#size += 1;
  }

  delete(thing: T): void {
    if (thing.list !== this) return;
    const { before, after } = thing;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    thing.list = null;
    thing.before = null;
    thing.after = null;
    this.#size -= 1;
  }

  /** The thing that is handed out may be taken out of the list meanwhile; no other may. */
  *[Symbol.iterator](): IterableIterator<T> {
    for (let thing = this.#first; thing !== null; ) {
      const { after } = thing;
      yield thing;
      thing = after;
    }
  }
}
