import { writeFileAtomic } from '../base/fs/atomic-file.ts';
import { readTextIfThere } from '../base/fs/text-file.ts';
import { isJsonObject } from '../base/json/json-object.ts';
import type { Epoch } from '../model/row.ts';

/** How a run ended, kept in the state directory: on a server the keys of a finished run expire. */
export interface FinishedRun {
  /** The run may have been reopened under a later one: then this is not its end. */
  readonly epoch: Epoch;
  readonly done: number;
  readonly failed: number;
}

export async function writeFinishedRun(path: string, { epoch, done, failed }: FinishedRun): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify({ epoch, done, failed })}\n`);
}

/** Null where no run is known to have ended. A damaged file counts as a missing one: while the ledger is there, nobody needs it. */
export async function readFinishedRun(path: string): Promise<FinishedRun | null> {
  try {
    const value = JSON.parse((await readTextIfThere(path)) ?? 'null') as unknown;
    return isJsonObject(value) ? finishedIn(value) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function finishedIn({ epoch, done, failed }: Readonly<Record<string, unknown>>): FinishedRun | null {
  return isCount(epoch) && isCount(done) && isCount(failed) ? { epoch, done, failed } : null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
