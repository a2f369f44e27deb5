import test from 'ava';
import { ApiError } from '../../../../operator/kube/api-error.ts';
import { NAMESPACE } from '../../../../operator/kube/kind.ts';
import { isNamespaceEnding } from '../../../../operator/rollout/ending-namespace.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { coordinatorOf, seenOf, workerOf } from '../../../support/operator/run-world.ts';

const LEAVING = { isTerminating: true };
const ALL_LEAVE = seenOf({ workers: [workerOf(0, LEAVING), workerOf(1, LEAVING)], coordinators: [coordinatorOf(LEAVING)] });
const metadata = { name: 'team', deletionTimestamp: '2026-11-30T10:00:00Z' };

test('a namespace is asked about where all pods of a run are ending', async (t) => {
  const cluster = new MemoryCluster();
  cluster.put(NAMESPACE, { metadata: { name: 'team' } });
  t.false(await isNamespaceEnding(cluster, ALL_LEAVE));
  cluster.put(NAMESPACE, { metadata });
  t.true(await isNamespaceEnding(cluster, ALL_LEAVE));
  t.true(await isNamespaceEnding(cluster, { ...ALL_LEAVE, coordinators: [] }), 'its coordinator is gone already');
});

test('where one stays, or there is no worker, nothing is asked', async (t) => {
  const cluster = new MemoryCluster();
  cluster.put(NAMESPACE, { metadata });
  const coordinators = [coordinatorOf(LEAVING)];
  for (const seen of [
    seenOf({ workers: [workerOf(0, LEAVING), workerOf(1)], coordinators }),
    { ...ALL_LEAVE, coordinators: [coordinatorOf()] },
    { ...ALL_LEAVE, workers: [] },
  ])
    t.false(await isNamespaceEnding(cluster, seen));
  t.deepEqual(cluster.reads, []);
});

test('an operator that may not ask goes on as in any other namespace; that nobody answers is an error', async (t) => {
  const failing = (error: Error): MemoryCluster => Object.assign(new MemoryCluster(), { get: async () => Promise.reject(error) });
  t.false(await isNamespaceEnding(failing(new ApiError(403, 'forbidden')), ALL_LEAVE));
  await t.throwsAsync(isNamespaceEnding(failing(new ApiError(500, 'away')), ALL_LEAVE), { message: 'away' });
});
