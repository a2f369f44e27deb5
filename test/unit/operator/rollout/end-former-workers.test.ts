import test from 'ava';
import { ROLLOUT_RUN } from '../../../../operator/api/run.ts';
import { POD, type Pod } from '../../../../operator/kube/kind.ts';
import { Store } from '../../../../operator/kube/store.ts';
import { type Caches, WORKERS, workersRun } from '../../../../operator/rollout/caches.ts';
import { workerPod } from '../../../../operator/rollout/desired/worker-pod.ts';
import { endFormerWorkers } from '../../../../operator/rollout/end-former-workers.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { PODS, runOf } from '../../../support/operator/run-world.ts';

const RUN = runOf();
const WORKER: Pod = workerPod(RUN, { slot: 0, incarnation: 0 }, [], PODS);

function stage() {
  const cluster = new MemoryCluster();
  const store = new Store<Pod>({ [WORKERS]: workersRun });
  const pod = { ...WORKER, metadata: { ...WORKER.metadata, uid: 'w0' } };
  cluster.put(POD, pod);
  store.put(pod);
  return { cluster, caches: { pods: { store } } as unknown as Caches };
}

test('the workers of a run that is gone are ended', async (t) => {
  const { cluster, caches } = stage();
  await endFormerWorkers(cluster, caches, 'team/answers', undefined);
  t.deepEqual(cluster.writes, ['delete Pod answers-worker-0-0']);
});

test('a cache that does not have the run yet costs no worker', async (t) => {
  const { cluster, caches } = stage();
  cluster.put(ROLLOUT_RUN, RUN);
  await endFormerWorkers(cluster, caches, 'team/answers', undefined);
  t.deepEqual(cluster.writes, []);
});

test('where all workers are those of the run nothing is asked', async (t) => {
  const { cluster, caches } = stage();
  await endFormerWorkers(cluster, caches, 'team/answers', RUN);
  t.deepEqual([cluster.reads, cluster.writes], [[], []]);
});
