import test from 'ava';
import type { Event } from '../../operator/kube/kind.ts';
import { childrenOf, GONE_MS, untilGone } from '../support/cluster/children.ts';
import { deletionStage, untilNoWorkers, working } from '../support/cluster/going-run.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { OPERATOR_NAMESPACE } from '../support/cluster/operator.ts';
import { ClusterRun } from '../support/cluster/rollout-run.ts';
import type { Cluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';

/** As the operator's log has it. */
const WARNING = 40;
const KINDS = ['ConfigMap', 'Deployment', 'PersistentVolumeClaim', 'Pod', 'PodDisruptionBudget', 'ReplicaSet', 'Secret', 'Service'];

async function untilNoNamespace({ api }: Cluster, name: string): Promise<void> {
  await untilSeen(
    `the namespace ${name} is gone`,
    GONE_MS,
    async () => api.find<object>(`/api/v1/namespaces/${name}`),
    (seen) => seen === null,
  );
}

/** What the operator has to say of these namespaces, or of none, that somebody should look at. */
async function warningsOf(cluster: Cluster, sinceMs: number, namespaces: readonly string[]): Promise<readonly string[]> {
  const since = `--since-time=${new Date(sinceMs).toISOString()}`;
  const of = ['--namespace', OPERATOR_NAMESPACE, '--selector', 'app.kubernetes.io/component=operator'];
  const lines = (await cluster.kubectl('logs', ...of, '--tail=-1', since)).split('\n').filter((line) => line !== '');
  return lines.filter((line) => {
    const { level, namespace } = JSON.parse(line) as { readonly level: number; readonly namespace?: string };
    return level >= WARNING && (namespace === undefined || namespaces.includes(namespace));
  });
}

test.serial(
  'runs and a namespace that are deleted in mid-run are gone, nothing has failed, and a run of the same name has nothing of the former one',
  async (t) => {
    const { cluster, namespace } = await deletionStage(t);
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
    t.deepEqual(await warningsOf(cluster, begunMs, [namespace, other]), []);
  },
);
