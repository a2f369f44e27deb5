import { type Condition, conditionOf } from '../../api/conditions.ts';

/** Workers that are missing for so long do not come by themselves: a node takes minutes to be made, and an image to be pulled. */
const PATIENCE_MS = 600_000;

/** How many of `parallelism` workers may be missing; null where any number may. */
export function mostMissing(maxMissing: number | string | undefined, parallelism: number): number | null {
  if (maxMissing === undefined) return null;
  return typeof maxMissing === 'number' ? maxMissing : Math.floor((parallelism * Number.parseInt(maxMissing, 10)) / 100);
}

/** Time until a run fails since too many workers are missing; Infinity while enough are there. */
export function missingLeftMs(conditions: readonly Condition[], nowMs: number): number {
  const workers = conditionOf(conditions, 'WorkersReady');
  return workers?.status === 'False' ? Date.parse(workers.lastTransitionTime) + PATIENCE_MS - nowMs : Number.POSITIVE_INFINITY;
}
