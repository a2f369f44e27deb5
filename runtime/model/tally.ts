import type { Attempt, Epoch, ItemIndex } from './row.ts';

/**
 * What the ledger keeps of the outcomes that it accepted under one epoch (L39): how many, and 64 bits made of which they were. The order
 * does not matter, and an outcome that is taken in twice is taken out again. Whoever reads the log makes the same of the records that it
 * finds in the epoch's segment: where the two differ, a record was lost, be it the last of the segment, or was replaced by an older
 * frame of its item.
 */
export interface Tally {
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

export interface EpochTally extends Tally {
  readonly epoch: Epoch;
}

/** What tells an outcome from every other of its epoch: no two rows of an item ever have the same attempt (L9). */
export interface Tallied {
  readonly index: ItemIndex;
  readonly attempt: Attempt;
}

/** What is taken back of the recorded (L45). With nothing in it a completed run runs again, so that items can be added to it. */
export interface Reopening {
  /** Recorded items that are to be claimed again. */
  readonly pending: readonly ItemIndex[];
  /** Recorded items whose error the coordinator itself records again: lines that are no items. */
  readonly own: readonly ItemIndex[];
  /** The tallies that change, as they are without these items. */
  readonly tallies: readonly EpochTally[];
}

export const NO_TALLY: Tally = { count: 0, low: 0, high: 0 };

export function plusOutcome({ count, low, high }: Tally, { index, attempt }: Tallied): Tally {
  return { count: count + 1, low: (low ^ mixed(LOW, index, attempt)) >>> 0, high: (high ^ mixed(HIGH, index, attempt)) >>> 0 };
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
