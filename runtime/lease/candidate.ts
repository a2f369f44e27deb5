import type { Clock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { ProcessIdentity } from '../base/process/process-identity.ts';
import type { Ledger } from '../ledger/contract.ts';
import type { AcquireReply, Lease } from '../model/lease.ts';
import type { LeaseHolder } from './contract.ts';
import { holdLease } from './holder.ts';
import { type Grounds, groundsToAcquire, onSeen, type Watching } from './machine.ts';

export interface CandidateOptions {
  readonly ledger: Pick<Ledger, 'readLease' | 'acquire' | 'renew' | 'release'>;
  readonly clock: Clock;
  /** Nonce of this process start (L2). */
  readonly holder: string;
  readonly process: ProcessIdentity;
  /** host:port for those who find the lease held. */
  readonly address: string;
  /** Highest epoch known outside the ledger, -1 for none (L3). */
  readonly floor: number;
  readonly ttlMs: number;
  readonly renewIntervalMs: number;
  /** True only when certain. */
  readonly isDead: (process: ProcessIdentity) => Promise<boolean>;
  readonly signal: AbortSignal;
  /** Somebody else holds it: told once for each holder. */
  readonly onPassive: (lease: Lease) => void;
  readonly onRenewFailed?: (error: unknown) => void;
}

/** How often the row is read: the delay between the holder's certain death and the try to follow it. */
const WATCH_INTERVAL_MS = 75;

/** Waits for its turn, as long as it takes, and wins the lease. Rejects with the signal's reason when that aborts. */
export async function winLease(options: CandidateOptions): Promise<LeaseHolder> {
  const { ledger, clock, signal } = options;
  let watching: Watching | null = null;
  let told: Lease | null = null;
  for (;;) {
    signal.throwIfAborted();
    const seen = await ledger.readLease();
    // Not before the row came: the holder counts from before it asked.
    watching = onSeen(watching, clock.monotonicMs(), seen);
    const grounds = await groundsNow(options, watching);
    if (grounds !== null) {
      const sentAtMs = clock.monotonicMs();
      const reply = await acquire(options, watching.seen);
      if (reply.kind === 'won') {
        const won = { kind: grounds === 'free' ? 'acquired' : 'stolen', killedPid: reply.killedPid } as const;
        return holdLease(options, reply.lease, sentAtMs, won);
      }
      watching = onSeen(watching, clock.monotonicMs(), reply.lease);
    }
    told = tellOnce(options, told, watching.seen);
    await clock.sleep(WATCH_INTERVAL_MS, signal);
  }
}

async function groundsNow({ clock, ttlMs, isDead }: CandidateOptions, watching: Watching): Promise<Grounds | null> {
  const { seen } = watching;
  const isHolderDead = seen !== null && seen.holder !== '' && (await isDead(seen.process));
  return groundsToAcquire(watching, clock.monotonicMs(), ttlMs, isHolderDead);
}

async function acquire(options: CandidateOptions, expected: Lease | null): Promise<Exclude<AcquireReply, { readonly kind: 'behind' }>> {
  const { ledger, holder, process, address, floor } = options;
  const reply = await ledger.acquire({ holder, process, address, expected, floor });
  if (reply.kind !== 'behind') return reply;
  const there = reply.epoch < 0 ? 'is empty' : `is at epoch ${reply.epoch}`;
  throw new RolloutError(
    'LEDGER_BEHIND',
    `The ledger ${there}, but epoch ${reply.floor} of this run was already in use: the store was replaced, restored from an old copy, or lost writes. Going on would execute and record items twice. Restore the newest copy of the store, or start over with --fresh.`,
  );
}

function tellOnce({ onPassive }: CandidateOptions, told: Lease | null, seen: Lease | null): Lease | null {
  if (seen === null || seen.holder === '' || seen.holder === told?.holder) return told;
  onPassive(seen);
  return seen;
}
