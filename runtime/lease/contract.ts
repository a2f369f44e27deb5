import type { Fenced } from '../ledger/contract.ts';
import type { Lease } from '../model/lease.ts';
import type { Epoch, Stamp } from '../model/row.ts';

/** Keeps a lease that was won. */
export interface LeaseHolder {
  lease(): Lease;
  /** How it was won: `stolen` from a holder that had not released it. */
  readonly won: Won;
  /** False as soon as the margin has passed without a renewal; costs nothing to ask. */
  isFresh(): boolean;
  /**
   * To be asked before any write: resolves at once while fresh; past the margin a renewal decides. Rejects where the store cannot
   * be asked: then nothing may be written.
   */
  ensureFresh(): Promise<{ readonly kind: 'fresh' } | Fenced | Resigned>;
  /**
   * Aborts at the moment at which this process learns that another coordinator has taken the run over, by a renewal or by any reply
   * of the ledger; the reason is a `Fenced`. Never after a resignation (L42).
   */
  readonly fenced: AbortSignal;
  /**
   * Aborts where a renewal finds that the store is broken, was replaced or has lost writes (L18, L40): nothing more can come of this epoch.
   * The reason is the error.
   */
  readonly broken: AbortSignal;
  /** A reply of the ledger names a later epoch. */
  fence(byEpoch: Epoch): void;
  /** Numbers the requests of this epoch that overwrite something (L38). */
  nextStamp(): Stamp;
  /** Gives the lease up: the next one wins epoch + 1 at once (L1). */
  resign(): Promise<void>;
  /** Renews no more, and leaves the lease to expire. */
  stop(): void;
}

/** This process has given the lease up itself. Nobody has taken it over, as far as it knows: that is not being fenced (L42). */
export interface Resigned {
  readonly kind: 'resigned';
}

export interface Won {
  readonly kind: 'acquired' | 'stolen';
}
