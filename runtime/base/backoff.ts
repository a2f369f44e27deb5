import type { Random } from './random.ts';

/**
 * Full jitter: uniform in [0, min(capMs, baseMs x 2^attempt)), attempt from 0.
 * Source: AWS Architecture Blog, "Exponential Backoff And Jitter" (2015).
 */
export function fullJitterMs(attempt: number, baseMs: number, capMs: number, random: Random): number {
  return random.next() * Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
}

/** Doubling with half jitter: between half and all of min(capMs, baseMs x 2^attempt), attempt from 0. */
export function halfJitterMs(attempt: number, baseMs: number, capMs: number, random: Random): number {
  const ceilingMs = Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
  return ceilingMs / 2 + (random.next() * ceilingMs) / 2;
}
