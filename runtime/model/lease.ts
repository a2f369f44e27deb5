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
  /** Milliseconds on the store's own clock; the embedded store writes 0 and never judges by it. */
  readonly untilMs: number;
  /** host:port at which the holder answers. */
  readonly address: string;
  readonly process: ProcessIdentity;
}

export function isSameLease(a: Lease | null, b: Lease | null): boolean {
  if (a === null || b === null) return a === b;
  return a.holder === b.holder && a.epoch === b.epoch && a.renewals === b.renewals;
}

export interface AcquireRequest {
  /** Nonce of this process start (L2). */
  readonly holder: string;
  readonly process: ProcessIdentity;
  readonly address: string;
  /**
   * The exact row that the candidate has seen and may replace: null where there was none, a released row, or one whose expiry or
   * holder's death the candidate has established (L4). The compare-and-swap decides.
   */
  readonly expected: Lease | null;
  /** Highest epoch known outside the ledger, -1 for none: a ledger that is behind is refused (L3). */
  readonly floor: number;
}

/** What came of it. */
export type AcquireReply =
  | {
      readonly kind: 'won';
      readonly lease: Lease;
      /** The process that had to be killed for the writer's lock; null nearly always. */
      readonly killedPid: number | null;
    }
  /** Somebody else's row is there now. */
  | { readonly kind: 'held'; readonly lease: Lease }
  /** The ledger's epoch (-1: none) is below the floor: a restored backup, or a store that lost writes. */
  | { readonly kind: 'behind'; readonly epoch: number; readonly floor: number };
