import { setTimeout as sleep } from 'node:timers/promises';

/** Some ask /proc for all processes of the machine. */
const PAUSE_MS = 40;

/**
 * For what a process does some time: long enough for a machine with much else to do. Where the time is a promise of the product, the
 * test names it and says why.
 */
export const PATIENCE_MS: number = 120_000;

/** Asks until the answer is neither undefined nor false, and returns it; throws with `what` after `withinMs`. */
export async function until<T>(
  what: string,
  withinMs: number,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
    await sleep(PAUSE_MS);
  }
}
