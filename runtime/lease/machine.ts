import type { Lease, OwnGrounds, SeenLease } from '../model/lease.ts';
import { isSameLease } from '../model/lease.ts';
import type { Epoch } from '../model/row.ts';

/**
 * Who may try to win the lease, and when a holder may trust it. Both sides count durations on their own monotonic clock and never
 * compare clocks: the holder from BEFORE it asked for a renewal, the candidate from when it FIRST saw the bytes that the renewal
 * wrote, which is later. So a holder stops trusting its lease before any candidate may take it by expiry; and should that fail
 * (a clock that runs at another rate, a process stopped between check and write), the epoch in every write still decides (L5).
 */

/** A candidate, and the row that it has seen unchanged since `sinceMs`. */
export interface Watching {
  readonly seen: Lease | null;
  readonly sinceMs: number;
  /** What the store's clock said when the row was read last; null where it has none. */
  readonly storeNowMs: number | null;
}

export function onSeen(before: Watching | null, nowMs: number, { lease: seen, nowMs: storeNowMs }: SeenLease): Watching {
  return { seen, sinceMs: before !== null && isSameLease(before.seen, seen) ? before.sinceMs : nowMs, storeNowMs };
}

/**
 * Why a candidate may try (L4): no holder, a holder whose process certainly ended, the same bytes for a whole TTL of its own clock, or an
 * expiry on the store's clock, of which the store is the judge.
 */
export type Grounds = 'free' | OwnGrounds | 'expired';

export function groundsToAcquire(watching: Watching, nowMs: number, ttlMs: number, isHolderDead: boolean): Grounds | null {
  if (watching.seen === null || watching.seen.holder === '') return 'free';
  if (isHolderDead) return 'dead';
  if (nowMs - watching.sinceMs >= ttlMs) return 'watched';
  return watching.storeNowMs !== null && watching.storeNowMs >= watching.seen.untilMs ? 'expired' : null;
}

export function ownGrounds(grounds: Grounds): OwnGrounds | null {
  return grounds === 'dead' || grounds === 'watched' ? grounds : null;
}

/**
 * Since when nobody holds the lease, as far as is known, and the store does not let this candidate have it either: it refuses, or gives no
 * answer. Null where that is not so.
 */
export interface Stuck {
  readonly sinceMs: number | null;
  /** It has lasted too long. */
  readonly isOver: boolean;
}

export const NOT_STUCK: Stuck = { sinceMs: null, isOver: false };

/** As long as a coordinator that serves waits for its store: a server that fails over, or is started again, may be away for half of it. */
const PATIENCE_MS = 60_000;

/** `isVacant`: what failed was asked because nobody holds the lease. Where somebody may hold it, only what has begun before goes on. */
export function onUnanswered(stuck: Stuck, nowMs: number, isVacant: boolean): Stuck {
  const sinceMs = stuck.sinceMs ?? (isVacant ? nowMs : null);
  return { sinceMs, isOver: sinceMs !== null && nowMs - sinceMs >= PATIENCE_MS };
}

/** For how long a win or a renewal is good. */
export interface Terms {
  readonly ttlMs: number;
  /** The holder stops trusting its lease so long before the TTL ends: for clocks that run at different rates. */
  readonly marginMs: number;
}

export type Holding =
  | { readonly kind: 'held'; readonly lease: Lease; readonly freshUntilMs: number }
  /** Past its margin: it slept, was stopped, or could not reach the store. Only a renewal says whether it still holds. */
  | { readonly kind: 'paused'; readonly lease: Lease }
  | { readonly kind: 'fenced'; readonly lease: Lease; readonly byEpoch: Epoch }
  /** It gave up by itself, and holds nothing any more before the ledger hears of it. */
  | { readonly kind: 'resigned'; readonly lease: Lease };

/** `sentAtMs`: when the winning or renewing request was about to be sent. */
export function onWon(lease: Lease, sentAtMs: number, terms: Terms): Holding {
  return { kind: 'held', lease, freshUntilMs: sentAtMs + terms.ttlMs - terms.marginMs };
}

export function onTick(holding: Holding, nowMs: number): Holding {
  return holding.kind === 'held' && nowMs >= holding.freshUntilMs ? { kind: 'paused', lease: holding.lease } : holding;
}

/** Its own bytes were still there: it goes on under the same epoch. */
export function onRenewed(holding: Holding, lease: Lease, sentAtMs: number, terms: Terms): Holding {
  return isOver(holding) ? holding : onWon(lease, sentAtMs, terms);
}

export function onFenced(holding: Holding, byEpoch: Epoch): Holding {
  return isOver(holding) ? holding : { kind: 'fenced', lease: holding.lease, byEpoch };
}

export function onResign(holding: Holding): Holding {
  return isOver(holding) ? holding : { kind: 'resigned', lease: holding.lease };
}

/** Nothing leads back from here. */
export function isOver(holding: Holding): boolean {
  return holding.kind === 'fenced' || holding.kind === 'resigned';
}
