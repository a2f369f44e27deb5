import { closeSync, openSync, readSync, writeSync } from 'node:fs';

const WORD_BYTES = 4;

export interface Page {
  /** The page's bytes; who changes them sets `isDirty`. Valid until another page is asked for. */
  readonly words: Uint32Array;
  isDirty: boolean;
}

interface Slot extends Page {
  number: number;
  /** Used since the hand last came by. */
  isRecent: boolean;
}

/**
 * A file of fixed-size pages with a small cache in front. It blocks its thread: it is meant for threads of their own.
 *
 * What to drop is found by the clock algorithm (second chance: F. J. Corbato, "A Paging Experiment with the Multics System",
 * 1968), which costs a hit no more than setting a bit. Words are in the machine's own byte order, and nothing is made durable:
 * such a file is scratch space of one process.
 */
export class PagedFile {
  readonly #descriptor: number;
  readonly #pageBytes: number;
  readonly #cachePages: number;
  readonly #slots: Slot[] = [];
  readonly #slotOf = new Map<number, Slot>();
  #hand = 0;

  constructor(path: string, pageBytes: number, cachePages: number) {
    this.#descriptor = openSync(path, 'w+');
    this.#pageBytes = pageBytes;
    this.#cachePages = cachePages;
  }

  /** Page `number`, from 0; all zeros where it was never written. */
  page(number: number): Page {
    const cached = this.#slotOf.get(number);
    if (cached !== undefined) {
      cached.isRecent = true;
      return cached;
    }
    const slot = this.#freeSlot(number);
    this.#load(slot);
    return slot;
  }

  /** Closes without writing what the cache still holds. */
  discard(): void {
    closeSync(this.#descriptor);
  }

  #freeSlot(number: number): Slot {
    const slot = this.#slots.length < this.#cachePages ? this.#newSlot() : this.#evict();
    slot.number = number;
    slot.isRecent = true;
    this.#slotOf.set(number, slot);
    return slot;
  }

  #newSlot(): Slot {
    const slot = { words: new Uint32Array(this.#pageBytes / WORD_BYTES), isDirty: false, number: -1, isRecent: false };
    this.#slots.push(slot);
    return slot;
  }

  #evict(): Slot {
    for (;;) {
      const slot = this.#slots[this.#hand] as Slot;
      this.#hand = (this.#hand + 1) % this.#slots.length;
      if (!slot.isRecent) {
        this.#store(slot);
        this.#slotOf.delete(slot.number);
        return slot;
      }
      slot.isRecent = false;
    }
  }

  #load(slot: Slot): void {
    const start = slot.number * this.#pageBytes;
    let at = 0;
    while (at < this.#pageBytes) {
      const count = readSync(this.#descriptor, slot.words, at, this.#pageBytes - at, start + at);
      if (count === 0) break;
      at += count;
    }
    slot.words.fill(0, Math.ceil(at / WORD_BYTES));
    slot.isDirty = false;
  }

  #store(slot: Slot): void {
    if (!slot.isDirty) return;
    const start = slot.number * this.#pageBytes;
    let at = 0;
    while (at < this.#pageBytes) at += writeSync(this.#descriptor, slot.words, at, this.#pageBytes - at, start + at);
    slot.isDirty = false;
  }
}
