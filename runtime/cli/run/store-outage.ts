import { formatDuration } from '../../base/config/quantity.ts';

/**
 * How long the store of a run has been of no use, as its coordinators tell, one after the other: each gives up after a while, and the next one
 * begins with whatever has been mended. Pure.
 */
export interface StoreOutage {
  readonly sinceMs: number;
  /** As it was told last. */
  readonly trouble: string;
}

/** `trouble`: what a coordinator tells now; null: it can use the store. */
export function onStore(before: StoreOutage | null, nowMs: number, trouble: string | null): StoreOutage | null {
  return trouble === null ? null : { sinceMs: before?.sinceMs ?? nowMs, trouble };
}

/** Why the run ends; null while it goes on. */
export function reasonToEnd(outage: StoreOutage | null, nowMs: number, waitMs: number): string | null {
  if (outage === null || nowMs - outage.sinceMs < waitMs) return null;
  return `the store could not be used for ${formatDuration(waitMs)} (--redis-wait): ${outage.trouble}`;
}
