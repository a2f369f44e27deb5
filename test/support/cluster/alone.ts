import { setTimeout as sleep } from 'node:timers/promises';
import { takeLock } from '../../../runtime/base/fs/process-lock.ts';
import { CLUSTER_RUN } from './scripts.ts';

const PAUSE_MS = 200;

/** While no other process of this machine, nor another test of this one, does something of this name. Who ends in the middle of it holds up nobody. */
export async function alone(name: string, act: () => Promise<void>): Promise<void> {
  for (;;) {
    const attempt = await takeLock(`${CLUSTER_RUN}.${name}`);
    if (attempt.kind === 'locked') {
      try {
        await act();
      } finally {
        await attempt.lock.release();
      }
      return;
    }
    await sleep(PAUSE_MS);
  }
}
