import type { Pod } from '../kube/kind.ts';
import { controllerOf } from '../kube/object.ts';

/** Long enough for a process that ends when it is told to. */
export const FORMER_GRACE_SECONDS = 5;

/**
 * Workers whose run is gone. Each would wait for a coordinator until its grace period is over, to hand back what nobody wants any more, and
 * keep its machine and its namespace for as long. Pods that somebody has made orphans are left to him. `uid`: of the run that there is
 * now; null for none.
 */
export function formerWorkers(pods: Iterable<Pod>, uid: string | null): readonly Pod[] {
  return [...pods].filter((pod) => {
    const owner = controllerOf(pod);
    return owner !== null && owner.uid !== uid && !hasShortGrace(pod);
  });
}

/** It has been told to end, and has no longer than that for it. */
export function hasShortGrace({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.deletionGracePeriodSeconds ?? 0) <= FORMER_GRACE_SECONDS;
}
