import type { Clock } from './clock.ts';

/** Whether the work ended in time. Its failure in that time is thrown; a later one is nobody's concern any more. */
export async function inTime(clock: Pick<Clock, 'sleep'>, limitMs: number, work: Promise<unknown>): Promise<boolean> {
  const over = new AbortController();
  const late = clock.sleep(limitMs, over.signal).then(() => false);
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    // Else the rest of the time would keep the process from ending.
    over.abort();
  }
}
