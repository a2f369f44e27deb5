/**
 * How long a key waits before it is worked on again: the longer the more often it has failed in a row, and never sooner than all keys
 * together may. Pure but for its own counts; the time is an argument.
 */

export interface RateLimits {
  /** After the first failure of a key; it doubles with each further one. */
  readonly baseMs: number;
  readonly maxMs: number;
  /** Of all keys together, and how many of them may come at once. */
  readonly perSecond: number;
  readonly burst: number;
}

/** Those of client-go, but for the longest wait: there it is 1000 s, which leaves a person who has mended the cause waiting. */
export const DEFAULT_RATE_LIMITS: RateLimits = { baseMs: 5, maxMs: 300_000, perSecond: 10, burst: 100 };

/** 5 ms doubled so often is more than any longest wait. */
const MAX_DOUBLINGS = 40;

export class RateLimit {
  readonly #limits: RateLimits;
  readonly #failures = new Map<string, number>();
  /** Negative: promised to calls that have still to wait. */
  #tokens: number;
  #countedMs: number | null = null;

  constructor(limits: RateLimits) {
    this.#limits = limits;
    this.#tokens = limits.burst;
  }

  /** Counts one more failure of the key; returns how many milliseconds it waits. */
  delayMs(key: string, nowMs: number): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    const ofKey = Math.min(this.#limits.maxMs, this.#limits.baseMs * 2 ** Math.min(failures, MAX_DOUBLINGS));
    return Math.max(ofKey, this.#takeToken(nowMs));
  }

  /** The key has succeeded, or is given up: its next failure is the first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** In a row. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  #takeToken(nowMs: number): number {
    const { perSecond, burst } = this.#limits;
    const passedMs = this.#countedMs === null ? 0 : Math.max(0, nowMs - this.#countedMs);
    this.#countedMs = nowMs;
    this.#tokens = Math.min(burst, this.#tokens + (passedMs * perSecond) / 1_000) - 1;
    return this.#tokens >= 0 ? 0 : (-this.#tokens / perSecond) * 1_000;
  }
}
