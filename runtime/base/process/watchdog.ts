import { spawn } from 'node:child_process';
import { Worker } from 'node:worker_threads';
import { systemClock } from '../clock.ts';
import { siblingModule } from './module-path.ts';
import { ARMED, type Watch } from './watchdog-watch.ts';

/**
 * Ends this process in any case, some time after it was armed. The ways to hang are three, and each needs its own remedy:
 *
 * - Something is waited for that never comes. Whoever ends the process bounds his waits; where he forgot one, the thread kills.
 * - The main loop spins. `process.exit` in a thread does not end it, a signal does: the thread kills.
 * - `process.exit` itself waits, for a call to the system that does not return (a disk that hangs, a lock of a stopped process):
 *   by then every thread is gone. A small process outside kills; it ends with this one, since nobody else holds its stdin.
 */
export interface Watchdog {
  /** From now on the process has its time to end. Calling it again changes nothing. */
  arm(): void;
}

export interface WatchdogOptions {
  /** How long after it was armed the process is killed. */
  readonly limitMs: number;
  /** One line for stderr, which says why. */
  readonly lastWords: string;
}

/** The process outside is the last resort, and leaves the thread its time to say why. */
const OUTSIDE_LATER_MS = 250;
/** 124 is what `timeout` answers when the time is over; where stdin has ended, so has the process that was to be killed. */
const OUTSIDE = 'timeout "$1" cat >/dev/null; [ "$?" = 124 ] && kill -KILL "$2"';

/** The thread is started at once, since a process that hangs starts nothing any more; until it is armed it sleeps. */
export function startWatchdog({ limitMs, lastWords }: WatchdogOptions): Watchdog {
  const cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const deadlineMs = new Float64Array(new SharedArrayBuffer(Float64Array.BYTES_PER_ELEMENT));
  const workerData: Watch = { cell, deadlineMs, lastWords };
  const thread = new Worker(siblingModule(import.meta.url, 'watchdog-thread'), {
    workerData,
    resourceLimits: { maxYoungGenerationSizeMb: 1 },
  });
  thread.unref();
  return {
    arm: () => {
      if (Atomics.load(cell, 0) === ARMED) return;
      deadlineMs[0] = systemClock.monotonicMs() + limitMs;
      Atomics.store(cell, 0, ARMED);
      Atomics.notify(cell, 0);
      watchFromOutside(limitMs + OUTSIDE_LATER_MS);
    },
  };
}

function watchFromOutside(limitMs: number): void {
  const args = ['-c', OUTSIDE, 'watchdog', String(limitMs / 1_000), String(process.pid)];
  const child = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  // Where there is no shell, the thread has to do.
  child.on('error', () => undefined);
  child.unref();
}
