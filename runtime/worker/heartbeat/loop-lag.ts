import type { Clock, Timer } from '../../base/clock.ts';

/**
 * How late the main loop is, readable from another thread even while the loop is blocked. The loop marks when it last came by, and
 * the worst delay so far; who reads takes the worst away and adds what is going on now.
 */
const LAST_SEEN = 0;
const WORST = 1;
/** How often the loop marks; delays below this are not told apart. */
const MARK_MS = 50;

export function newLag(): SharedArrayBuffer {
  return new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT);
}

export function markLag(shared: SharedArrayBuffer, clock: Clock): Timer {
  const cells = new BigInt64Array(shared);
  Atomics.store(cells, LAST_SEEN, whole(clock.monotonicMs()));
  return clock.every(MARK_MS, () => {
    const now = whole(clock.monotonicMs());
    const late = now - Atomics.exchange(cells, LAST_SEEN, now) - BigInt(MARK_MS);
    if (late > Atomics.load(cells, WORST)) Atomics.store(cells, WORST, late);
  });
}

/** The worst delay since the last call, in milliseconds. */
export function takeLagMs(shared: SharedArrayBuffer, nowMs: number): number {
  const cells = new BigInt64Array(shared);
  const past = Number(Atomics.exchange(cells, WORST, 0n));
  const present = nowMs - Number(Atomics.load(cells, LAST_SEEN)) - MARK_MS;
  return Math.max(0, Math.round(Math.max(past, present)));
}

/** When the loop came by last. */
export function lastSeenMs(shared: SharedArrayBuffer): number {
  return Number(Atomics.load(new BigInt64Array(shared), LAST_SEEN));
}

function whole(ms: number): bigint {
  return BigInt(Math.round(ms));
}
