import { readdir } from 'node:fs/promises';
import { ifThere } from '../../base/fs/if-there.ts';
import { type StatePaths, workerDir, workerPaths } from '../../run-dir/paths.ts';
import { countWaiting } from '../../worker/outbox/found.ts';

/** Outcomes that wait in the stores of the worker slots on disk, whoever started those; only slots that hold some. */
export async function waitingOutcomes(paths: StatePaths): Promise<ReadonlyMap<string, number>> {
  const waiting = new Map<string, number>();
  for (const slot of await slotsOnDisk(paths)) {
    const count = await countWaiting(workerPaths(workerDir(paths, slot)).storeDir);
    if (count > 0) waiting.set(slot, count);
  }
  return waiting;
}

async function slotsOnDisk(paths: StatePaths): Promise<readonly string[]> {
  const entries = (await ifThere(paths.workersDir, readdir(paths.workersDir, { withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
