import test from 'ava';
import type { Pod } from '../../../../operator/kube/kind.ts';
import type { KubeObject } from '../../../../operator/kube/object.ts';
import { inTheWay, type NamedStore } from '../../../../operator/rollout/in-the-way.ts';
import { workerPodOf } from '../../../support/operator/pods.ts';
import { NOW, runOf } from '../../../support/operator/run-world.ts';

const RUN = runOf();
const OTHER_UID = '0193746f-8b1c-7e2a-9f00-000000000000';

function ownedBy(uid: string): Pick<KubeObject['metadata'], 'ownerReferences'> {
  return { ownerReferences: [{ apiVersion: 'rollout.run/v1alpha1', kind: 'RolloutRun', name: 'answers', uid, controller: true }] };
}

/** A store of one object of the namespace `team`. */
function storeOf(kind: string, name: string, metadata: object): NamedStore {
  const object = { metadata: { name, namespace: 'team', ...metadata } };
  return { kind: { kind }, store: { get: (key) => (key === `team/${name}` ? object : undefined) } };
}

function found(run: typeof RUN, stores: readonly NamedStore[], workers: readonly Pod[] = []): readonly string[] {
  return inTheWay(run, stores, workers, NOW);
}

test('children of an earlier run, and those of nobody, are in the way; its own, and other names, are not', (t) => {
  const former = ownedBy(OTHER_UID);
  t.deepEqual(found(RUN, [storeOf('PersistentVolumeClaim', 'answers-state', former)]), ['PersistentVolumeClaim answers-state']);
  t.deepEqual(found(RUN, [storeOf('Service', 'answers-coordinator', {})]), ['Service answers-coordinator']);
  t.deepEqual(found(RUN, [storeOf('ConfigMap', 'answers-config', ownedBy(RUN.metadata.uid))]), []);
  t.deepEqual(found(RUN, [storeOf('PersistentVolumeClaim', 'questions-state', former)]), []);
});

test('of Secrets those count that the run makes itself', (t) => {
  const former = storeOf('Secret', 'answers-worker-tls', ownedBy(OTHER_UID));
  t.deepEqual(found(RUN, [former]), ['Secret answers-worker-tls']);
  const issuerRef = { name: 'company', kind: 'Issuer' };
  t.deepEqual(found(runOf({ certificates: { mode: 'certManager', issuerRef } }), [former]), []);
});

test('workers of an earlier run are waited for until they should have been gone', (t) => {
  const former = ownedBy(OTHER_UID);
  t.deepEqual(found(RUN, [], [workerPodOf(0, {}, former)]), ['Pod answers-worker-0-0']);
  const leaving = (afterMs: number): Pod => workerPodOf(0, {}, { ...former, deletionTimestamp: new Date(NOW + afterMs).toISOString() });
  t.deepEqual(found(RUN, [], [leaving(1_000)]), ['Pod answers-worker-0-0']);
  t.deepEqual(found(RUN, [], [leaving(-1_000)]), [], 'its node is gone');
  t.deepEqual(found(RUN, [], [workerPodOf(0, {}, ownedBy(RUN.metadata.uid))]), []);
});
