import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RolloutError } from '../errors.ts';
import { isListening, type LifeSocket, listenIn } from '../process/life-socket.ts';
import type { ProcessIdentity } from '../process/process-identity.ts';
import { ownProcess } from '../process/process-identity.ts';
import { createFileAtomic } from './atomic-file.ts';
import { ifThere } from './if-there.ts';
import { requireLocalDisk } from './local-disk.ts';

/**
 * A lock on a directory that its holder keeps until its process ends. A socket tells whether the holder is alive, in any container
 * (life-socket.ts); the pid is only for messages.
 *
 * The directory has numbered files, each naming a process and its socket; the highest number counts. A dead holder's file is never
 * removed by its successor, but outnumbered: making the next number is exclusive, so of several starts at once one wins. (Removing
 * a stale lock and making a new one under the same name would let a slow start remove the new one.)
 */
export interface ProcessLock {
  release(): Promise<void>;
}

export type LockAttempt =
  | { readonly kind: 'locked'; readonly lock: ProcessLock }
  /** Another living process has it. */
  | { readonly kind: 'held'; readonly by: ProcessIdentity };

interface Holder extends ProcessIdentity {
  /** Name of its socket in the directory. */
  readonly socket: string;
}

/** Each further try means that another start was faster just then. */
const TRIES = 20;

export async function takeLock(dir: string): Promise<LockAttempt> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await requireLocalDisk(dir);
  const own = await ownProcess();
  let socket: LifeSocket | null = null;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const highest = await highestNumber(dir);
    const by = await livingHolder(dir, highest);
    if (by !== null) {
      await socket?.close();
      return { kind: 'held', by };
    }
    socket ??= await listenIn(dir);
    const lock = await tryNumber(dir, highest, { ...own, socket: socket.name }, socket);
    if (lock !== null) return { kind: 'locked', lock };
  }
  await socket?.close();
  throw new RolloutError('STATE_UNREADABLE', `${dir} is taken again and again by others: try once more`);
}

/** Who holds the lock; null where nobody does. */
export async function lockHolder(dir: string): Promise<ProcessIdentity | null> {
  const names = (await ifThere(dir, readdir(dir))) ?? [];
  return livingHolder(dir, Math.max(0, ...numbers(names)));
}

/** Null where another start was faster. */
async function tryNumber(dir: string, highest: number, holder: Holder, socket: LifeSocket): Promise<ProcessLock | null> {
  const path = join(dir, String(highest + 1));
  if (!(await createFileAtomic(path, JSON.stringify(holder)))) return null;
  // The holder that was found dead may have released its number, and another start may have taken that one meanwhile.
  if ((await highestNumber(dir)) !== highest + 1 || (await livingHolder(dir, highest)) !== null) {
    await rm(path, { force: true });
    return null;
  }
  await clearBelow(dir, highest);
  return {
    release: async () => {
      await rm(path, { force: true });
      await socket.close();
    },
  };
}

async function livingHolder(dir: string, number: number): Promise<Holder | null> {
  const holder = await readHolder(join(dir, String(number)));
  return holder !== null && (await isListening(dir, holder.socket)) ? holder : null;
}

/** 0 if it was never held. */
async function highestNumber(dir: string): Promise<number> {
  return Math.max(0, ...numbers(await readdir(dir)));
}

/** The one just below stays: a start that has listed it would else not know that there are higher ones. */
async function clearBelow(dir: string, number: number): Promise<void> {
  for (const old of numbers(await readdir(dir)).filter((one) => one < number)) {
    const path = join(dir, String(old));
    const holder = await readHolder(path);
    if (holder !== null) await rm(join(dir, holder.socket), { force: true });
    await rm(path, { force: true });
  }
}

function numbers(names: readonly string[]): readonly number[] {
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Null where the lock is gone, or was damaged by a power loss: then nobody can hold it. One that cannot be read may be held. */
async function readHolder(path: string): Promise<Holder | null> {
  const text = await ifThere(path, readFile(path, 'utf8'));
  if (text === null) return null;
  try {
    const holder = JSON.parse(text) as Partial<Holder>;
    return /^[0-9a-f]+\.sock$/.test(holder.socket ?? '') ? (holder as Holder) : null;
  } catch {
    return null;
  }
}
