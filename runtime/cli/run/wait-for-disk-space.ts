import { mustGet } from '../../base/assert.ts';
import { parseSizeBytes } from '../../base/config/quantity.ts';
import { isNoSpace, SPACE_ADVICE } from '../../base/fs/disk-space.ts';
import { waitForSpace } from '../../base/fs/free-space.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import { type CliDeps, say } from '../deps.ts';

/** Waits until the disk has room for a run, as its coordinator would, and says so. Ctrl-C ends the process as it does before a run. */
export async function waitForDiskSpace({ clock, err }: CliDeps, stateDir: string, minFreeSpace: string): Promise<void> {
  await waitForSpace({
    dir: stateDir,
    bytes: mustGet(parseSizeBytes(minFreeSpace), 'a checked size'),
    clock,
    signal: new AbortController().signal,
    onShort: (shortage) => say(err, [`${shortage} (--min-free-space ${minFreeSpace}); ${SPACE_ADVICE}`]),
    onEnough: () => say(err, ['there is space again']),
  });
}

/** What writes little may find room where a run would not; where it finds none, it is done again once there is. */
export async function withDiskSpace<T>(deps: CliDeps, { stateDir }: StatePaths, minFreeSpace: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isNoSpace(error)) throw error;
  }
  await waitForDiskSpace(deps, stateDir, minFreeSpace);
  return work();
}
