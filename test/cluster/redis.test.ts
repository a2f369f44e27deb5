import { spawn } from 'node:child_process';
import test, { type ExecutionContext } from 'ava';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { partsOf } from '../support/cluster/recorded-parts.ts';
import { ClusterRun } from '../support/cluster/rollout-run.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** Of this machine, as the pods of the cluster reach it. */
const HOST = '10.250.0.1';
const PASSWORD = 'for-this-test-alone';

/** A server beside the cluster, as most users have theirs. */
async function redisBeside(t: ExecutionContext): Promise<string> {
  const port = await freePort();
  const args = ['--port', String(port), '--bind', HOST, '--requirepass', PASSWORD, '--dir', temporaryDir(t), '--save', ''];
  const server = spawn('redis-server', [...args, '--appendonly', 'yes', '--appendfsync', 'always'], { stdio: 'ignore' });
  t.teardown(() => server.kill('SIGKILL'));
  return `redis://${HOST}:${port}`;
}

test.serial(
  'two coordinators on a Redis server: the second one takes over from a node that is gone, and the results are read from the server',
  async (t) => {
    t.timeout(600_000);
    const cluster = await startCluster({ nodes: 3 });
    if (!cluster.isOwn) return t.log('the pods of this cluster may not reach a server of this machine');
    await installOperator(t, cluster);
    const namespace = await testNamespace(t, cluster);
    const url = await redisBeside(t);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'redis' }, stringData: { url, password: PASSWORD } };
    await cluster.applyYaml(namespace, JSON.stringify(secret));
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
    await cluster.killNode(t, primary?.spec?.nodeName ?? '');
    await run.until('the other one leads', ({ status: now }) => (now?.coordinator?.epoch ?? 0) > (status?.coordinator?.epoch ?? 0));
    t.log(`the other one leads after ${Math.round(performance.now() - begunMs)} ms`);
    await run.assertComplete(t);
  },
);

test.serial('of a suspended run on a Redis server, what is recorded and what is left are its list; then it goes on', async (t) => {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  if (!cluster.isOwn) return t.log('the pods of this cluster may not reach a server of this machine');
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster);
  const url = await redisBeside(t);
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'redis' }, stringData: { url, password: PASSWORD } };
  await cluster.applyYaml(namespace, JSON.stringify(secret));
  const coordinator = { store: { redis: { secretRef: { name: 'redis' } } } };
  const run = await ClusterRun.apply(cluster, namespace, { name: 'paused', items: 200, spec: { coordinator } });
  await run.untilRecorded(20);
  await run.patch({ spec: { suspend: true } });
  await run.untilCondition('Suspended', 'True');
  const { recorded, left } = await partsOf(t, cluster, run);
  t.true(recorded.length >= 20 && left.length > 0);
  t.deepEqual([...recorded, ...left].toSorted(), Array.from({ length: 200 }, (_, at) => `item-${at}`).toSorted());
  await run.patch({ spec: { suspend: false } });
  await run.assertComplete(t);
});
