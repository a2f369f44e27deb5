import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFileAtomic } from '../base/atomic-file.ts';
import { RolloutError } from '../base/errors.ts';
import { ifThere } from '../base/if-there.ts';
import { isProcessAlive, isProcessDead, ownProcess } from '../base/process-identity.ts';
import type { ProcessIdentity } from '../model/lease.ts';

/**
 * One `rollout run` at a time per state directory. The ledger is safe without it: the lock spares people two supervisors whose
 * processes fence one another.
 *
 * A directory of numbered files, each naming a process; the highest number counts. A dead process's lock is never removed by who
 * takes over, but outnumbered: making the next number is exclusive, so of several starts at once one wins. (Removing a stale lock
 * and making a new one under the same name would let a slow start remove the new one.)
 */
export interface RunLock {
  release(): Promise<void>;
}

/** Each further try means that another start was faster just then. */
const TRIES = 20;

export async function lockRun(dir: string): Promise<RunLock> {
  await mkdir(dir, { recursive: true });
  const own = JSON.stringify(await ownProcess());
  for (let tries = 0; tries < TRIES; tries += 1) {
    const highest = await highestNumber(dir);
    const holder = await readHolder(join(dir, String(highest)));
    if (holder !== null && !(await isProcessDead(holder))) throw held(dir, holder);
    const path = join(dir, String(highest + 1));
    if (!(await createFileAtomic(path, own))) continue;
    if ((await highestNumber(dir)) === highest + 1) {
      await clearBelow(dir, highest);
      return { release: async () => rm(path, { force: true }) };
    }
    await rm(path, { force: true });
  }
  throw new RolloutError('STATE_UNREADABLE', `${dir} is taken again and again by others: try once more`);
}

/** The pid of the `rollout run` that works on this state directory; null where none is seen. */
export async function lockHolder(dir: string): Promise<number | null> {
  const names = (await ifThere(dir, readdir(dir))) ?? [];
  const holder = await readHolder(join(dir, String(Math.max(0, ...numbers(names)))));
  return holder !== null && (await isProcessAlive(holder)) ? holder.pid : null;
}

function held(dir: string, holder: ProcessIdentity): RolloutError {
  const what = `another \`rollout run\` (pid ${holder.pid}) is working on this state directory`;
  return new RolloutError(
    'USAGE',
    `${what}: look at it with \`rollout status --watch --state ${dirname(dir)}\`, or stop it with \`kill ${holder.pid}\` first (lock: ${dir})`,
  );
}

/** 0 where nobody ever held it. */
async function highestNumber(dir: string): Promise<number> {
  return Math.max(0, ...numbers(await readdir(dir)));
}

/** The one just below stays: a start that has listed it would else not know that there are higher ones. */
async function clearBelow(dir: string, number: number): Promise<void> {
  for (const old of numbers(await readdir(dir)).filter((one) => one < number)) await rm(join(dir, String(old)), { force: true });
}

function numbers(names: readonly string[]): readonly number[] {
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Null where the lock is gone, or was damaged by a power loss: then nobody can hold it. One that cannot be read may be held. */
async function readHolder(path: string): Promise<ProcessIdentity | null> {
  const text = await ifThere(path, readFile(path, 'utf8'));
  if (text === null) return null;
  try {
    return JSON.parse(text) as ProcessIdentity;
  } catch {
    return null;
  }
}
