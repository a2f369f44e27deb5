import { type DensePage, DensePages } from './dense-pages.ts';

/**
 * A map from whole numbers that lie close together, from 0 to 2^32 - 1. Neighbours share a page, so that taking one in or out makes no
 * garbage and needs no hashing; entries that lie far apart cost a page each. Iteration goes page by page in the order in which the
 * pages came, ascending in each, and may meet changes, as with a Map.
 */
const PAGE_SHIFT = 5;
const PAGE_KEYS: number = 2 ** PAGE_SHIFT;

interface Page<V> extends DensePage {
  readonly values: (V | undefined)[];
}

export type ReadonlyDenseMap<V extends object> = Pick<DenseMap<V>, 'size' | 'get' | 'has' | 'keys' | 'values' | typeof Symbol.iterator>;

export class DenseMap<V extends object> {
  readonly #pages = new DensePages<Page<V>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): V | undefined {
    return this.#pages.get(key >>> PAGE_SHIFT)?.values[key % PAGE_KEYS];
  }

  has(key: number): boolean {
    return this.get(key) !== undefined;
  }

  set(key: number, value: V): void {
    const page = this.#pages.get(key >>> PAGE_SHIFT) ?? this.#pages.add(newPage(key >>> PAGE_SHIFT));
    const at = key % PAGE_KEYS;
    if (page.values[at] === undefined) {
      page.size += 1;
      this.#size += 1;
    }
    page.values[at] = value;
  }

  /** True where it was there. */
  delete(key: number): boolean {
    const page = this.#pages.get(key >>> PAGE_SHIFT);
    const at = key % PAGE_KEYS;
    if (page?.values[at] === undefined) return false;
    page.values[at] = undefined;
    page.size -= 1;
    this.#size -= 1;
    if (page.size === 0) this.#pages.drop(page);
    return true;
  }

  *[Symbol.iterator](): Generator<readonly [number, V], void, undefined> {
    for (const { number, values } of this.#pages.values()) {
      for (let at = 0; at < PAGE_KEYS; at += 1) {
        const value = values[at];
        if (value !== undefined) yield [number * PAGE_KEYS + at, value];
      }
    }
  }

  *keys(): Generator<number, void, undefined> {
    for (const [key] of this) yield key;
  }

  *values(): Generator<V, void, undefined> {
    for (const { values } of this.#pages.values()) {
      for (let at = 0; at < PAGE_KEYS; at += 1) {
        const value = values[at];
        if (value !== undefined) yield value;
      }
    }
  }
}

function newPage<V>(number: number): Page<V> {
  return { number, values: new Array<V | undefined>(PAGE_KEYS).fill(undefined), size: 0 };
}
