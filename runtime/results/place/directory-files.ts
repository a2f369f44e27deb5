import { join } from 'node:path';
import { RolloutError } from '../../base/errors.ts';
import { type Disk, systemDisk } from '../../base/fs/disk.ts';
import type { Epoch } from '../../model/row.ts';

const SEGMENT_NAME = /^(\d{10})\.seg$/;

export interface SegmentFile {
  readonly epoch: Epoch;
  readonly path: string;
}

/** Every segment in the directory, ascending by epoch; empty where the directory does not exist. */
export async function listSegments(dir: string, disk: Disk = systemDisk): Promise<readonly SegmentFile[]> {
  const names = await disk.readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new RolloutError('STATE_UNREADABLE', `cannot list ${dir}: ${error.message}`, { cause: error });
  });
  return names
    .filter((name) => SEGMENT_NAME.test(name))
    .map((name) => ({ epoch: Number.parseInt(name, 10), path: join(dir, name) }))
    .sort((a, b) => a.epoch - b.epoch);
}
