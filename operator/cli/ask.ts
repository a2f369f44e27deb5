import { createInterface } from 'node:readline/promises';
import type { CliWorld } from './deps.ts';

/** Asks a person, who says yes in so many words; everything else, and no answer at all, is no. */
export async function isConfirmed({ stdin, err, onInterrupt }: CliWorld, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: err, terminal: false });
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  // An end of the input ends the question as well.
  lines.once('close', () => stop.abort());
  try {
    return /^y(?:es)?$/i.test((await lines.question(`${question} [y/N] `, { signal: stop.signal })).trim());
  } catch (error) {
    if (stop.signal.aborted) return false;
    throw error;
  } finally {
    release();
    lines.close();
  }
}
