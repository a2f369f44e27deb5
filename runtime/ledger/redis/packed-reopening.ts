import type { ItemIndex } from '../../model/row.ts';
import type { EpochTally, Reopening } from '../../model/tally.ts';
import { requireIndex } from './packed-rows.ts';

/** A script takes a few milliseconds for so many items, whose bits may lie far apart. */
export const PART_ITEMS = 512;

/** A part of the list as lua/reopen.lua takes it: items to be claimed again, and items of the coordinator's own. */
export interface PackedPart {
  readonly pending: Buffer;
  readonly own: Buffer;
}

/** At least one part. An item is named once: in both lists it is the coordinator's own. */
export function partsOf({ pending, own }: Pick<Reopening, 'pending' | 'own'>): readonly PackedPart[] {
  const kept = new Set(own);
  const claimed = [...new Set(pending)].filter((index) => !kept.has(index));
  const all = [...claimed, ...kept];
  const parts: PackedPart[] = [];
  for (let from = 0; from < all.length || from === 0; from += PART_ITEMS) {
    const border = Math.max(from, Math.min(claimed.length, from + PART_ITEMS));
    parts.push({ pending: packIndexes(all.slice(from, border)), own: packIndexes(all.slice(border, from + PART_ITEMS)) });
  }
  return parts;
}

function packIndexes(indexes: readonly ItemIndex[]): Buffer {
  const bytes = Buffer.allocUnsafe(indexes.length * 4);
  for (const [n, index] of indexes.entries()) {
    requireIndex(index);
    bytes.writeUInt32LE(index, n * 4);
  }
  return bytes;
}

const TALLY_BYTES = 16;

export function packTallies(tallies: readonly EpochTally[]): Buffer {
  const bytes = Buffer.allocUnsafe(tallies.length * TALLY_BYTES);
  for (const [n, { epoch, count, low, high }] of tallies.entries())
    for (const [field, value] of [epoch, count, low, high].entries()) bytes.writeUInt32LE(value, n * TALLY_BYTES + field * 4);
  return bytes;
}
