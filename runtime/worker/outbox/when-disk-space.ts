import type { Clock } from '../../base/clock.ts';
import { isNoSpace } from '../../base/fs/disk-space.ts';
import type { WaitForDiskSpace } from './contract.ts';

export interface DiskSpace {
  /** Whether the disk may lack the room for what is about to be written. */
  readonly isShort: () => boolean;
  readonly waitForDiskSpace: WaitForDiskSpace;
  readonly clock: Clock;
}

/** A disk that shows room and has none is one with a quota, or one that others fill as well. */
const RETRY_MS = 1_000;
const MOST_RETRIES = 30;

/** Writes once there is room, and again where there was none after all. What waits is kept in memory. */
export async function whenDiskSpace<T>(diskSpace: DiskSpace, signal: AbortSignal, write: () => Promise<T>, retries = 0): Promise<T> {
  if (!signal.aborted && diskSpace.isShort()) await diskSpace.waitForDiskSpace(signal);
  if (signal.aborted) throw new Error('it is closed');
  try {
    return await write();
  } catch (error) {
    if (!isNoSpace(error) || retries >= MOST_RETRIES) throw error;
  }
  if (await diskSpace.waitForDiskSpace(signal)) return whenDiskSpace(diskSpace, signal, write);
  await diskSpace.clock.sleep(RETRY_MS, signal);
  return whenDiskSpace(diskSpace, signal, write, retries + 1);
}
