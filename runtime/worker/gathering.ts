import type { Outcome } from '../model/session.ts';

/** Outcomes on their way to the disk, and what paces them and the messages. All times in milliseconds. Pure. */
export interface Gathering {
  /** Ended, and not on their way to the disk yet. */
  outcomes: Outcome[];
  bytes: number;
  isStoring: boolean;
  /** When the last batch went to the disk. */
  storedAtMs: number;
  /** When the last message went to the coordinator. */
  saidAtMs: number;
  /** When the loop comes back by itself; null where nothing waits for that. */
  wakeAtMs: number | null;
}

/**
 * Outcomes gather for this part of the time that the items held ready last, and at most so long: one durable write and one message for
 * all of them. So no slot runs empty for it, and where nothing is ready nothing waits. A process that is killed meanwhile executes again
 * what had gathered.
 */
const READY_PART = 1 / 10;
export const MAX_GATHER_MS = 100;
/** An acknowledgement of a batch goes with the next outcomes, or by itself if there are none in twice the time. */
const ACKNOWLEDGE_TIMES = 2;
/** More is not gathered: it would be written in several parts. */
const MOST_OUTCOMES = 1_024;
const MOST_BYTES: number = 2 ** 20;

export function newGathering(): Gathering {
  return {
    outcomes: [],
    bytes: 0,
    isStoring: false,
    storedAtMs: Number.NEGATIVE_INFINITY,
    saidAtMs: Number.NEGATIVE_INFINITY,
    wakeAtMs: null,
  };
}

export function addOutcome(gathering: Gathering, outcome: Outcome): void {
  gathering.outcomes.push(outcome);
  gathering.bytes += outcome.line.length;
}

/** All that has gathered: it goes to the disk now. */
export function takeOutcomes(gathering: Gathering, nowMs: number): readonly Outcome[] {
  const { outcomes } = gathering;
  gathering.outcomes = [];
  gathering.bytes = 0;
  gathering.isStoring = true;
  gathering.storedAtMs = nowMs;
  return outcomes;
}

/** Until when outcomes gather. */
export function storeDueMs({ storedAtMs }: Gathering, readyMs: number): number {
  return storedAtMs + gatherMs(readyMs);
}

/** Until when an acknowledgement waits for outcomes. */
export function acknowledgeDueMs({ saidAtMs }: Gathering, readyMs: number): number {
  return saidAtMs + ACKNOWLEDGE_TIMES * gatherMs(readyMs);
}

function gatherMs(readyMs: number): number {
  return Math.min(MAX_GATHER_MS, READY_PART * readyMs);
}

export function isFull({ outcomes, bytes }: Gathering): boolean {
  return outcomes.length >= MOST_OUTCOMES || bytes >= MOST_BYTES;
}
