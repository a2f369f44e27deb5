import { mustGet } from './assert.ts';
import { type DensePage, DensePages } from './dense-pages.ts';

/**
 * A set of whole numbers that lie close together, from 0 to 2^32 - 1: a bit each, in pages (dense-map.ts). Iteration goes page by page in
 * the order in which the pages came, ascending in each, and may meet changes, as with a Set.
 */
const PAGE_SHIFT = 10;
const PAGE_KEYS: number = 2 ** PAGE_SHIFT;
const WORD_BITS = 32;

interface Page extends DensePage {
  readonly words: number[];
}

export type ReadonlyDenseSet = Pick<DenseSet, 'size' | 'has' | 'first' | typeof Symbol.iterator>;

export class DenseSet {
  readonly #pages = new DensePages<Page>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: number): boolean {
    const page = this.#pages.get(key >>> PAGE_SHIFT);
    return page !== undefined && isSet(page, key % PAGE_KEYS);
  }

  add(key: number): void {
    const page = this.#pages.get(key >>> PAGE_SHIFT) ?? this.#pages.add(newPage(key >>> PAGE_SHIFT));
    if (isSet(page, key % PAGE_KEYS)) return;
    flip(page, key % PAGE_KEYS);
    page.size += 1;
    this.#size += 1;
  }

  /** True where it was there. */
  delete(key: number): boolean {
    const page = this.#pages.get(key >>> PAGE_SHIFT);
    if (page === undefined || !isSet(page, key % PAGE_KEYS)) return false;
    flip(page, key % PAGE_KEYS);
    page.size -= 1;
    this.#size -= 1;
    if (page.size === 0) this.#pages.drop(page);
    return true;
  }

  clear(): void {
    this.#pages.clear();
    this.#size = 0;
  }

  *[Symbol.iterator](): Generator<number, void, undefined> {
    for (const page of this.#pages.values()) {
      for (let at = nextSet(page, 0); at < PAGE_KEYS; at = nextSet(page, at + 1)) yield page.number * PAGE_KEYS + at;
    }
  }

  /** The first of them in the order of iteration, `count` at most. */
  first(count: number): number[] {
    const found: number[] = [];
    for (const page of this.#pages.values()) {
      for (let at = nextSet(page, 0); at < PAGE_KEYS && found.length < count; at = nextSet(page, at + 1))
        found.push(page.number * PAGE_KEYS + at);
      if (found.length === count) break;
    }
    return found;
  }
}

function newPage(number: number): Page {
  return { number, words: new Array<number>(PAGE_KEYS / WORD_BITS).fill(0), size: 0 };
}

function wordAt({ words }: Page, at: number): number {
  return mustGet(words[at >>> 5], 'a word of the page');
}

function isSet(page: Page, at: number): boolean {
  return ((wordAt(page, at) >>> (at & 31)) & 1) === 1;
}

function flip(page: Page, at: number): void {
  page.words[at >>> 5] = wordAt(page, at) ^ (1 << (at & 31));
}

/** The first from `at` that is set; PAGE_KEYS where none is. */
function nextSet(page: Page, at: number): number {
  for (let next = at; next < PAGE_KEYS; ) {
    const rest = wordAt(page, next) >>> (next & 31);
    // The lowest bit that is set.
    if (rest !== 0) return next + 31 - Math.clz32(rest & -rest);
    next = (next | 31) + 1;
  }
  return PAGE_KEYS;
}
