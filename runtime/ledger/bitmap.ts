import { mustGet } from '../base/assert.ts';
import type { ItemIndex } from '../model/row.ts';

/** Bitmaps are kept in pages, so that setting a bit rewrites little and an empty stretch costs nothing. Bits are found in a page of any length. */
export const PAGE_BYTES = 512;
export const PAGE_ITEMS: number = PAGE_BYTES * 8;

export function pageOf(index: ItemIndex): number {
  return Math.floor(index / PAGE_ITEMS);
}

export function hasBit(page: Uint8Array, index: ItemIndex): boolean {
  const within = index % (page.length * 8);
  return (mustGet(page[within >> 3], 'a byte of the page') & (1 << (within & 7))) !== 0;
}

export function setBit(page: Uint8Array, index: ItemIndex): void {
  const within = index % (page.length * 8);
  page[within >> 3] = mustGet(page[within >> 3], 'a byte of the page') | (1 << (within & 7));
}

export function clearBit(page: Uint8Array, index: ItemIndex): void {
  const within = index % (page.length * 8);
  page[within >> 3] = mustGet(page[within >> 3], 'a byte of the page') & ~(1 << (within & 7));
}

const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

export function countBits(page: Uint8Array): number {
  let count = 0;
  for (const byte of page) count += ONES[byte] ?? 0;
  return count;
}

/** Highest set index, or -1. */
export function lastBit(page: Uint8Array, pageNumber: number): ItemIndex {
  for (let at = page.length - 1; at >= 0; at -= 1) {
    const byte = page[at] ?? 0;
    if (byte !== 0) return pageNumber * PAGE_ITEMS + at * 8 + (31 - Math.clz32(byte));
  }
  return -1;
}

export function overlaps(a: Uint8Array, b: Uint8Array): boolean {
  return a.some((byte, at) => (byte & (b[at] ?? 0)) !== 0);
}
