import type { Clock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { ProcessIdentity } from '../base/process/process-identity.ts';
import { CallFailed } from '../ledger/call-failed.ts';
import type { CandidateLedger } from '../ledger/views.ts';
import type { AcquireReply, Lease, SeenLease } from '../model/lease.ts';
import type { Epoch } from '../model/row.ts';
import type { LeaseHolder } from './contract.ts';
import { holdLease } from './holder.ts';
import { type Grounds, groundsToAcquire, NOT_STUCK, onSeen, onUnanswered, ownGrounds, type Stuck, type Watching } from './machine.ts';

export interface CandidateOptions {
  readonly ledger: CandidateLedger;
  readonly clock: Clock;
  /** Nonce of this process start (L2). */
  readonly holder: string;
  readonly process: ProcessIdentity;
  /** host:port for those who find the lease held. */
  readonly address: string;
  /** Highest epoch known outside the ledger, -1 for none (L3). Asked before each try: others win and serve meanwhile. */
  readonly floor: () => Promise<number>;
  /** A row of this epoch was in the store. Awaited before it is acted upon: it is to be known outside the store from then on (L3). */
  readonly onSeen: (epoch: Epoch) => Promise<void>;
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

/**
 * Waits for its turn, as long as it takes, and wins the lease. Rejects with the signal's reason when that aborts, and where nobody holds
 * the lease and the store lets nobody have it.
 */
export async function winLease(options: CandidateOptions): Promise<LeaseHolder> {
  const { clock, signal } = options;
  const candidate = new Candidate(options);
  for (;;) {
    signal.throwIfAborted();
    const leaseHolder = await candidate.tryOnce();
    if (leaseHolder !== null) return leaseHolder;
    await clock.sleep(WATCH_INTERVAL_MS, signal);
  }
}

class Candidate {
  readonly #options: CandidateOptions;
  #watching: Watching | null = null;
  #told: Lease | null = null;
  #stuck: Stuck = NOT_STUCK;
  /** Of all rows that this process has seen. */
  #highestEpoch = -1;

  constructor(options: CandidateOptions) {
    this.#options = options;
  }

  /** Reads the row once, and tries for the lease where there are grounds. Null: not won. */
  async tryOnce(): Promise<LeaseHolder | null> {
    const { ledger } = this.#options;
    // Where nothing was ever seen nobody is known to hold the lease.
    const seen = await this.#unlessUnanswered(this.#watching === null, () => ledger.readLease());
    // What was not seen now may have changed: only a look that was answered is acted upon. The time is not taken before the row came: the
    // holder counts from before it asked.
    if (seen === null) return null;
    const watching = await this.#see(seen);
    const grounds = await this.#grounds(watching);
    if (grounds === null) this.#stuck = NOT_STUCK;
    else {
      const leaseHolder = await this.#acquire(watching, grounds);
      if (leaseHolder !== null) return leaseHolder;
    }
    this.#tellOnce();
    return null;
  }

  async #see(seen: SeenLease): Promise<Watching> {
    const watching = onSeen(this.#watching, this.#options.clock.monotonicMs(), seen);
    this.#watching = watching;
    if (seen.lease !== null) {
      const { epoch } = seen.lease;
      this.#highestEpoch = Math.max(this.#highestEpoch, epoch);
      await this.#options.onSeen(epoch);
    }
    return watching;
  }

  async #grounds(watching: Watching): Promise<Grounds | null> {
    const { clock, ttlMs, isDead } = this.#options;
    const { seen } = watching;
    const isHolderDead = seen !== null && seen.holder !== '' && (await isDead(seen.process));
    return groundsToAcquire(watching, clock.monotonicMs(), ttlMs, isHolderDead);
  }

  async #acquire({ seen: expected }: Watching, grounds: Grounds): Promise<LeaseHolder | null> {
    const { ledger, clock, holder, process, address, ttlMs } = this.#options;
    const floor = Math.max(await this.#options.floor(), this.#highestEpoch);
    const request = { holder, process, address, expected, grounds: ownGrounds(grounds), ttlMs, floor };
    const sentAtMs = clock.monotonicMs();
    const reply = await this.#unlessUnanswered(true, () => ledger.acquire(request));
    if (reply === null) return null;
    this.#stuck = NOT_STUCK;
    if (reply.kind === 'behind') throw behind(reply);
    if (reply.kind === 'won') return holdLease(this.#options, reply.lease, sentAtMs, { kind: grounds === 'free' ? 'acquired' : 'stolen' });
    await this.#see({ lease: reply.lease, nowMs: null });
    return null;
  }

  /**
   * A store that gives no answer now, or refuses, is asked again at the next look. A passive coordinator waits as long as it takes; where
   * nobody holds the lease the run stands still, which a person is told after a while.
   */
  async #unlessUnanswered<T>(isVacant: boolean, ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      this.#stuck = onUnanswered(this.#stuck, this.#options.clock.monotonicMs(), isVacant);
      if (this.#stuck.isOver) throw cannotBegin(error);
      return null;
    }
  }

  #tellOnce(): void {
    const seen = this.#watching?.seen ?? null;
    if (seen === null || seen.holder === '' || seen.holder === this.#told?.holder) return;
    this.#options.onPassive(seen);
    this.#told = seen;
  }
}

function behind({ epoch, floor }: Extract<AcquireReply, { readonly kind: 'behind' }>): RolloutError {
  const there = epoch < 0 ? 'is empty' : `is at epoch ${epoch}`;
  return new RolloutError(
    'LEDGER_BEHIND',
    `The ledger ${there}, but epoch ${floor} of this run was already in use: the store was replaced, restored from an old copy, or lost writes. Going on would execute and record items twice.`,
  );
}

function cannotBegin(cause: CallFailed): RolloutError {
  return new RolloutError(
    'STORE_FAILED',
    `nobody holds the lease of this run, and the store does not let this coordinator have it (${cause.message}); start again once that is mended, nothing recorded is lost`,
    { cause },
  );
}
