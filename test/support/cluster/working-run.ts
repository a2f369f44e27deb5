import type { ExecutionContext } from 'ava';
import type { Pod } from '../../../operator/kube/kind.ts';
import { testNamespace } from './namespace.ts';
import { installOperator } from './operator.ts';
import { ClusterRun, type RunPlan } from './rollout-run.ts';
import { type Cluster, startCluster } from './start-cluster.ts';
import { untilSeen } from './until-seen.ts';

/** From the news of a disruption until a pod in its place is there, with room for a machine that has much else to do. */
export const REPLACED_MS = 30_000;

/** A run of the test's own on three nodes, whose workers are ready and have recorded something. `values`: of the operator. */
export async function workingRun(
  t: ExecutionContext,
  plan: RunPlan,
  ...values: readonly string[]
): Promise<{ readonly cluster: Cluster; readonly run: ClusterRun }> {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster, ...values);
  const run = await ClusterRun.apply(cluster, await testNamespace(t, cluster), plan);
  await run.untilReady(plan.parallelism ?? 3);
  await run.untilRecorded(1);
  return { cluster, run };
}

export async function firstWorker(run: ClusterRun): Promise<Pod> {
  const [worker] = await run.workers();
  if (worker === undefined) throw new Error('no worker runs');
  return worker;
}

/** Of a worker's pod: its successor has the same, and the next number. */
export function placeOf({ metadata }: Pod): string {
  return metadata.name.replace(/-\d+$/, '');
}

export async function untilReplaced(t: ExecutionContext, run: ClusterRun, former: Pod): Promise<Pod> {
  const isSuccessor = (pod: Pod): boolean => pod.metadata.name !== former.metadata.name && placeOf(pod) === placeOf(former);
  const begunMs = performance.now();
  const all = await untilSeen(
    `${former.metadata.name} has a successor`,
    REPLACED_MS,
    async () => run.pods('worker'),
    (pods) => pods.some(isSuccessor),
  );
  t.log(`a successor after ${Math.round(performance.now() - begunMs)} ms`);
  return all.find(isSuccessor) as Pod;
}
