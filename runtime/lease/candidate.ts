import type { Clock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { ProcessIdentity } from '../base/process/process-identity.ts';
import { CallFailed } from '../ledger/call-failed.ts';
import type { CandidateLedger } from '../ledger/views.ts';
import type { AcquireReply, Lease, SeenLease } from '../model/lease.ts';
import type { LeaseHolder } from './contract.ts';
import { holdLease } from './holder.ts';
import { type Grounds, groundsToAcquire, onSeen, ownGrounds, type Watching } from './machine.ts';

export interface CandidateOptions {
  readonly ledger: CandidateLedger;
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
  readonly onUnanswered?: (error: CallFailed) => void;
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
    const seen: SeenLease | null = await unlessUnanswered(options, ledger.readLease());
    // What was not seen now may have changed: only a look that was answered is acted upon. The time is not taken before the row came: the
    // holder counts from before it asked.
    if (seen !== null) {
      const tried: Watching | LeaseHolder = await tryFor(options, onSeen(watching, clock.monotonicMs(), seen));
      if ('won' in tried) return tried;
      watching = tried;
      told = tellOnce(options, told, watching.seen);
    }
    await clock.sleep(WATCH_INTERVAL_MS, signal);
  }
}

/** The lease, where there are grounds to try and it is won; else what is watched now. */
async function tryFor(options: CandidateOptions, watching: Watching): Promise<LeaseHolder | Watching> {
  const { clock } = options;
  const grounds = await groundsNow(options, watching);
  const sentAtMs = clock.monotonicMs();
  const reply = grounds === null ? null : await unlessUnanswered(options, acquire(options, watching.seen, grounds));
  if (reply === null) return watching;
  if (reply.kind === 'won') return holdLease(options, reply.lease, sentAtMs, { kind: grounds === 'free' ? 'acquired' : 'stolen' });
  return onSeen(watching, clock.monotonicMs(), { lease: reply.lease, nowMs: null });
}

/** A store that does not answer now is asked again at the next look: a passive coordinator waits as long as it takes. */
async function unlessUnanswered<T>({ onUnanswered }: CandidateOptions, call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    onUnanswered?.(error);
    return null;
  }
}

async function groundsNow({ clock, ttlMs, isDead }: CandidateOptions, watching: Watching): Promise<Grounds | null> {
  const { seen } = watching;
  const isHolderDead = seen !== null && seen.holder !== '' && (await isDead(seen.process));
  return groundsToAcquire(watching, clock.monotonicMs(), ttlMs, isHolderDead);
}

async function acquire(
  options: CandidateOptions,
  expected: Lease | null,
  grounds: Grounds,
): Promise<Exclude<AcquireReply, { readonly kind: 'behind' }>> {
  const { ledger, holder, process, address, floor, ttlMs } = options;
  const reply = await ledger.acquire({ holder, process, address, expected, grounds: ownGrounds(grounds), ttlMs, floor });
  if (reply.kind !== 'behind') return reply;
  const there = reply.epoch < 0 ? 'is empty' : `is at epoch ${reply.epoch}`;
  throw new RolloutError(
    'LEDGER_BEHIND',
    `The ledger ${there}, but epoch ${reply.floor} of this run was already in use: the store was replaced, restored from an old copy, or lost writes. Going on would execute and record items twice.`,
  );
}

function tellOnce({ onPassive }: CandidateOptions, told: Lease | null, seen: Lease | null): Lease | null {
  if (seen === null || seen.holder === '' || seen.holder === told?.holder) return told;
  onPassive(seen);
  return seen;
}
