import type { ExecutionContext } from 'ava';
import { testNamespace } from './namespace.ts';
import { installOperator } from './operator.ts';
import { ClusterRun, type RunPlan } from './rollout-run.ts';
import { type Cluster, startCluster } from './start-cluster.ts';
import { untilSeen } from './until-seen.ts';

/** Runs that go away in the middle of their work, with workers whose grace period is a minute. */

/** Longer than what such workers are given, and far from their own period. */
const SHORTENED_MS = 30_000;
const LONG = 3_000;

export async function deletionStage(t: ExecutionContext): Promise<{ readonly cluster: Cluster; readonly namespace: string }> {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  return { cluster, namespace: await testNamespace(t, cluster) };
}

/** A run that has recorded something, and has much left to do. */
export async function working(
  cluster: Cluster,
  namespace: string,
  plan: Partial<RunPlan> & { readonly name: string },
): Promise<ClusterRun> {
  const run = await ClusterRun.apply(cluster, namespace, { items: LONG, parallelism: 1, ...plan });
  await run.untilRecorded(1);
  return run;
}

export async function untilNoWorkers(run: ClusterRun): Promise<number> {
  const begunMs = performance.now();
  await untilSeen(
    `${run.name} has no workers`,
    SHORTENED_MS,
    async () => (await run.pods('worker')).map(({ metadata }) => metadata.name),
    (names) => names.length === 0,
  );
  return Math.round(performance.now() - begunMs);
}
