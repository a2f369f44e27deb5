import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/fs/atomic-file.ts';
import type { Disk } from '../../base/fs/disk.ts';
import { readTextIfThere } from '../../base/fs/text-file.ts';
import { isU32 } from '../../base/u32.ts';
import type { Epoch, WorkerId } from '../../model/row.ts';

/** What the store knows beside outcomes (L33): in a file of its own, which is replaced as a whole. */
export interface Facts {
  readonly workerId: WorkerId;
  readonly runId: string;
  /** The highest epoch seen of this run. */
  readonly epoch: Epoch;
}

export const FACTS_FILE = 'store.json';
const VERSION = 1;

/** Null where no process has got as far as writing them. */
export async function readFacts(dir: string, disk: Disk): Promise<Facts | null> {
  const path = join(dir, FACTS_FILE);
  const text = await readTextIfThere(path, disk);
  return text === null ? null : parseFacts(path, text);
}

/** They and the name of their file are on disk when it resolves, and so is what was removed from the folder before. */
export async function writeFacts(dir: string, facts: Facts, disk: Disk): Promise<void> {
  await writeFileAtomic(join(dir, FACTS_FILE), `${JSON.stringify({ version: VERSION, ...facts })}\n`, undefined, disk);
}

function parseFacts(path: string, text: string): Facts {
  try {
    const { version, workerId, runId, epoch } = JSON.parse(text) as Record<'version' | keyof Facts, unknown>;
    const isRight = version === VERSION && typeof workerId === 'string' && typeof runId === 'string';
    if (isRight && typeof epoch === 'number' && isU32(epoch)) return { workerId, runId, epoch };
  } catch (error) {
    throw new RolloutError('STATE_UNREADABLE', `${path} is damaged: not JSON`, { cause: error });
  }
  throw new RolloutError('STATE_UNREADABLE', `${path} is damaged, or was written by a newer version of Rollout`);
}
