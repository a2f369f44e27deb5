import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import { type ItemIndex, MAX_INDEX } from '../../model/row.ts';
import type { CountedRow, Move, NamedRow, SoleRow } from '../contract.ts';
import type { NamesTable } from './names-table.ts';

/** Rows as the scripts read them, little-endian: worker u16 · index · attempt · claim epoch, each u32; then what the verb adds. */
export const ROW_BYTES = 14;

export function requireIndex(index: ItemIndex): void {
  assert(Number.isInteger(index) && index >= 0 && index <= MAX_INDEX, 'an item index outside 32 bits');
}

/** A row with a field that no store can hold is nobody's, and so is this one. */
const NOBODY = 0xffff;

export function putRow(bytes: Buffer, at: number, { index, row }: NamedRow, names: NamesTable): number {
  requireIndex(index);
  const isPackable = isU32(row.attempt) && isU32(row.claimEpoch);
  bytes.writeUInt16LE(isPackable ? names.placeOf(row.worker) : NOBODY, at);
  bytes.writeUInt32LE(index, at + 2);
  bytes.writeUInt32LE(isPackable ? row.attempt : 0, at + 6);
  return bytes.writeUInt32LE(isPackable ? row.claimEpoch : 0, at + 10);
}

export function packRows(rows: readonly NamedRow[], names: NamesTable): Buffer {
  const bytes = Buffer.allocUnsafe(rows.length * ROW_BYTES);
  let at = 0;
  for (const row of rows) at = putRow(bytes, at, row, names);
  return bytes;
}

export function packCountedRows(rows: readonly CountedRow[], names: NamesTable): Buffer {
  const bytes = Buffer.allocUnsafe(rows.length * (ROW_BYTES + 4));
  let at = 0;
  for (const row of rows) at = bytes.writeUInt32LE(row.restores, putRow(bytes, at, row, names));
  return bytes;
}

export function packMoves(moves: readonly Move[], names: NamesTable): Buffer {
  const bytes = Buffer.allocUnsafe(moves.length * (ROW_BYTES + 2));
  let at = 0;
  for (const move of moves) {
    at = putRow(bytes, at, move, names);
    at = bytes.writeUInt16LE(names.placeOf(move.to), at);
  }
  return bytes;
}

export function packSoleRows(rows: readonly SoleRow[], names: NamesTable): Buffer {
  const bytes = Buffer.allocUnsafe(rows.length * (ROW_BYTES + 4));
  let at = 0;
  for (const one of rows) {
    assert(isU32(one.lastAttempt + 1), 'an attempt number fits in 32 bits (L9)');
    at = bytes.writeUInt32LE(Math.max(0, one.lastAttempt), putRow(bytes, at, one, names));
  }
  return bytes;
}
