import type { ProcessIdentity } from '../base/process/process-identity.ts';
import type { Epoch } from './row.ts';

/**
 * The single row that says who is coordinator (L1). It is never deleted and has no time to live.
 * `holder` is a nonce made at process start (L2), empty when released. `renewals` makes the bytes never recur (L4).
 */
export interface Lease {
  readonly holder: string;
  readonly epoch: Epoch;
  readonly renewals: number;
  /** When it expires, in milliseconds on the store's own clock; 0 where the store has none. */
  readonly untilMs: number;
  /** host:port at which the holder answers. */
  readonly address: string;
  readonly process: ProcessIdentity;
}

export function isSameLease(a: Lease | null, b: Lease | null): boolean {
  if (a === null || b === null) return a === b;
  return a.holder === b.holder && a.epoch === b.epoch && a.renewals === b.renewals;
}

/** The lease row, and what time it is on the clock of the store that keeps it; null where the store has none (L4). */
export interface SeenLease {
  readonly lease: Lease | null;
  readonly nowMs: number | null;
}

/** What a candidate has established by itself: the holder's process has certainly ended, or the bytes were the same for a whole TTL (L4). */
export type OwnGrounds = 'dead' | 'watched';

export interface AcquireRequest {
  /** Nonce of this process start (L2). */
  readonly holder: string;
  readonly process: ProcessIdentity;
  readonly address: string;
  /** The exact row that the candidate has seen and wants to replace; null where there was none. The compare-and-swap decides (L4). */
  readonly expected: Lease | null;
  /** Null: the row was free, or has expired on the store's clock, by which the store judges. */
  readonly grounds: OwnGrounds | null;
  /** For so long the store gives the lease, by its own clock. */
  readonly ttlMs: number;
  /** Highest epoch known outside the ledger, -1 for none: a ledger that is behind is refused (L3). */
  readonly floor: number;
}

/** What came of it. */
export type AcquireReply =
  | { readonly kind: 'won'; readonly lease: Lease }
  /** Somebody else's row is there, and may not be replaced. */
  | { readonly kind: 'held'; readonly lease: Lease }
  /** The ledger's epoch (-1: none) is below the floor: a restored backup, or a store that lost writes. */
  | { readonly kind: 'behind'; readonly epoch: number; readonly floor: number };
