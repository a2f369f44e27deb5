import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import { systemDisk } from '../../base/fs/disk.ts';
import { shortageNow } from '../../base/fs/free-space.ts';
import { type ProcessLock, takeLock } from '../../base/fs/process-lock.ts';
import type { ProcessIdentity } from '../../base/process/process-identity.ts';
import { describeProcess } from '../../base/process/process-identity.ts';
import { OUTBOX_FREE_BYTES, type Outbox, type OutboxOwner } from './contract.ts';
import { storeFailed } from './failure.ts';
import { openStore } from './open-store.ts';
import { type OutboxStore, STORE_LIMITS } from './store.ts';

const LOCK = 'lock';

/** The lock comes first: only one process at a time uses the store. */
export async function openOutbox(owner: OutboxOwner): Promise<Outbox> {
  const { dir, waitForDiskSpace } = owner;
  let lock: ProcessLock | null = null;
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const attempt = await takeLock(join(dir, LOCK));
    if (attempt.kind === 'held') throw await inUse(owner, attempt.by);
    lock = attempt.lock;
    const isShort = (): boolean => shortageNow(dir, OUTBOX_FREE_BYTES) !== null;
    return lockedBy(
      lock,
      await openStore(owner, { dir, waitForDiskSpace, isShort, disk: systemDisk, clock: systemClock, limits: STORE_LIMITS }),
    );
  } catch (error) {
    await lock?.release();
    throw storeFailed(dir, error);
  }
}

function lockedBy(lock: ProcessLock, store: OutboxStore): Outbox {
  return {
    found: store.found,
    highestEpoch: store.highestEpoch,
    put: (outcomes) => store.put(outcomes),
    forget: (refs) => store.forget(refs),
    keepEpoch: (epoch) => store.keepEpoch(epoch),
    close: async () => {
      try {
        await store.close();
      } finally {
        await lock.release();
      }
    },
  };
}

async function inUse({ dir, workerId }: OutboxOwner, by: ProcessIdentity): Promise<RolloutError> {
  return new RolloutError(
    'WORKER_ID_IN_USE',
    `${await describeProcess(by)} runs a worker on the store ${dir} already: stop it, or give worker ${workerId} its own workerId and stateDir`,
  );
}
