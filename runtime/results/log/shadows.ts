import type { Tallied, Tally } from '../../model/tally.ts';
import { isSameTally, minusOutcome } from '../../model/tally.ts';

/** More cannot be tried out in every combination. */
const TRIED = 20;

/**
 * Records that were never accepted: an older frame takes the place of one that was lost (L39). `records` are those found in a whole
 * segment, in the order of the log, and there are more of them than the ledger accepted under its epoch. What was appended and never
 * settled is mostly at the end, where a coordinator died. The tally proves the answer; null where none is found.
 */
export function findShadows(records: readonly Tallied[], found: Tally, accepted: Tally): readonly Tallied[] | null {
  const count = found.count - accepted.count;
  if (count <= 0) return null;
  const isAnswer = (shadows: readonly Tallied[]): boolean => isSameTally(shadows.reduce<Tally>(minusOutcome, found), accepted);
  const last = records.slice(-count);
  if (isAnswer(last)) return last;
  if (count === 1) {
    const one = records.find((record) => isAnswer([record]));
    return one === undefined ? null : [one];
  }
  return combinations(records.slice(-TRIED), count, isAnswer);
}

function combinations(from: readonly Tallied[], count: number, isAnswer: (some: readonly Tallied[]) => boolean): readonly Tallied[] | null {
  for (let mask = 1; mask < 2 ** from.length; mask += 1) {
    if (onesOf(mask) !== count) continue;
    const some = from.filter((_, at) => (mask & (1 << at)) !== 0);
    if (isAnswer(some)) return some;
  }
  return null;
}

function onesOf(mask: number): number {
  let ones = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) ones += 1;
  return ones;
}
