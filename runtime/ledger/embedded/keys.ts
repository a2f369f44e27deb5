import type { Epoch, ItemIndex, WorkerId } from '../../model/row.ts';
import type { Bit } from '../rows.ts';

/** Keys are a letter, and for rows that occur often a number behind it, big-endian so that LMDB keeps them in order. */
export const KEY: Readonly<Record<'format' | 'lease' | 'head' | 'state' | 'place', Buffer>> = {
  format: Buffer.from('V'),
  lease: Buffer.from('L'),
  head: Buffer.from('H'),
  state: Buffer.from('S'),
  place: Buffer.from('P'),
};

/** Pages come last in the order of keys: LMDB fills its own pages to the brim only where it appends. */
const LETTER = { tally: 'e', item: 'i', workerName: 'n', rangePage: 'r', worker: 'w', page: 'z' } as const;
export type Kind = keyof typeof LETTER;

function numbered(letter: string, number: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key.write(letter, 0, 'latin1');
  key.writeUInt32BE(number, 1);
  return key;
}

export const itemKey = (index: ItemIndex): Buffer => numbered(LETTER.item, index);
export const rangePageKey = (page: number): Buffer => numbered(LETTER.rangePage, page);
export const workerNameKey = (number: number): Buffer => numbered(LETTER.workerName, number);
export const tallyKey = (epoch: Epoch): Buffer => numbered(LETTER.tally, epoch);
export const workerKey = (worker: WorkerId): Buffer => Buffer.from(`${LETTER.worker}${worker}`);

/** Both bitmaps' pages of the same items lie side by side. */
const BIT_BYTE: Readonly<Record<Bit, number>> = { done: 0, failed: 1 };

export function pageKey(bit: Bit, page: number): Buffer {
  return Buffer.concat([numbered(LETTER.page, page), Buffer.from([BIT_BYTE[bit]])]);
}

export function isPageOf(bit: Bit, key: Uint8Array): boolean {
  return key.at(-1) === BIT_BYTE[bit];
}

export function numberOf(key: Uint8Array): number {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).readUInt32BE(1);
}

export function workerOf(key: Uint8Array): WorkerId {
  return Buffer.from(key).toString('utf8', 1);
}

/** Everything under one letter. */
export function rangeOf(kind: Kind): { readonly start: Buffer; readonly end: Buffer } {
  const letter = LETTER[kind].charCodeAt(0);
  return { start: Buffer.from([letter]), end: Buffer.from([letter + 1]) };
}
