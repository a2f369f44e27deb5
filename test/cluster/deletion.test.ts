import test, { type ExecutionContext } from 'ava';
import type { Event } from '../../operator/kube/kind.ts';
import type { KubeObject } from '../../operator/kube/object.ts';
import { childrenOf, GONE_MS, namesOf, untilGone } from '../support/cluster/children.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator, OPERATOR_NAMESPACE, uninstallOperator } from '../support/cluster/operator.ts';
import { ClusterRun, type RunPlan } from '../support/cluster/rollout-run.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';

/** Runs go away, each in the middle of its work, with workers whose grace period is a minute. */

/** Longer than what such workers are given, and far from their own period. */
const SHORTENED_MS = 30_000;
const LONG = 3_000;
/** As the operator's log has it. */
const WARNING = 40;
const KINDS = ['ConfigMap', 'Deployment', 'PersistentVolumeClaim', 'Pod', 'PodDisruptionBudget', 'ReplicaSet', 'Secret', 'Service'];

async function stage(t: ExecutionContext): Promise<{ readonly cluster: Cluster; readonly namespace: string }> {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  return { cluster, namespace: await testNamespace(t, cluster) };
}

/** A run that has recorded something, and has much left to do. */
async function working(cluster: Cluster, namespace: string, plan: Partial<RunPlan> & { readonly name: string }): Promise<ClusterRun> {
  const run = await ClusterRun.apply(cluster, namespace, { items: LONG, parallelism: 1, ...plan });
  await run.untilRecorded(1);
  return run;
}

async function untilNoWorkers(run: ClusterRun): Promise<number> {
  const begunMs = performance.now();
  await untilSeen(
    `${run.name} has no workers`,
    SHORTENED_MS,
    async () => (await run.pods('worker')).map(({ metadata }) => metadata.name),
    (names) => names.length === 0,
  );
  return Math.round(performance.now() - begunMs);
}

async function untilNoNamespace({ api }: Cluster, name: string): Promise<void> {
  await untilSeen(
    `the namespace ${name} is gone`,
    GONE_MS,
    async () => api.find<object>(`/api/v1/namespaces/${name}`),
    (seen) => seen === null,
  );
}

/** What the operator has to say that somebody should look at. */
async function warningsOf(cluster: Cluster, sinceMs: number): Promise<readonly string[]> {
  const since = `--since-time=${new Date(sinceMs).toISOString()}`;
  const of = ['--namespace', OPERATOR_NAMESPACE, '--selector', 'app.kubernetes.io/component=operator'];
  const lines = (await cluster.kubectl('logs', ...of, '--tail=-1', since)).split('\n').filter((line) => line !== '');
  return lines.filter((line) => (JSON.parse(line) as { readonly level: number }).level >= WARNING);
}

test.serial(
  'runs and a namespace that are deleted in mid-run are gone, nothing has failed, and a run of the same name has nothing of the former one',
  async (t) => {
    const { cluster, namespace } = await stage(t);
    const other = await testNamespace(t, cluster);
    const [led, headless, former] = await Promise.all([
      working(cluster, namespace, { name: 'led', parallelism: 2 }),
      working(cluster, namespace, { name: 'headless' }),
      working(cluster, namespace, { name: 'again' }),
      working(cluster, other, { name: 'inside' }),
    ]);
    await cluster.kubectl('scale', 'deployment/headless-coordinator', '--replicas=0', '--namespace', namespace);
    await untilSeen(
      'headless has no coordinator',
      GONE_MS,
      async () => (await headless.pods('coordinator')).length,
      (pods) => pods === 0,
    );
    for (const run of [led, headless]) {
      const kinds = new Set((await childrenOf(cluster, run)).map(({ kind }) => kind ?? ''));
      t.deepEqual([...kinds].toSorted(), KINDS);
    }
    const formerUids = (await childrenOf(cluster, former)).map(({ metadata }) => metadata.uid);

    const begunMs = Date.now();
    await Promise.all([led.delete(), headless.delete(), former.delete(), cluster.api.call('DELETE', `/api/v1/namespaces/${other}`)]);
    const again = await ClusterRun.apply(cluster, namespace, { name: 'again', items: 30, parallelism: 1, latency: '100ms' });
    const seen = async (run: ClusterRun): Promise<void> => {
      const [workersMs, allMs] = await Promise.all([untilNoWorkers(run), untilGone(cluster, run)]);
      t.log(`${run.name}: the workers are gone after ${workersMs} ms, everything after ${allMs} ms`);
    };
    await Promise.all([seen(led), seen(headless), untilNoNamespace(cluster, other)]);
    t.log(`the namespace is gone after ${Date.now() - begunMs} ms`);

    const { metadata } = await again.assertComplete(t);
    for (const child of await childrenOf(cluster, again)) {
      const what = `${child.kind} ${child.metadata.name}`;
      t.false(formerUids.includes(child.metadata.uid), `${what} is of the former run`);
      const owners = child.metadata.ownerReferences?.map(({ uid }) => uid);
      if (child.kind !== 'Pod' && child.kind !== 'ReplicaSet') t.deepEqual(owners, [metadata.uid], what);
    }
    const events = await cluster.api.list<Event>(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
    // That headless lacks its coordinator is told.
    const isWarned = ({ type, regarding }: Event): boolean =>
      type === 'Warning' && regarding?.kind === 'RolloutRun' && regarding.name !== 'headless';
    t.deepEqual(events.filter(isWarned), []);
    t.deepEqual(await warningsOf(cluster, begunMs), []);
  },
);

test.serial('a run whose coordinator is on a node that is gone is deleted: what is on that node goes when it is back', async (t) => {
  const { cluster, namespace } = await stage(t);
  const run = await working(cluster, namespace, { name: 'nodeless', parallelism: 3 });
  const node = (await run.pods('coordinator'))[0]?.spec?.nodeName ?? '';
  await cluster.killNode(t, node);
  await run.delete();
  const there = new Set((await run.pods('worker')).filter(({ spec }) => spec?.nodeName === node).map(({ metadata }) => metadata.name));
  const isThere = ({ kind, metadata: { name } }: KubeObject): boolean =>
    there.has(name) || (kind === 'Pod' && name.startsWith('nodeless-coordinator-')) || kind === 'PersistentVolumeClaim';
  t.log(`all else is gone after ${await untilGone(cluster, run, isThere)} ms`);
  t.true(namesOf(await childrenOf(cluster, run)).includes('PersistentVolumeClaim nodeless-state'));
  await cluster.startNode(node);
  t.log(`the rest after ${await untilGone(cluster, run)} ms`);
});

test.serial('helm uninstall: the run goes on, one that is deleted goes, and the next operator takes up what is there', async (t) => {
  const { cluster, namespace } = await stage(t);
  const [run, other] = await Promise.all([
    working(cluster, namespace, { name: 'stays', items: 240, parallelism: 1, latency: '1s' }),
    working(cluster, namespace, { name: 'goes' }),
  ]);
  const pods = async (): Promise<readonly string[]> =>
    [...(await run.pods('worker')), ...(await run.pods('coordinator'))].map(({ metadata }) => metadata.uid ?? '').toSorted();
  const before = await pods();
  await uninstallOperator(cluster);
  await other.delete();
  const [workersMs, allMs] = await Promise.all([untilNoWorkers(other), untilGone(cluster, other)]);
  t.log(`without an operator its workers are gone after ${workersMs} ms, everything after ${allMs} ms`);
  t.deepEqual(await pods(), before);
  const { status } = await run.get();
  await installOperator(t, cluster);
  await run.until('its status goes on', (now) => (now.status?.items?.done ?? 0) > (status?.items?.done ?? 0));
  t.deepEqual(await pods(), before);
  await run.patch({ spec: { workers: { parallelism: 4 } } });
  await run.assertComplete(t);
});
