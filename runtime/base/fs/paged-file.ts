import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { mustGet } from '../assert.ts';

/** What the system reads and writes at a time anyway. */
const PAGE_BYTES = 4096;
const WORD_BYTES = 4;
export const PAGE_WORDS: number = PAGE_BYTES / WORD_BYTES;

export interface Page {
  /** The page's bytes; who changes them sets `isDirty`. Valid until another page is asked for. */
  readonly words: Uint32Array;
  isDirty: boolean;
}

interface Slot extends Page {
  owner: PagedFile | null;
  number: number;
  /** Used since the hand last came by. */
  isRecent: boolean;
}

/**
 * The memory of paged files: so many pages and no more, for all files that share it.
 *
 * What to drop is found by the clock algorithm (second chance: F. J. Corbato, "A Paging Experiment with the Multics System",
 * 1968), which costs a hit no more than setting a bit.
 */
export class PageCache {
  readonly #limit: number;
  readonly #slots: Slot[] = [];
  #hand = 0;

  constructor(pages: number) {
    this.#limit = pages;
  }

  /** A slot whose former page is on disk. */
  take(): Slot {
    if (this.#slots.length < this.#limit) return this.#newSlot();
    for (;;) {
      const slot = mustGet(this.#slots[this.#hand], 'the slot under the hand');
      this.#hand = (this.#hand + 1) % this.#slots.length;
      if (!slot.isRecent) {
        slot.owner?.letGo(slot);
        return slot;
      }
      slot.isRecent = false;
    }
  }

  /** The pages of a file that is closed hold nothing any more. */
  forget(owner: PagedFile): void {
    for (const slot of this.#slots) if (slot.owner === owner) Object.assign(slot, { owner: null, isRecent: false, isDirty: false });
  }

  #newSlot(): Slot {
    const slot: Slot = { words: new Uint32Array(PAGE_WORDS), isDirty: false, owner: null, number: -1, isRecent: false };
    this.#slots.push(slot);
    return slot;
  }
}

/**
 * A file of 4 KiB pages behind a cache. It blocks its thread: it is meant for threads of their own. Words are in the machine's own
 * byte order, and nothing is made durable: such a file is scratch space of one process.
 */
export class PagedFile {
  readonly #descriptor: number;
  readonly #cache: PageCache;
  readonly #slotOf = new Map<number, Slot>();

  constructor(path: string, cache: PageCache) {
    this.#descriptor = openSync(path, 'w+');
    this.#cache = cache;
  }

  /** Page `number`, from 0; all zeros where it was never written. */
  page(number: number): Page {
    const cached = this.#slotOf.get(number);
    if (cached !== undefined) {
      cached.isRecent = true;
      return cached;
    }
    const slot = this.#cache.take();
    slot.owner = this;
    slot.number = number;
    slot.isRecent = true;
    this.#slotOf.set(number, slot);
    this.#load(slot);
    return slot;
  }

  /** For the cache: writes the page where it was changed, and forgets it. */
  letGo(slot: Slot): void {
    if (slot.isDirty) this.#store(slot);
    this.#slotOf.delete(slot.number);
  }

  /** Closes without writing what the cache still holds. */
  discard(): void {
    this.#cache.forget(this);
    closeSync(this.#descriptor);
  }

  #load(slot: Slot): void {
    const start = slot.number * PAGE_BYTES;
    let at = 0;
    while (at < PAGE_BYTES) {
      const count = readSync(this.#descriptor, slot.words, at, PAGE_BYTES - at, start + at);
      if (count === 0) break;
      at += count;
    }
    // The file ends at a whole page, or before this one.
    slot.words.fill(0, at / WORD_BYTES);
    slot.isDirty = false;
  }

  #store(slot: Slot): void {
    const start = slot.number * PAGE_BYTES;
    let at = 0;
    while (at < PAGE_BYTES) at += writeSync(this.#descriptor, slot.words, at, PAGE_BYTES - at, start + at);
    slot.isDirty = false;
  }
}
