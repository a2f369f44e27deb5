import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import type { RolloutRun } from '../../operator/api/run.ts';
import type { Pod } from '../../operator/kube/kind.ts';
import { Refused } from '../support/cluster/api.ts';
import { leaderIn, operatorPid, podOf, untilAnotherLeads } from '../support/cluster/leader.ts';
import { OPERATOR_NAMESPACE } from '../support/cluster/operator.ts';
import { PlaceWatch } from '../support/cluster/place-watch.ts';
import type { ClusterRun } from '../support/cluster/rollout-run.ts';
import type { Cluster } from '../support/cluster/start-cluster.ts';
import { firstWorker, untilReplaced, workingRun } from '../support/cluster/working-run.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** What a status may lag behind. */
const STATUS_MS = 15_000;
const MINUTE_MS = 60_000;
/** Two of a hundred changes may meet a status that is being written. */
const MOST_TRIES = 3;
const HINT = 'aws-node-termination-handler/rebalance-recommendation';

const doneIn = ({ status }: RolloutRun): number => status?.items?.done ?? 0;

async function untilMoreDone(run: ClusterRun): Promise<void> {
  const before = doneIn(await run.get());
  await run.until('more items are done', (now) => doneIn(now) > before, STATUS_MS + PATIENCE_MS);
}

async function deletePod(cluster: Cluster, namespace: string, name: string): Promise<void> {
  await cluster.api.call('DELETE', `/api/v1/namespaces/${namespace}/pods/${name}`);
}

test.serial(
  'the leader is deleted, and the next one killed: another goes on, makes no twins, and withdraws what the last one said',
  async (t) => {
    const { cluster, run } = await workingRun(t, { name: 'led', items: 700, latency: '1s' });
    const places = new PlaceWatch(t, run);

    const first = await leaderIn(cluster);
    const worker = await firstWorker(run);
    await Promise.all([deletePod(cluster, run.namespace, worker.metadata.name), deletePod(cluster, OPERATOR_NAMESPACE, podOf(first))]);
    const begunMs = performance.now();
    const second = await untilAnotherLeads(cluster, first);
    t.log(`another one leads ${Math.round(performance.now() - begunMs)} ms after the deletion of the leader`);
    t.not(podOf(second), podOf(first));
    await untilReplaced(t, run, worker);
    await run.untilReady(3);
    await untilMoreDone(run);

    const held = await firstWorker(run);
    const node = held.spec?.nodeName ?? '';
    t.teardown(async () => cluster.kubectl('taint', 'nodes', node, `${HINT}-`).catch(() => ''));
    await cluster.kubectl('taint', 'nodes', node, `${HINT}=event:PreferNoSchedule`);
    await run.until('the workers of the node take nothing new', ({ status }) => (status?.workers?.ready ?? 0) < 3);
    process.kill(operatorPid(podOf(second)), 'SIGKILL');
    const killedMs = performance.now();
    await cluster.kubectl('taint', 'nodes', node, `${HINT}-`);
    const other = (await run.workers()).find(({ spec }) => spec?.nodeName !== node);
    if (other !== undefined) await deletePod(cluster, run.namespace, other.metadata.name);
    await untilAnotherLeads(cluster, second);
    t.log(`another one leads ${Math.round(performance.now() - killedMs)} ms after the leader was killed`);
    await run.untilReady(3);
    await untilMoreDone(run);

    await run.assertComplete(t);
    const { twins, looks } = await places.end();
    t.true(looks > 50, `${looks} looks`);
    t.deepEqual(twins, []);
  },
);

test.serial(
  'a user changes a run a hundred times, and the API server is away for a minute: the workers go on, and the run completes',
  async (t) => {
    const { cluster, run } = await workingRun(t, { name: 'alone', items: 1_200, latency: '1s' });
    const { generation = 0 } = (await run.get()).metadata;
    for (let n = 0; n < 50; n += 1) await run.patch({ spec: { workers: { parallelism: 2 + (n % 2) } } });
    for (let n = 0; n < 50; n += 1) await put(cluster, run, 2 + (n % 2));
    const edited = await run.get();
    t.deepEqual([edited.metadata.generation, edited.spec.workers.parallelism], [generation + 100, 3], 'nobody has changed the spec back');
    await run.until('the last change is seen', ({ status }) => status?.observedGeneration === edited.metadata.generation);
    await run.untilReady(3);

    const before = await run.workers();
    const [coordinator] = await run.pods('coordinator');
    const doneBefore = doneIn(await run.get());
    const awayMs = performance.now();
    await cluster.stopApi(t);
    await sleep(MINUTE_MS);
    if (cluster.isOwn) {
      // Three workers make twelve items in a second, or six on a machine that has much else to do. The pods of kind are not reached from here.
      const made = (await doneAt(coordinator)) - doneBefore;
      t.log(`${made} items in ${Math.round(performance.now() - awayMs)} ms without the API server`);
      t.true(made > 300, `${made} items`);
    }
    await cluster.startApi();
    const backMs = performance.now();
    await untilMoreDone(run);
    t.log(`the status goes on ${Math.round(performance.now() - backMs)} ms after it is back`);
    const after = new Map((await run.pods('worker')).map((pod) => [pod.metadata.name, pod]));
    for (const { metadata } of before) {
      const pod = after.get(metadata.name);
      t.is(pod?.metadata.uid, metadata.uid, metadata.name);
      t.is(pod?.metadata.deletionTimestamp, undefined, metadata.name);
      t.deepEqual(
        pod?.status?.containerStatuses?.map(({ restartCount }) => restartCount),
        [0],
        metadata.name,
      );
    }
    await run.assertComplete(t);
  },
);

/** As a client does that has read the run and writes it back whole. */
async function put(cluster: Cluster, run: ClusterRun, parallelism: number): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const read = await run.get();
    try {
      await cluster.api.call('PUT', run.path, { ...read, spec: { ...read.spec, workers: { ...read.spec.workers, parallelism } } });
      return;
    } catch (error) {
      if (!(error instanceof Refused && error.status === 409) || tries === MOST_TRIES) throw error;
    }
  }
}

/** Without the API server it is known to nobody but the coordinator. */
async function doneAt(coordinator: Pod | undefined): Promise<number> {
  const answer = await fetch(`http://${coordinator?.status?.podIP}:9464/health`);
  const { progress } = (await answer.json()) as { readonly progress: { readonly done: number } };
  return progress.done;
}
