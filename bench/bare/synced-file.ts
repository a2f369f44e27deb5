import { constants, type FileHandle, open } from 'node:fs/promises';

const { O_RDWR, O_CREAT, O_TRUNC, O_DSYNC } = constants;

/** An empty file of which each write is on disk when it resolves: one call of the system, as in the product on Linux. */
export function openSynced(path: string): Promise<FileHandle> {
  return open(path, O_RDWR | O_CREAT | O_TRUNC | O_DSYNC);
}
