import test from 'ava';
import { redisStage } from '../support/cluster/redis-stage.ts';
import { ClusterRun } from '../support/cluster/rollout-run.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { untilReplaced, workingRun } from '../support/cluster/working-run.ts';
import { PATIENCE_MS } from '../support/until.ts';

test.serial('a node that is gone without a word: its workers are replaced, and what they had runs again', async (t) => {
  const { cluster, run } = await workingRun(t, { name: 'lost', items: 900 });
  const [coordinator] = await run.pods('coordinator');
  const worker = (await run.workers()).find(({ spec }) => spec?.nodeName !== coordinator?.spec?.nodeName);
  if (worker === undefined) return t.fail('all workers are on the node of the coordinator');
  const node = worker.spec?.nodeName ?? '';
  await cluster.killNode(t, node);
  // The cluster itself takes 15 s to count a silent node as lost.
  await untilReplaced(t, run, worker);
  await run.untilEnd();
  // Before the results are read: that waits for pods that nobody can end.
  await cluster.startNode(node);
  const { status } = await run.assertComplete(t);
  t.log(`${status?.items?.redone} items were executed again`);
});

test.serial('the node of the coordinator is gone: on a volume that other nodes reach the run goes on elsewhere', async (t) => {
  const store = { embedded: { storageClassName: 'test-network' } };
  const { cluster, run } = await workingRun(t, { name: 'moved', items: 900, spec: { coordinator: { store } } });
  const [coordinator] = await run.pods('coordinator');
  const begunMs = performance.now();
  await cluster.killNode(t, coordinator?.spec?.nodeName ?? '');
  await run.until('the next epoch', ({ status }) => (status?.coordinator?.epoch ?? 0) >= 1);
  t.log(`another coordinator leads after ${Math.round(performance.now() - begunMs)} ms`);
  await run.assertComplete(t);
});

test.serial(
  'two coordinators on a Redis server: the second one takes over from a node that is gone, and the results are read from the server',
  async (t) => {
    const stage = await redisStage(t);
    if (stage === null) return;
    const { cluster, namespace } = stage;
    const coordinator = { replicas: 2, store: { redis: { secretRef: { name: 'redis' } } } };
    const run = await ClusterRun.apply(cluster, namespace, { name: 'shared', items: 900, spec: { coordinator } });
    await run.untilReady(3);
    const pods = await untilSeen(
      'two coordinators are ready',
      PATIENCE_MS,
      async () => run.pods('coordinator'),
      (all) =>
        all.filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True')).length === 2,
    );
    t.is(new Set(pods.map(({ spec }) => spec?.nodeName)).size, 2, 'each on a node of its own');
    const { status } = await run.untilRecorded(1);
    const primary = pods.find(({ metadata }) => metadata.name === status?.coordinator?.pod);
    t.truthy(primary, status?.coordinator?.pod);
    const begunMs = performance.now();
    const node = primary?.spec?.nodeName ?? '';
    await cluster.killNode(t, node);
    await run.until('the other one leads', ({ status: now }) => (now?.coordinator?.epoch ?? 0) > (status?.coordinator?.epoch ?? 0));
    t.log(`the other one leads after ${Math.round(performance.now() - begunMs)} ms`);
    await run.untilEnd();
    await cluster.startNode(node);
    await run.assertComplete(t);
  },
);
