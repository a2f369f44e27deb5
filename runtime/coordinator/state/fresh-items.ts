import { assert, mustGet } from '../../base/assert.ts';
import { type DensePage, DensePages } from '../../base/dense-pages.ts';
import type { ItemIndex, Row } from '../../model/row.ts';

/**
 * Running items without a history: each runs as it was first granted, and nothing is known of it but whether and since when it has
 * started, and whether its outcome is being recorded. Nearly all items are recorded like that, so that none of them has an object: the
 * items of a grant share one, and the rest lies in columns, in pages of neighbours.
 */
const PAGE_SHIFT = 8;
const PAGE_ITEMS: number = 2 ** PAGE_SHIFT;

const STARTED = 1;
const RECORDING = 2;

/** What the items of one grant have in common. */
export interface FreshClaim {
  readonly row: Row;
  /** Boot of the worker for which it was granted; empty where it is not known. */
  readonly bootNonce: string;
}

interface Page extends DensePage {
  readonly claims: (FreshClaim | undefined)[];
  readonly sinceMs: Float64Array;
  readonly flags: Uint8Array;
}

export class FreshItems {
  readonly #pages = new DensePages<Page>();
  #size = 0;
  #started = 0;

  get size(): number {
    return this.#size;
  }

  /** How many of them have started. */
  get started(): number {
    return this.#started;
  }

  add(index: ItemIndex, claim: FreshClaim, nowMs: number): void {
    const page = this.#pages.get(index >>> PAGE_SHIFT) ?? this.#pages.add(newPage(index >>> PAGE_SHIFT));
    const at = index % PAGE_ITEMS;
    assert(page.claims[at] === undefined, 'an item is granted as a fresh one once');
    page.claims[at] = claim;
    page.sinceMs[at] = nowMs;
    page.flags[at] = 0;
    page.size += 1;
    this.#size += 1;
  }

  /** Undefined where it is no fresh item. */
  claimOf(index: ItemIndex): FreshClaim | undefined {
    return this.#pages.get(index >>> PAGE_SHIFT)?.claims[index % PAGE_ITEMS];
  }

  isStarted(index: ItemIndex): boolean {
    return this.#has(index, STARTED);
  }

  isRecording(index: ItemIndex): boolean {
    return this.#has(index, RECORDING);
  }

  /** When it started, as far as is known, else when it was granted. */
  sinceMsOf(index: ItemIndex): number {
    return mustGet(this.#pageOf(index).sinceMs[index % PAGE_ITEMS], 'a time of the page');
  }

  start(index: ItemIndex, nowMs: number): void {
    if (this.isStarted(index)) return;
    const page = this.#pageOf(index);
    set(page, index, STARTED);
    page.sinceMs[index % PAGE_ITEMS] = nowMs;
    this.#started += 1;
  }

  record(index: ItemIndex): void {
    set(this.#pageOf(index), index, RECORDING);
  }

  delete(index: ItemIndex): void {
    const page = this.#pageOf(index);
    if (this.isStarted(index)) this.#started -= 1;
    page.claims[index % PAGE_ITEMS] = undefined;
    page.size -= 1;
    this.#size -= 1;
    if (page.size === 0) this.#pages.drop(page);
  }

  *indexes(): Generator<ItemIndex, void, undefined> {
    for (const { number, claims } of this.#pages.values())
      for (let at = 0; at < PAGE_ITEMS; at += 1) if (claims[at] !== undefined) yield number * PAGE_ITEMS + at;
  }

  #has(index: ItemIndex, flag: number): boolean {
    const page = this.#pages.get(index >>> PAGE_SHIFT);
    const at = index % PAGE_ITEMS;
    return page?.claims[at] !== undefined && (mustGet(page.flags[at], 'flags of the page') & flag) !== 0;
  }

  #pageOf(index: ItemIndex): Page {
    return mustGet(this.#pages.get(index >>> PAGE_SHIFT), 'a page of fresh items');
  }
}

function newPage(number: number): Page {
  return {
    number,
    claims: new Array<FreshClaim | undefined>(PAGE_ITEMS).fill(undefined),
    sinceMs: new Float64Array(PAGE_ITEMS),
    flags: new Uint8Array(PAGE_ITEMS),
    size: 0,
  };
}

function set({ flags }: Page, index: ItemIndex, flag: number): void {
  const at = index % PAGE_ITEMS;
  flags[at] = mustGet(flags[at], 'flags of the page') | flag;
}
