import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { removeLeftTemporaries, temporaryName } from '../../base/fs/temporary-file.ts';
import type { StatePaths } from '../../run-dir/paths.ts';

const SCRATCH = 'scratch-';

/** A directory of this process's own, on the disk of the run: it may become large. */
export async function inScratch<T>(paths: StatePaths, use: (dir: string) => Promise<T>): Promise<T> {
  await removeLeftTemporaries(paths.stateDir, SCRATCH);
  const dir = join(paths.stateDir, await temporaryName(SCRATCH));
  try {
    return await use(dir);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
