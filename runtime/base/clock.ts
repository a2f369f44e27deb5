import { setImmediate as afterOthers, setTimeout as sleepFor } from 'node:timers/promises';

/** Time as an argument: durations come from the monotonic clock, the wall clock is for display only. */
export interface Clock {
  /** Milliseconds since an arbitrary moment, the same one for every thread of the process; never goes back. */
  monotonicMs(): number;
  /** Milliseconds since 1970; may step. */
  wallMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls `run` every `ms` until stopped; calls never overlap a missed one. */
  every(ms: number, run: () => void): Timer;
  after(ms: number, run: () => void): Timer;
}

export interface Timer {
  stop(): void;
}

/**
 * performance.now() counts from the start of each thread, and costs a third of process.hrtime.bigint(). Both read the same clock. A thread
 * that is stopped between the two calls finds too small a difference, so the largest of a few counts.
 */
const threadStartMs = Math.max(...Array.from({ length: 5 }, () => Number(process.hrtime.bigint()) / 1e6 - performance.now()));

export const systemClock: Clock = {
  monotonicMs: () => threadStartMs + performance.now(),
  wallMs: () => Date.now(),
  sleep: async (ms, signal) => {
    // Nothing but the signal's abort rejects it, and that only means a shorter sleep.
    await sleepFor(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
  every: (ms, run) => {
    const handle = setInterval(run, ms);
    return { stop: () => clearInterval(handle) };
  },
  after: (ms, run) => {
    const handle = setTimeout(run, ms);
    return { stop: () => clearTimeout(handle) };
  },
};

/** Lets everything else that waits have its turn: for loops over much data that would otherwise keep the process to themselves. */
export async function nextTurn(): Promise<void> {
  await afterOthers();
}
