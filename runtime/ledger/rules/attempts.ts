import { assert } from '../../base/assert.ts';
import { isU32 } from '../../base/u32.ts';
import type { Attempt, Row, WorkerId } from '../../model/row.ts';
import { isSameRow } from '../../model/row.ts';
import type { Running } from '../rows.ts';

/** Claim, reassign and second attempt take it alike, so no two rows of an item ever had the same attempt (L9). */
export function nextAttempt(last: Attempt): Attempt {
  const next = last + 1;
  assert(isU32(next), 'an attempt number fits in 32 bits (L9)');
  return next;
}

/** The rows that run: one, or two of different workers (L13). */
export function rowsOf({ row, second }: Running): readonly Row[] {
  return second === null ? [row] : [row, second];
}

export function hasRow(item: Running, named: Row): boolean {
  return isSameRow(item.row, named) || (item.second !== null && isSameRow(item.second, named));
}

export function isOwner(item: Running, worker: WorkerId): boolean {
  return rowsOf(item).some((row) => row.worker === worker);
}

/** The row that runs on when the named one is taken; null where it is the only one. */
export function otherRow(item: Running, named: Row): Row | null {
  return rowsOf(item).find((row) => !isSameRow(row, named)) ?? null;
}

/** The item with another row in the place of the named one. */
export function replaceRow(item: Running, named: Row, by: Row): Running {
  const isFirst = isSameRow(item.row, named);
  return { ...item, row: isFirst ? by : item.row, second: isFirst ? item.second : by, lastAttempt: by.attempt };
}
