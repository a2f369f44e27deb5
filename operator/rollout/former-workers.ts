import type { Pod } from '../kube/kind.ts';
import { controllerOf } from '../kube/object.ts';
import { hasShortGrace } from './short-grace.ts';

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
