import { setTimeout as sleep } from 'node:timers/promises';

/** Each look is a call of the API, whose server has other work on a small machine. */
const PAUSE_MS = 200;
const SHOWN_LETTERS = 3_000;

/**
 * Looks until what is seen is what is waited for, and returns it. A look that throws is one that has seen nothing: an API server may be
 * away for a while. After `withinMs` throws with `what`, and with what was seen last.
 */
export async function untilSeen<T>(what: string, withinMs: number, look: () => Promise<T>, isIt: (seen: T) => boolean): Promise<T> {
  const end = performance.now() + withinMs;
  for (;;) {
    let last: string;
    try {
      const seen = await look();
      if (isIt(seen)) return seen;
      last = JSON.stringify(seen, null, 1) ?? 'nothing';
    } catch (error) {
      last = String(error);
    }
    if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}; last seen: ${last.slice(0, SHOWN_LETTERS)}`);
    await sleep(PAUSE_MS);
  }
}
