import { statfsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import { NEW_LOG_THROTTLE, onReason } from '../log-throttle.ts';
import { type DiskNumbers, shortageOf } from './disk-space.ts';
import { isAbsent } from './if-there.ts';

/** A person who has freed some space sees it go on at once, and a look at the disk costs nothing. */
const LOOK_EVERY_MS = 1_000;

export interface SpaceWanted {
  /** Need not be there yet: then the directory counts in which it will be made. */
  readonly dir: string;
  readonly bytes: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What is missing: told at once, and again with growing gaps while it lasts. */
  readonly onShort: (shortage: string) => void;
  /** Only after a shortage. */
  readonly onEnough: () => void;
}

/** Resolves once there is room, or when the signal aborts; says whether room was short. */
export async function waitForSpace({ dir, bytes, clock, signal, onShort, onEnough }: SpaceWanted): Promise<boolean> {
  let throttle = NEW_LOG_THROTTLE;
  while (!signal.aborted) {
    const shortage = shortageOf(dir, await diskOf(dir), bytes);
    if (shortage === null) {
      if (throttle.size > 0) onEnough();
      return throttle.size > 0;
    }
    // By the directory: how much is free changes all the time.
    const told = onReason(throttle, clock.monotonicMs(), dir);
    throttle = told.throttle;
    if (told.isDue) onShort(shortage);
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
  return throttle.size > 0;
}

/** What is missing at this moment in a directory that is there; null where there is enough. A few microseconds. */
export function shortageNow(dir: string, bytes: number): string | null {
  return shortageOf(dir, statfsSync(dir), bytes);
}

async function diskOf(dir: string): Promise<DiskNumbers> {
  try {
    return await statfs(dir);
  } catch (error) {
    if (!isAbsent(error) || dirname(dir) === dir) throw error;
    return diskOf(dirname(dir));
  }
}
