import type { Clock } from './clock.ts';

/**
 * Whether the work ended in time. Its failure in that time is thrown; a later one is nobody's concern any more. Every call of a store is
 * limited like this, so it uses a timer that is stopped: a sleep that is aborted makes an error with its stack, and took 20 microseconds.
 */
export function inTime(clock: Pick<Clock, 'after'>, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => resolve(false));
    // Else the rest of the time would keep the process from ending.
    work.finally(() => timer.stop()).then(() => resolve(true), reject);
  });
}
