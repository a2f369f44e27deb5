import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { type Disk, systemDisk } from '../../base/fs/disk.ts';
import { isAbsent } from '../../base/fs/if-there.ts';
import { refKey } from '../../model/row.ts';
import type { Outcome } from '../../model/session.ts';
import { listSegments, type SegmentFile } from '../../results/place/directory-files.ts';
import { type Facts, readFacts } from './facts.ts';
import { storeFailed } from './failure.ts';
import { cutShort, NOT_WHOLE, scanFile, type WholeFile } from './scan.ts';

/** What an earlier process of this worker left in the folder. */
export interface Found {
  readonly facts: Facts | null;
  readonly files: readonly SegmentFile[];
  /** One for each pair of item and attempt, the last that was written. */
  readonly outcomes: readonly Outcome[];
}

/** The store of versions that kept it in LMDB. */
const OLD_FILE = 'outbox.mdb';
/** A living owner removes files while they are counted: so often at most is it looked again. */
const MOST_LOOKS = 10;

export async function readStore(dir: string, disk: Disk): Promise<Found> {
  await refuseOldStore(dir, disk);
  const files = await listSegments(dir, disk);
  const outcomes = new Map<string, Outcome>();
  const scanned: { readonly number: number; readonly path: string; readonly scan: WholeFile }[] = [];
  for (const { path, epoch: number } of files) {
    const scan = await scanAt(path, number, disk);
    for (const outcome of scan.outcomes) outcomes.set(refKey(outcome), outcome);
    scanned.push({ number, path, scan: { ...scan, outcomes: [] } });
  }
  const short = cutShort(scanned);
  if (short !== null) throw damaged(short.path, short.scan.wholeBytes, NOT_WHOLE);
  return { facts: await readFacts(dir, disk), files, outcomes: [...outcomes.values()] };
}

/**
 * How many outcomes wait in the store in `dir` to be acknowledged; 0 where there is none. Those that were acknowledged shortly before
 * their owner was killed may be among them. Only reads, so the owner may be alive.
 */
export async function countWaiting(dir: string): Promise<number> {
  try {
    return (await readWhileUsed(dir)).outcomes.length;
  } catch (error) {
    throw storeFailed(dir, error);
  }
}

async function readWhileUsed(dir: string, looks = 1): Promise<Found> {
  try {
    return await readStore(dir, systemDisk);
  } catch (error) {
    if (!isAbsent(error) || looks >= MOST_LOOKS) throw error;
    return readWhileUsed(dir, looks + 1);
  }
}

/** Its lines are copies: the bytes of the file are let go of. */
async function scanAt(path: string, number: number, disk: Disk): Promise<WholeFile> {
  const scan = scanFile(await disk.readBytes(path), number);
  if (scan.kind === 'damaged') throw damaged(path, scan.at, scan.problem);
  return { ...scan, outcomes: scan.outcomes.map((outcome) => ({ ...outcome, line: Uint8Array.from(outcome.line) })) };
}

function damaged(path: string, at: number, problem: string): RolloutError {
  return new RolloutError(
    'STATE_UNREADABLE',
    `the worker's store ${path} is damaged at byte ${at} (${problem}): put back a copy of the folder, or move the folder away; what was not handed over out of it runs again then`,
  );
}

async function refuseOldStore(dir: string, disk: Disk): Promise<void> {
  const names = await disk.readdir(dir).catch((error: unknown): readonly string[] => {
    if (isAbsent(error)) return [];
    throw error;
  });
  const path = join(dir, OLD_FILE);
  if (!names.includes(OLD_FILE) || (await disk.readBytes(path)).length === 0) return;
  throw new RolloutError(
    'STATE_UNREADABLE',
    `${path} is the store of an earlier version of rollout, which this version cannot read, and may hold results that were not handed over. Finish the run with the version that began it, or remove that file; what it held runs again then`,
  );
}
