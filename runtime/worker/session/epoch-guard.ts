import type { Epoch } from '../../model/row.ts';

/** What the worker knows of who holds the lease: the highest epoch seen, and when a valid reply last came. */
export interface EpochGuard {
  readonly highestEpoch: Epoch;
  readonly lastValidMs: number;
}

/** A reply of a deposed coordinator: whatever it says is ignored (L34). */
export function isDeposed(guard: EpochGuard, epoch: Epoch): boolean {
  return epoch < guard.highestEpoch;
}

/** Takes note of a valid reply; `receivedMs` may lie in the past when the main loop was busy. */
export function onValidReply(guard: EpochGuard, epoch: Epoch, receivedMs: number): EpochGuard {
  return { highestEpoch: Math.max(guard.highestEpoch, epoch), lastValidMs: Math.max(guard.lastValidMs, receivedMs) };
}

/** No valid reply for so long: the coordinator may be about to give the items to others, so nothing more is started (L36). */
export function isOutOfTouch(guard: EpochGuard, nowMs: number, selfFenceTimeoutMs: number): boolean {
  return nowMs - guard.lastValidMs > selfFenceTimeoutMs;
}
