import type { Pod } from '../kube/kind.ts';

/** Long enough for a process that ends when it is told to. */
export const SHORT_GRACE_SECONDS = 5;

/** It has been told to end, and has no longer than that for it. */
export function hasShortGrace({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) <= SHORT_GRACE_SECONDS;
}
