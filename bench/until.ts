import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_MS = 10;
/** For a machine that is much slower than those on which this was written. */
const PATIENCE_MS = 10 * 60_000;

/** The first answer that is not undefined. What it waits for ends by an error where the processes that it needs have ended. */
export async function until<T>(what: string, ask: () => T | undefined | Promise<T | undefined>, lookMs: number = LOOK_MS): Promise<T> {
  const endMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > endMs) throw new Error(`waited in vain: ${what}`);
    await sleep(lookMs);
  }
}
