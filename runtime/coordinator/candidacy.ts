import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { isProcessDead, ownProcess } from '../base/process-identity.ts';
import type { Random } from '../base/random.ts';
import type { Keeper } from '../lease/contract.ts';
import { winLease } from '../lease/keeper.ts';
import type { Ledger } from '../ledger/contract.ts';
import type { Post } from './listening.ts';
import type { CoordinatorSettings } from './settings.ts';

/** 128 bits: no two process starts ever draw the same nonce (L2). */
const HOLDER_BYTES = 16;

export interface Candidacy {
  readonly settings: CoordinatorSettings;
  readonly ledger: Ledger;
  readonly floor: number;
  readonly address: string;
  readonly post: Post;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Stands for the lease in the name of this process, as long as it takes. */
export async function stand({ settings, ledger, floor, address, post, signal, clock, random, log }: Candidacy): Promise<Keeper> {
  return winLease({
    ledger,
    clock,
    holder: random.hex(HOLDER_BYTES),
    process: await ownProcess(),
    address,
    floor,
    ttlMs: settings.timing.coordinatorFailureTimeoutMs,
    renewIntervalMs: settings.timing.leaseRenewIntervalMs,
    isDead: isProcessDead,
    signal,
    onPassive: (lease) => {
      post.lease = lease;
      log.info({ epoch: lease.epoch, address: lease.address }, 'another coordinator holds the lease; this one waits');
    },
    onRenewFailed: (error) => log.warn({ err: error }, 'the lease could not be renewed; it is tried again while the margin lasts'),
  });
}
