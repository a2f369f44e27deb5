import type { Signal } from '../nodes/signals.ts';
import type { CoordinatorAnswer } from './coordinator-view.ts';
import type { WorkerView } from './worker-view.ts';

/**
 * The signals of nodes, but for those that say of a node that nothing is heard of it while the coordinator hears a worker there. After an
 * API server was away all nodes count as lost for a moment, and the work on them has gone on.
 *
 * @param answer null where the coordinator does not answer now
 */
export function believedSignals(
  signals: ReadonlyMap<string, Signal>,
  workers: readonly WorkerView[],
  answer: CoordinatorAnswer | null,
): ReadonlyMap<string, Signal> {
  const heard = new Set((answer?.status.workers ?? []).filter(({ state }) => state !== 'suspected').map(({ workerId }) => workerId));
  const nodes = new Set(workers.filter(({ name }) => heard.has(name)).map(({ node }) => node));
  return new Map([...signals].filter(([node, { isSilence }]) => isSilence !== true || !nodes.has(node)));
}
