import { assert } from '../base/assert.ts';
import type { ItemIndex, WorkerId } from '../model/row.ts';
import { clearBit, hasBit, setBit } from './bitmap.ts';
import { putU32 } from './codec.ts';
import { NO_FAULTS } from './contract.ts';
import type { GrantedRange, Running } from './rows.ts';

/** A granted range is kept in pages, so that changing it rewrites little however long it is, and an item's page has a known key. */
const OPEN_BYTES = 32;
const PAGE_ITEMS: number = OPEN_BYTES * 8;

export function rangePageOf(index: ItemIndex): number {
  return Math.floor(index / PAGE_ITEMS);
}

/** The part of a range that lies in its first page, and what is left of it. */
export function cutAtPage({ from, count, item }: GrantedRange): readonly [GrantedRange, GrantedRange | null] {
  const fits = Math.min(count, (rangePageOf(from) + 1) * PAGE_ITEMS - from);
  return [{ from, count: fits, item }, fits === count ? null : { from: from + fits, count: count - fits, item }];
}

/** The names of workers stand elsewhere, once each. */
export interface WorkerNames {
  nameOf(number: number): WorkerId;
  numberOf(worker: WorkerId): number;
}

/**
 * The ranges granted in one stretch of the items, and a bit for each item that is still open: it runs as it was granted. Everything
 * else about an item, once it has a history, is in a row of its own. Packed, little-endian:
 *
 *   open bits, 32 bytes · for each range that has an open item: first item u8 · count less one u8 · worker number u32 · claim epoch u32
 */
const RANGE_BYTES = 10;
/** Fresh items are granted as their first attempt, so it is not stored. */
const FIRST_ATTEMPT = 1;

export class RangePage {
  readonly #start: ItemIndex;
  readonly #open = new Uint8Array(OPEN_BYTES);
  readonly #ranges: GrantedRange[] = [];
  #isChanged = false;

  constructor(page: number, bytes: Uint8Array | null, names: WorkerNames) {
    this.#start = page * PAGE_ITEMS;
    if (bytes !== null) this.#unpack(bytes, names);
  }

  get isChanged(): boolean {
    return this.#isChanged;
  }

  /** Null where the item is not open. */
  itemAt(index: ItemIndex): Running | null {
    if (!hasBit(this.#open, index)) return null;
    const range = this.#ranges.find(({ from, count }) => index >= from && index < from + count);
    assert(range !== undefined, 'an open item belongs to a range');
    return range.item;
  }

  grant(range: GrantedRange): void {
    const { from, count, item } = range;
    assert(from >= this.#start && from + count <= this.#start + PAGE_ITEMS, 'a range of a page lies in it');
    assert(item.row.attempt === FIRST_ATTEMPT && item.lastAttempt === FIRST_ATTEMPT, 'fresh items are granted as their first attempt');
    for (let n = 0; n < count; n += 1) setBit(this.#open, from + n);
    this.#ranges.push(range);
    this.#isChanged = true;
  }

  /** False where it was not open. */
  close(index: ItemIndex): boolean {
    if (!hasBit(this.#open, index)) return false;
    clearBit(this.#open, index);
    this.#isChanged = true;
    return true;
  }

  openItems(): readonly { readonly index: ItemIndex; readonly item: Running }[] {
    return this.#ranges.flatMap((range) => openIn(this.#open, range).map((index) => ({ index, item: range.item })));
  }

  /** Null where nothing is open any more: such a page is not kept. */
  pack(names: WorkerNames): Uint8Array | null {
    const ranges = this.#ranges.filter((range) => isAnyOpen(this.#open, range));
    if (ranges.length === 0) return null;
    const bytes = new Uint8Array(OPEN_BYTES + ranges.length * RANGE_BYTES);
    bytes.set(this.#open);
    const view = new DataView(bytes.buffer);
    ranges.forEach(({ from, count, item }, n) => {
      const at = OPEN_BYTES + n * RANGE_BYTES;
      view.setUint8(at, from - this.#start);
      view.setUint8(at + 1, count - 1);
      putU32(view, at + 2, names.numberOf(item.row.worker), 'a worker number');
      putU32(view, at + 6, item.row.claimEpoch, 'a claim epoch');
    });
    return bytes;
  }

  #unpack(bytes: Uint8Array, names: WorkerNames): void {
    assert(bytes.length > OPEN_BYTES && (bytes.length - OPEN_BYTES) % RANGE_BYTES === 0, 'a page of ranges is whole');
    this.#open.set(bytes.subarray(0, OPEN_BYTES));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let at = OPEN_BYTES; at < bytes.length; at += RANGE_BYTES) {
      const row = { worker: names.nameOf(view.getUint32(at + 2, true)), attempt: FIRST_ATTEMPT, claimEpoch: view.getUint32(at + 6, true) };
      const item: Running = { state: 'running', row, second: null, lastAttempt: FIRST_ATTEMPT, faults: NO_FAULTS };
      this.#ranges.push({ from: this.#start + view.getUint8(at), count: view.getUint8(at + 1) + 1, item });
    }
  }
}

function isAnyOpen(open: Uint8Array, { from, count }: GrantedRange): boolean {
  for (let index = from; index < from + count; index += 1) if (hasBit(open, index)) return true;
  return false;
}

function openIn(open: Uint8Array, { from, count }: GrantedRange): readonly ItemIndex[] {
  return Array.from({ length: count }, (_, n) => from + n).filter((index) => hasBit(open, index));
}
