import { readFile, rename, rm } from 'node:fs/promises';
import { createFileAtomic } from '../base/atomic-file.ts';
import { RolloutError } from '../base/errors.ts';
import { isProcessDead, ownProcess } from '../base/process-identity.ts';
import type { ProcessIdentity } from '../model/lease.ts';

/**
 * One `rollout run` at a time per state directory. The lock is a file that names its process; a dead process holds nothing. The
 * ledger is safe without it: the lock spares people two supervisors that fence each other's processes.
 */
export interface RunLock {
  release(): Promise<void>;
}

/** Several starts at once may each find, and clear away, the lock of a dead one. */
const TRIES = 5;

export async function lockRun(path: string): Promise<RunLock> {
  const own = await ownProcess();
  const text = JSON.stringify(own);
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await createFileAtomic(path, text)) return { release: async () => release(path, text) };
    const holder = await readHolder(path);
    if (holder !== null && !(await isProcessDead(holder))) throw held(path, holder);
    await clearAway(path, `${path}.${own.pid}-${tries}.stale`);
  }
  throw new RolloutError('STATE_UNREADABLE', `${path} is taken and freed again and again: try once more`);
}

function held(path: string, holder: ProcessIdentity): RolloutError {
  const what = `another \`rollout run\` (pid ${holder.pid}) is working on this state directory`;
  return new RolloutError(
    'USAGE',
    `${what}: look at it with \`rollout status --watch\`, or stop it with \`kill ${holder.pid}\` first (lock: ${path})`,
  );
}

/** Null where the lock is gone, or was cut short by a power loss: then nobody can hold it. */
async function readHolder(path: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as ProcessIdentity;
  } catch {
    return null;
  }
}

/** Moves the lock before removing it: should a living process have taken it meanwhile, it is put back. */
async function clearAway(path: string, aside: string): Promise<void> {
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const holder = await readHolder(aside);
  if (holder !== null && !(await isProcessDead(holder))) await createFileAtomic(path, JSON.stringify(holder));
  await rm(aside, { force: true });
}

async function release(path: string, text: string): Promise<void> {
  const now = await readFile(path, 'utf8').catch(() => null);
  if (now === text) await rm(path, { force: true });
}
