import type { Attempt, Epoch, ItemIndex } from './row.ts';

/**
 * What the ledger keeps of the outcomes that it accepted under one epoch (L39): their number, and the exclusive or of a 64-bit hash of
 * each. So the order does not matter, and the same operation adds an outcome and removes it. A reader of the log computes the same tally
 * from the records in the epoch's segment. If the two differ, a record was lost (the last of the segment included), or an older frame of
 * its item has taken its place.
 */
export interface Tally {
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

export interface EpochTally extends Tally {
  readonly epoch: Epoch;
}

/** Identifies an outcome: no two rows of an item ever have the same attempt (L9). */
export interface Tallied {
  readonly index: ItemIndex;
  readonly attempt: Attempt;
}

/** Recorded items that are reopened (L45). An empty one reopens only the completed run, so that items can be added. */
export interface Reopening {
  /** Recorded items that are to be claimed again. */
  readonly pending: readonly ItemIndex[];
  /** Recorded items whose error the coordinator itself records again: lines that are no items. */
  readonly own: readonly ItemIndex[];
  /** The tallies that change, as they are without these items. */
  readonly tallies: readonly EpochTally[];
}

export const NO_TALLY: Tally = { count: 0, low: 0, high: 0 };

export function plusOutcome(tally: Tally, { index, attempt }: Tallied): Tally {
  const sum = new TallySum(tally);
  sum.add(index, attempt);
  return sum.sum();
}

/** Adds many outcomes to a tally, without an object for each. */
export class TallySum {
  #count: number;
  #low: number;
  #high: number;

  constructor({ count, low, high }: Tally) {
    this.#count = count;
    this.#low = low | 0;
    this.#high = high | 0;
  }

  add(index: ItemIndex, attempt: Attempt): void {
    this.#count += 1;
    this.#low ^= lowHash(index, attempt);
    this.#high ^= highHash(index, attempt);
  }

  sum(): Tally {
    return { count: this.#count, low: this.#low >>> 0, high: this.#high >>> 0 };
  }
}

export function minusOutcome(tally: Tally, outcome: Tallied): Tally {
  return { ...plusOutcome(tally, outcome), count: tally.count - 1 };
}

export function isSameTally(a: Tally, b: Tally): boolean {
  return a.count === b.count && a.low === b.low && a.high === b.high;
}

/** The tally of one epoch among several; an epoch that is not among them accepted nothing. */
export function tallyOf(tallies: readonly EpochTally[], epoch: Epoch): Tally {
  return tallies.find((tally) => tally.epoch === epoch) ?? NO_TALLY;
}

export function countOf(tallies: readonly EpochTally[]): number {
  return tallies.reduce((sum, { count }) => sum + count, 0);
}

/** Any two odd numbers do. */
const LOW = 0x9e3779b1;
const HIGH = 0x85ebca77;

/** The lower half of an outcome's hash. */
export function lowHash(index: ItemIndex, attempt: Attempt): number {
  return mixed(LOW, index, attempt);
}

export function highHash(index: ItemIndex, attempt: Attempt): number {
  return mixed(HIGH, index, attempt);
}

function mixed(seed: number, index: number, attempt: number): number {
  return spread(spread(Math.imul(index + 1, seed)) ^ Math.imul(attempt, seed));
}

/** The last step of MurmurHash3: each bit of the argument changes half of the result's. */
function spread(number: number): number {
  let mix = number ^ (number >>> 16);
  mix = Math.imul(mix, 0x85ebca6b);
  mix ^= mix >>> 13;
  mix = Math.imul(mix, 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
