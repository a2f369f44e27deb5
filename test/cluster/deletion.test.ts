import test, { type ExecutionContext } from 'ava';
import { childrenOf, GONE_MS, namesOf, untilGone } from '../support/cluster/children.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator, OPERATOR_NAMESPACE, uninstallOperator } from '../support/cluster/operator.ts';
import { ClusterRun, type RunPlan } from '../support/cluster/rollout-run.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';

/** Runs go away, each in the middle of its work, with workers whose grace period is a minute. */

/** Longer than what such workers are given, and far from their own period. */
const HURRIED_MS = 30_000;
const LONG = 3_000;

async function stage(t: ExecutionContext): Promise<{ readonly cluster: Cluster; readonly namespace: string }> {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  return { cluster, namespace: await testNamespace(t, cluster) };
}

/** A run that has recorded something, and has much left to do. */
async function working(cluster: Cluster, namespace: string, plan: Partial<RunPlan> & { readonly name: string }): Promise<ClusterRun> {
  const run = await ClusterRun.apply(cluster, namespace, { items: LONG, parallelism: 2, ...plan });
  await run.untilRecorded(1);
  return run;
}

async function untilNoWorkers(run: ClusterRun): Promise<number> {
  const begunMs = performance.now();
  await untilSeen(
    `${run.name} has no workers`,
    HURRIED_MS,
    async () => (await run.pods('worker')).map(({ metadata }) => metadata.name),
    (names) => names.length === 0,
  );
  return Math.round(performance.now() - begunMs);
}

test.serial('a run that is deleted takes all with it, with a coordinator or without one, and says nothing of a failure', async (t) => {
  const { cluster, namespace } = await stage(t);
  const runs = await Promise.all(['led', 'headless'].map(async (name) => working(cluster, namespace, { name })));
  await cluster.kubectl('scale', 'deployment/headless-coordinator', '--replicas=0', '--namespace', namespace);
  await untilSeen(
    'headless has no coordinator',
    GONE_MS,
    async () => (await runs[1]?.pods('coordinator'))?.length,
    (pods) => pods === 0,
  );
  for (const run of runs) {
    const kinds = new Set((await childrenOf(cluster, run)).map(({ kind }) => kind));
    t.deepEqual([...kinds].toSorted(), [
      'ConfigMap',
      'Deployment',
      'PersistentVolumeClaim',
      'Pod',
      'PodDisruptionBudget',
      'ReplicaSet',
      'Secret',
      'Service',
    ]);
  }
  for (const run of runs) await run.delete();
  await Promise.all(
    runs.map(async (run) => {
      const [workersMs, allMs] = await Promise.all([untilNoWorkers(run), untilGone(cluster, run)]);
      t.log(`${run.name}: the workers are gone after ${workersMs} ms, everything after ${allMs} ms`);
    }),
  );
  t.log(await cluster.kubectl('get', 'events', '--namespace', namespace));
  t.log(
    await cluster.kubectl('logs', '--namespace', OPERATOR_NAMESPACE, '-l', 'app.kubernetes.io/component=operator', '--tail=50', '--prefix'),
  );
});

test.serial('a run whose coordinator is on a node that is gone is deleted: what is on the node goes when it is back', async (t) => {
  const { cluster, namespace } = await stage(t);
  const run = await working(cluster, namespace, { name: 'nodeless', parallelism: 3 });
  const node = (await run.pods('coordinator'))[0]?.spec?.nodeName ?? '';
  await cluster.killNode(t, node);
  await run.delete();
  const isThere = new Set((await run.pods('worker')).filter(({ spec }) => spec?.nodeName === node).map(({ metadata }) => metadata.name));
  const but = ({ kind, metadata }: { readonly kind?: string; readonly metadata: { readonly name: string } }): boolean =>
    isThere.has(metadata.name) || kind === 'PersistentVolumeClaim' || (kind === 'Pod' && metadata.name.includes('-coordinator-'));
  t.log(`all else is gone after ${await untilGone(cluster, run, but)} ms`);
  t.true(namesOf(await childrenOf(cluster, run)).includes('PersistentVolumeClaim nodeless-state'));
  await cluster.startNode(node);
  t.log(`the rest after ${await untilGone(cluster, run)} ms`);
});

test.serial('a namespace that is deleted is gone within a minute, with the runs in it', async (t) => {
  const { cluster, namespace } = await stage(t);
  await Promise.all(['one', 'other'].map(async (name) => working(cluster, namespace, { name })));
  const begunMs = performance.now();
  const path = `/api/v1/namespaces/${namespace}`;
  await cluster.api.call('DELETE', path);
  await untilSeen(
    'the namespace is gone',
    GONE_MS,
    async () => cluster.api.find<object>(path),
    (seen) => seen === null,
  );
  t.log(`the namespace is gone after ${Math.round(performance.now() - begunMs)} ms`);
});

test.serial('a run that is made anew under the name of one that was just deleted has nothing of that', async (t) => {
  const { cluster, namespace } = await stage(t);
  const names = ['again', 'anew'];
  const former = await Promise.all(names.map(async (name) => working(cluster, namespace, { name })));
  const before = new Set(
    (await Promise.all(former.map(async (run) => childrenOf(cluster, run)))).flat().map(({ metadata }) => metadata.uid),
  );
  for (const run of former) await run.delete();
  const runs = await Promise.all(
    names.map(async (name, at) => ClusterRun.apply(cluster, namespace, { name, items: 60 + at, parallelism: 2, latency: '100ms' })),
  );
  for (const run of runs) {
    const { metadata } = await run.assertComplete(t);
    for (const child of await childrenOf(cluster, run)) {
      t.false(before.has(child.metadata.uid), `${child.kind} ${child.metadata.name}`);
      if (child.kind === 'Pod' || child.kind === 'ReplicaSet') continue;
      t.deepEqual(
        child.metadata.ownerReferences?.map(({ uid }) => uid),
        [metadata.uid],
        `${child.kind} ${child.metadata.name}`,
      );
    }
  }
});

test.serial('helm uninstall: the run goes on, one that is deleted goes, and the next operator takes up what is there', async (t) => {
  const { cluster, namespace } = await stage(t);
  const [run, other] = await Promise.all([
    working(cluster, namespace, { name: 'stays', items: 700 }),
    working(cluster, namespace, { name: 'goes', podSpec: { terminationGracePeriodSeconds: 15 } }),
  ]);
  const pods = async (): Promise<readonly string[]> =>
    [...(await run.pods('worker')), ...(await run.pods('coordinator'))].map(({ metadata }) => metadata.uid ?? '').toSorted();
  const before = await pods();
  await uninstallOperator(cluster);
  await other.delete();
  t.log(`without an operator a run is gone after ${await untilGone(cluster, other)} ms`);
  t.deepEqual(await pods(), before);
  const { status } = await run.get();
  await installOperator(t, cluster);
  await run.until('its status goes on', (now) => (now.status?.items?.done ?? 0) > (status?.items?.done ?? 0));
  t.deepEqual(await pods(), before);
  await run.assertComplete(t);
});
