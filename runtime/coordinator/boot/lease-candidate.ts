import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { ProcessIdentity } from '../../base/process/process-identity.ts';
import type { Random } from '../../base/random.ts';
import { winLease } from '../../lease/candidate.ts';
import type { LeaseHolder } from '../../lease/contract.ts';
import type { CandidateLedger } from '../../ledger/views.ts';
import type { Epoch } from '../../model/row.ts';
import type { ServerContext } from '../server/listening.ts';
import type { CoordinatorSettings } from '../settings.ts';
import { SeenEpochs } from './seen-epochs.ts';

/** 128 bits: no two process starts ever draw the same nonce (L2). */
const HOLDER_BYTES = 16;

export interface LeaseCandidate {
  readonly settings: Pick<CoordinatorSettings, 'timing'>;
  readonly ledger: CandidateLedger;
  /** The highest epoch that the results or the state directory have seen (L3). */
  readonly floor: () => Promise<number>;
  /** Keeps in the state directory that this epoch is in use (L3). */
  readonly raiseEpochMark: (epoch: Epoch) => Promise<void>;
  readonly address: string;
  readonly context: ServerContext;
  readonly process: ProcessIdentity;
  /** True only when certain. */
  readonly isDead: (process: ProcessIdentity) => Promise<boolean>;
  readonly signal: AbortSignal;
  /** Resolves once the disk has room for a coordinator. */
  readonly waitForDiskSpace: () => Promise<void>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Stands for the lease in the name of this process, as long as it takes. */
export async function waitForLease(candidate: LeaseCandidate): Promise<LeaseHolder> {
  const { settings, ledger, address, context, process, isDead, signal, clock, random, log } = candidate;
  context.coordinatorStatus = { kind: 'candidate' };
  const seenEpochs = new SeenEpochs(candidate);
  const leaseHolder = await winLease({
    ledger,
    clock,
    holder: random.hex(HOLDER_BYTES),
    process,
    address,
    floor: () => floorOnceThereIsSpace(candidate),
    onSeen: (epoch) => seenEpochs.keep(epoch),
    ttlMs: settings.timing.coordinatorFailureTimeoutMs,
    renewIntervalMs: settings.timing.leaseRenewIntervalMs,
    isDead,
    signal,
    onPassive: (lease) => {
      context.lease = lease;
      context.coordinatorStatus = { kind: 'passive' };
      log.info({ epoch: lease.epoch, address: lease.address }, 'another coordinator holds the lease; this one waits');
    },
    onRenewFailed: (error) => log.debug({ err: error }, 'the lease could not be renewed; it is tried again while the margin lasts'),
  });
  context.lease = leaseHolder.lease();
  context.coordinatorStatus = { kind: 'taking-over' };
  return leaseHolder;
}

/** A predecessor may have ended for want of space (L18): with a lease that was won now, this one would do no better. */
async function floorOnceThereIsSpace({ floor, waitForDiskSpace, signal }: LeaseCandidate): Promise<number> {
  await waitForDiskSpace();
  signal.throwIfAborted();
  return floor();
}
