import { readFile } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { writeFileAtomic } from '../../base/fs/atomic-file.ts';
import { isNoSpace } from '../../base/fs/disk-space.ts';
import { ifThere } from '../../base/fs/if-there.ts';
import type { ProcessIdentity } from '../../base/process/process-identity.ts';
import { identifyProcess, isProcessAlive } from '../../base/process/process-identity.ts';

/**
 * The processes that a run has started, by identity. After kill -9 of `rollout run` its children end by themselves; the next start
 * waits for that, and kills what cannot end, such as a stopped process: it would keep its worker's store in use.
 */
export interface ChildRegister {
  add(pid: number): Promise<void>;
}

export function createChildRegister(path: string): ChildRegister {
  let known: readonly ProcessIdentity[] = [];
  let last: Promise<void> = Promise.resolve();
  const add = async (pid: number): Promise<void> => {
    const identity = await identifyProcess(pid);
    if (identity === null) return;
    known = [...(await living(known)), identity];
    // Without space the last word stands: this process is not in it, and still ends when its parent does.
    await writeFileAtomic(path, JSON.stringify(known), 0o600).catch(unlessNoSpace);
  };
  return {
    // One after the other: each writes the whole file.
    add: (pid) => {
      last = last.then(async () => add(pid));
      return last;
    },
  };
}

function unlessNoSpace(error: unknown): void {
  if (!isNoSpace(error)) throw error;
}

/** What children get to notice that their parent is gone and to end. */
const PATIENCE_MS = 10_000;
/** A person who starts again does not notice so short a wait, and a look at a few processes costs nothing. */
const ASK_MS = 50;

export async function hasLeftovers(path: string): Promise<boolean> {
  return (await living(await readRegister(path))).length > 0;
}

export async function endLeftovers(path: string, clock: Clock, notice: (line: string) => void): Promise<void> {
  const untilMs = clock.monotonicMs() + PATIENCE_MS;
  let left = await living(await readRegister(path));
  if (left.length > 0) notice(`waiting for ${left.length} process${left.length === 1 ? '' : 'es'} of the interrupted run to end`);
  while (left.length > 0 && clock.monotonicMs() < untilMs) {
    await clock.sleep(ASK_MS);
    left = await living(left);
  }
  for (const one of left) {
    notice(`killing process ${one.pid} of the interrupted run: it did not end by itself`);
    process.kill(one.pid, 'SIGKILL');
  }
  while ((await living(left)).length > 0) await clock.sleep(ASK_MS);
}

async function living(all: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> {
  const isAlive = await Promise.all(all.map((one) => isProcessAlive(one)));
  return all.filter((_, n) => isAlive[n] === true);
}

/** A register that was cut by a power loss names nobody: no process outlives that. */
async function readRegister(path: string): Promise<readonly ProcessIdentity[]> {
  const text = await ifThere(path, readFile(path, 'utf8'));
  if (text === null) return [];
  try {
    return JSON.parse(text) as readonly ProcessIdentity[];
  } catch {
    return [];
  }
}
