import { type Limit, onOverload } from './concurrency.ts';
import { carried, passTime, type Throughput } from './throughput.ts';

/** What occupies an endpoint, and how much that may be (W14). Pure. */
export interface Load {
  readonly timeoutMs: number;
  limit: Limit;
  readonly throughput: Throughput;
  /** How many executions occupy it. */
  executing: number;
  /**
   * What starts before this moment may wait behind requests that were given up: a server goes on with them. `requestTimeout` after the last
   * time-out of a crowd.
   */
  crowdedUntilMs: number;
}

/** How an execution began. */
export interface Beginning {
  readonly startedAtMs: number;
  /** How many occupied the endpoint then, itself included. */
  readonly inFlight: number;
}

/**
 * Whether a time-out is the crowd's fault: more was in flight when it began, or is now, than the endpoint carries, or than one where it has
 * carried nothing yet; or it began behind requests that were given up for that reason.
 */
export function takeCrowd(load: Load, nowMs: number, { startedAtMs, inFlight }: Beginning): boolean {
  const carries = carried(load.throughput, load.timeoutMs);
  // The one that has just ended was in flight as well.
  const isCrowd = Math.max(inFlight, load.executing + 1) > (carries ?? 1);
  if (!isCrowd) return startedAtMs < load.crowdedUntilMs;
  load.crowdedUntilMs = nowMs + load.timeoutMs;
  load.limit = onOverload(load.limit, nowMs, carries);
  return true;
}

/** Called before each change of `executing`. */
export function passBusyTime(load: Load, nowMs: number): void {
  passTime(load.throughput, nowMs, load.executing > 0);
}
