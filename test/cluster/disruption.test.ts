import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import test, { type ExecutionContext } from 'ava';
import type { Pod } from '../../operator/kube/kind.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { ClusterRun, type RunPlan } from '../support/cluster/rollout-run.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** From the news of a disruption until a pod in its place is there, with room for a machine that has much else to do. */
const REPLACED_MS = 30_000;

async function working(t: ExecutionContext, plan: RunPlan): Promise<{ readonly cluster: Cluster; readonly run: ClusterRun }> {
  t.timeout(600_000);
  const cluster = await startCluster({ nodes: 3 });
  await installOperator(t, cluster);
  const run = await ClusterRun.apply(cluster, await testNamespace(t, cluster), plan);
  await run.untilReady(plan.parallelism ?? 3);
  await run.untilRecorded(1);
  return { cluster, run };
}

async function firstWorker(run: ClusterRun): Promise<Pod> {
  const [worker] = await run.workers();
  if (worker === undefined) throw new Error('no worker runs');
  return worker;
}

/** The successor has the same place, and the next number. */
async function untilReplaced(t: ExecutionContext, run: ClusterRun, { metadata }: Pod): Promise<Pod> {
  const place = metadata.name.replace(/-\d+$/, '');
  const begunMs = performance.now();
  const all = await untilSeen(
    `${metadata.name} has a successor`,
    REPLACED_MS,
    async () => run.pods('worker'),
    (pods) => pods.some((pod) => pod.metadata.name !== metadata.name && pod.metadata.name.replace(/-\d+$/, '') === place),
  );
  t.log(`a successor after ${Math.round(performance.now() - begunMs)} ms`);
  return all.find((pod) => pod.metadata.name !== metadata.name && pod.metadata.name.replace(/-\d+$/, '') === place) as Pod;
}

test.serial('a worker that is deleted is replaced, and each item has one record', async (t) => {
  const { cluster, run } = await working(t, { name: 'deleted', items: 300 });
  const worker = await firstWorker(run);
  await cluster.api.call('DELETE', `/api/v1/namespaces/${run.namespace}/pods/${worker.metadata.name}`);
  await untilReplaced(t, run, worker);
  await run.assertComplete(t);
});

test.serial('a worker whose process is killed is started again beside its outbox', async (t) => {
  const { run } = await working(t, { name: 'killed', items: 300 });
  const worker = await firstWorker(run);
  process.kill(pidOf(worker.metadata.name), 'SIGKILL');
  await untilSeen(
    'its container has been started again',
    REPLACED_MS,
    async () => (await run.pods('worker')).find(({ metadata }) => metadata.name === worker.metadata.name) ?? null,
    (pod) => pod?.status?.containerStatuses?.some(({ restartCount, state }) => restartCount === 1 && state?.running !== undefined) === true,
  );
  await run.assertComplete(t);
});

/** The processes of a cluster of this machine are seen from outside. */
function pidOf(workerId: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const args = readCommand(pid);
    if (args.includes('--worker-id') && args.includes(workerId)) return Number(pid);
  }
  throw new Error(`no process of the worker ${workerId} is seen on this machine`);
}

function readCommand(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  } catch {
    return [];
  }
}

test.serial('a taint of a spot interruption: its workers leave in time, without a failure, and work elsewhere', async (t) => {
  const { cluster, run } = await working(t, { name: 'tainted', items: 600 });
  const worker = await firstWorker(run);
  const node = worker.spec?.nodeName ?? '';
  t.teardown(async () => cluster.kubectl('taint', 'nodes', node, 'aws-node-termination-handler/spot-itn-').catch(() => ''));
  await cluster.kubectl('taint', 'nodes', node, 'aws-node-termination-handler/spot-itn=event:NoSchedule');
  const successor = await untilReplaced(t, run, worker);
  await untilSeen(
    'no worker is left on the node',
    PATIENCE_MS,
    async () => (await run.pods('worker')).filter(({ spec, status }) => spec?.nodeName === node && status?.phase === 'Running'),
    (pods) => pods.length === 0,
  );
  const placed = (await run.pods('worker')).find(({ metadata }) => metadata.name === successor.metadata.name);
  t.not(placed?.spec?.nodeName, node);
  await run.assertComplete(t);
});

test.serial('a node that is gone without a word: its workers are replaced, and what they had runs again', async (t) => {
  const { cluster, run } = await working(t, { name: 'lost', items: 900 });
  const [coordinator] = await run.pods('coordinator');
  const worker = (await run.workers()).find(({ spec }) => spec?.nodeName !== coordinator?.spec?.nodeName);
  if (worker === undefined) return t.fail('all workers are on the node of the coordinator');
  await cluster.killNode(t, worker.spec?.nodeName ?? '');
  // The cluster itself takes 15 s to count a silent node as lost.
  await untilReplaced(t, run, worker);
  await run.assertComplete(t);
});

test.serial('the coordinator is killed in mid-run, and its pod deleted: the run goes on under the next epoch', async (t) => {
  const { cluster, run } = await working(t, { name: 'headless', items: 600 });
  for (const epoch of [1, 2]) {
    const [coordinator] = await run.pods('coordinator');
    await cluster.api.call('DELETE', `/api/v1/namespaces/${run.namespace}/pods/${coordinator?.metadata.name}`);
    await run.until(`epoch ${epoch}`, ({ status }) => (status?.coordinator?.epoch ?? 0) >= epoch, 2 * PATIENCE_MS);
    await run.untilCondition('CoordinatorAvailable', 'True');
  }
  await run.assertComplete(t);
});
