import test from 'ava';
import type { Pod } from '../../../../operator/kube/kind.ts';
import { formerWorkers } from '../../../../operator/rollout/former-workers.ts';
import { workerPodOf } from '../../../support/operator/pods.ts';

const [OLD, NEW] = ['uid-of-the-former', 'uid-of-the-present'];

function workerOfRun(uid: string | null, metadata: object = {}): Pod {
  const owner = { apiVersion: 'rollout.run/v1alpha1', kind: 'RolloutRun', name: 'answers', uid: uid ?? '', controller: true };
  return workerPodOf(0, { phase: 'Running' }, { ...(uid === null ? {} : { ownerReferences: [owner] }), ...metadata });
}

test('a worker whose run is gone, or has a successor of its name, is ended soon', (t) => {
  const worker = workerOfRun(OLD);
  t.deepEqual(formerWorkers([worker], null), [worker]);
  t.deepEqual(formerWorkers([worker, workerOfRun(NEW)], NEW), [worker]);
});

test('one that is being deleted gets less time, once', (t) => {
  const deletionTimestamp = '2026-11-30T10:01:00Z';
  const slow = workerOfRun(OLD, { deletionTimestamp, deletionGracePeriodSeconds: 60 });
  t.deepEqual(formerWorkers([slow, workerOfRun(OLD, { deletionTimestamp, deletionGracePeriodSeconds: 5 })], null), [slow]);
});

test('a pod that has been made an orphan is left alone', (t) => {
  t.deepEqual(formerWorkers([workerOfRun(null)], null), []);
});
