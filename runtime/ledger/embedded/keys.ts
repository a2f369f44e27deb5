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

const LETTER = { item: 'i', done: 'd', failed: 'f', worker: 'w', workerName: 'n', acceptedEpoch: 'e' } as const;
export type Kind = keyof typeof LETTER;

function numbered(letter: string, number: number): Buffer {
  const key = Buffer.allocUnsafe(5);
  key.write(letter, 0, 'latin1');
  key.writeUInt32BE(number, 1);
  return key;
}

export const itemKey = (index: ItemIndex): Buffer => numbered(LETTER.item, index);
export const pageKey = (bit: Bit, page: number): Buffer => numbered(LETTER[bit], page);
export const workerNameKey = (number: number): Buffer => numbered(LETTER.workerName, number);
export const acceptedEpochKey = (epoch: Epoch): Buffer => numbered(LETTER.acceptedEpoch, epoch);
export const workerKey = (worker: WorkerId): Buffer => Buffer.from(`${LETTER.worker}${worker}`);

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
