import { NO_ROUND, type RoundTime, roundMs } from './round-time.ts';

/**
 * How many items a worker holds ready beyond those that run, by Little's law (L = lambda x W): the items that end in the time until what is
 * asked for arrives. `slots` items run at a time, each for `slotMs / ended`, so that slots x ended / slotMs items end per millisecond.
 * All times in milliseconds. Pure.
 */
export interface Pace {
  /** Time that items have occupied slots, summed over the slots. Items that still run count as well: else the short ones, which end first, would set the pace. */
  slotMs: number;
  /** Items that ended in it and were not turned away. */
  ended: number;
  atMs: number;
}

/** Beyond the time of a round: a pause of the coordinator or of this process for so long empties no slot. */
export const MARGIN_MS = 1_000;
/** What the worker could not start within this time stays with the coordinator, for others. */
export const MAX_WAIT_MS = 4_000;
/** However quick the items are: more does not make the batches any better. */
export const MAX_WINDOW = 1_024;
/** Lines of items that wait; what comes beyond goes back. */
export const MAX_WAITING_BYTES: number = 16 * 1024 * 1024;
/** A slot that is empty for this part of an item's time is worth an item held ready for it, whatever the wait. */
const IDLE_PART = 0.01;
/** Of an endpoint that has answered nothing yet: a quarter of what may run. */
const FIRST_PART = 0.25;
/** Generations of items that the pace is made of: it follows a change of the work, and one that ends all at once does not fill it. */
const GENERATIONS = 2;
const LEAST_ENDED = 32;
const LINE_SMOOTHING = 1 / 16;
/** Less is not measured. */
const LEAST_ITEM_MS = 0.01;

export function newPace(nowMs: number): Pace {
  return { slotMs: 0, ended: 0, atMs: nowMs };
}

/** Called before each change of what runs. */
export function passSlotTime(pace: Pace, nowMs: number, running: number): void {
  pace.slotMs += running * (nowMs - pace.atMs);
  pace.atMs = nowMs;
}

export function addEnded(pace: Pace, slots: number): void {
  pace.ended += 1;
  const most = GENERATIONS * slots + LEAST_ENDED;
  if (pace.ended <= most) return;
  pace.slotMs *= most / pace.ended;
  pace.ended = most;
}

/** What the worker knows in order to say how many items it takes. */
export interface Credit {
  readonly pace: Pace;
  round: RoundTime;
  /** The average size of a line. */
  lineBytes: number;
}

export function newCredit(nowMs: number): Credit {
  return { pace: newPace(nowMs), round: NO_ROUND, lineBytes: 0 };
}

/** `slots`: items that may run at a time; `prefetch`: the configured bound, with which the worker also begins, null where there is none. */
export function windowSize({ pace, round, lineBytes }: Credit, slots: number, prefetch: number | null): number {
  const most = Math.min(prefetch ?? Math.max(MAX_WINDOW, slots), Math.floor(MAX_WAITING_BYTES / Math.max(1, lineBytes)));
  if (pace.ended === 0) return Math.min(most, prefetch ?? Math.max(1, Math.floor(slots * FIRST_PART)));
  const itemMs = Math.max(LEAST_ITEM_MS, pace.slotMs / pace.ended);
  const endIn = (ms: number): number => (slots * ms) / itemMs;
  const waitMs = roundMs(round);
  const startable = Math.max(Math.floor(endIn(MAX_WAIT_MS)), waitMs > itemMs * IDLE_PART ? 1 : 0);
  return Math.min(most, startable, Math.ceil(endIn(waitMs + MARGIN_MS)));
}

/** How long `ready` items keep all slots busy; 0 while nothing is known. */
export function readyMs({ pace }: Credit, slots: number, ready: number): number {
  return pace.ended === 0 ? 0 : (ready * pace.slotMs) / pace.ended / slots;
}

export function addLine(credit: Credit, bytes: number): void {
  credit.lineBytes = credit.lineBytes === 0 ? bytes : credit.lineBytes + LINE_SMOOTHING * (bytes - credit.lineBytes);
}
