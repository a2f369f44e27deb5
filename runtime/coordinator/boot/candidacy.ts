import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { ProcessIdentity } from '../../base/process/process-identity.ts';
import type { Random } from '../../base/random.ts';
import type { Keeper } from '../../lease/contract.ts';
import { winLease } from '../../lease/keeper.ts';
import type { Ledger } from '../../ledger/contract.ts';
import type { Post } from '../server/listening.ts';
import type { CoordinatorSettings } from '../settings.ts';

/** 128 bits: no two process starts ever draw the same nonce (L2). */
const HOLDER_BYTES = 16;

export interface Candidacy {
  readonly settings: Pick<CoordinatorSettings, 'timing'>;
  readonly ledger: Ledger;
  readonly floor: number;
  readonly address: string;
  readonly post: Post;
  readonly process: ProcessIdentity;
  /** True only when certain. */
  readonly isDead: (process: ProcessIdentity) => Promise<boolean>;
  readonly signal: AbortSignal;
  /** Resolves once the disk has room for a coordinator. */
  readonly awaitRoom: () => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Stands for the lease in the name of this process, as long as it takes. */
export async function stand(candidacy: Candidacy): Promise<Keeper> {
  const { settings, floor, address, post, process, isDead, signal, clock, random, log } = candidacy;
  post.standing = { kind: 'candidate' };
  const keeper = await winLease({
    ledger: onceThereIsRoom(candidacy),
    clock,
    holder: random.hex(HOLDER_BYTES),
    process,
    address,
    floor,
    ttlMs: settings.timing.coordinatorFailureTimeoutMs,
    renewIntervalMs: settings.timing.leaseRenewIntervalMs,
    isDead,
    signal,
    onPassive: (lease) => {
      post.lease = lease;
      post.standing = { kind: 'passive' };
      log.info({ epoch: lease.epoch, address: lease.address }, 'another coordinator holds the lease; this one waits');
    },
    onRenewFailed: (error) => log.warn({ err: error }, 'the lease could not be renewed; it is tried again while the margin lasts'),
  });
  post.lease = keeper.lease();
  post.standing = { kind: 'taking-over' };
  return keeper;
}

/** A predecessor may have ended for want of space (L18): with a lease that was won now, this one would do no better. */
function onceThereIsRoom({ ledger, awaitRoom, signal }: Candidacy): Parameters<typeof winLease>[0]['ledger'] {
  return {
    readLease: () => ledger.readLease(),
    acquire: async (request) => {
      await awaitRoom();
      signal.throwIfAborted();
      return ledger.acquire(request);
    },
    renew: (lease) => ledger.renew(lease),
    release: (lease) => ledger.release(lease),
  };
}
