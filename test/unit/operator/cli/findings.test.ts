import test from 'ava';
import type { Condition } from '../../../../operator/api/conditions.ts';
import { findingsOf } from '../../../../operator/cli/findings.ts';
import type { Pod } from '../../../../operator/kube/kind.ts';
import { coordinatorPodOf, waiting, workerPodOf } from '../../../support/operator/pods.ts';
import { NOW, runOf } from '../../../support/operator/run-world.ts';
import { time } from '../../../support/operator/time.ts';

const condition = (type: string, status: Condition['status'], reason: string, message = 'why'): Condition => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: time(-60),
});
const WELL = [condition('InputReady', 'True', 'InputFound'), condition('Progressing', 'True', 'ItemsRunning')];
const BORN = { creationTimestamp: time(-600) };

function found(conditions: readonly Condition[], pods: readonly Pod[], spec: object = {}, metadata: object = {}): readonly string[] {
  const run = runOf(spec, { observedGeneration: 2, conditions }, { ...BORN, ...metadata });
  return findingsOf(run, pods, NOW).map(({ what }) => what);
}

const PODS = [coordinatorPodOf(), workerPodOf(0)];

test('a run that goes on has nothing in its way', (t) => {
  t.deepEqual(found(WELL, PODS), []);
});

test('a condition that is not as it should be comes with the command that helps', (t) => {
  const run = runOf(
    {},
    { observedGeneration: 2, conditions: [condition('InputReady', 'False', 'InputNotFound', 'there is no ConfigMap')] },
    BORN,
  );
  t.deepEqual(findingsOf(run, [], NOW), [
    { what: 'InputReady is False (InputNotFound): there is no ConfigMap', help: ['kubectl get configmaps,persistentvolumeclaims -n team'] },
  ]);
});

test('a reason that is not known here has no command', (t) => {
  t.deepEqual(found([condition('Progressing', 'False', 'SomethingNew')], PODS), ['Progressing is False (SomethingNew): why']);
});

test('pods with the same trouble are told once', (t) => {
  const pods = [coordinatorPodOf(), ...[0, 1, 2].map((slot) => workerPodOf(slot, waiting('model', 'ImagePullBackOff', 'not found')))];
  t.deepEqual(found(WELL, pods), ['answers-worker-0-0 and 2 more, container model, has no image: ImagePullBackOff: not found']);
});

test('a run whose coordinator has no pod says so', (t) => {
  t.deepEqual(found(WELL, []), ['there is no pod of a coordinator']);
});

test('what was asked for is a cause: suspended, no workers, another controller', (t) => {
  t.deepEqual(found(WELL, [], { suspend: true }), ['it is suspended (spec.suspend)']);
  t.deepEqual(found(WELL, PODS, { workers: { parallelism: 0 } }), ['it is to have no workers (spec.workers.parallelism is 0)']);
  t.regex(found([], [], { managedBy: 'kueue.x-k8s.io/multikueue' }).join(), /another controller works on the run/);
});

test('a change that the operator has not seen', (t) => {
  t.deepEqual(found(WELL, PODS, {}, { generation: 3 }), ['the operator has not seen the last change of the run yet']);
});

test('a run that no operator has seen: a moment is nothing, half a minute is', (t) => {
  const unseen = (age: number): string => findingsOf(runOf({}, undefined, { creationTimestamp: time(-age) }), [], NOW)[0]?.what ?? '';
  t.regex(unseen(5), /it was created a moment ago/);
  t.regex(unseen(60), /no operator has seen it: none runs/);
});

test('a run that is being deleted, and one that waits for the operator to clean up', (t) => {
  t.deepEqual(found(WELL, PODS, {}, { deletionTimestamp: time(0) }), ['it is being deleted']);
  t.regex(
    found(WELL, PODS, {}, { deletionTimestamp: time(0), finalizers: ['rollout.run/redis-keys'] }).join(),
    /waits for rollout\.run\/redis-keys/,
  );
});

test('a run that is complete, and one that has failed', (t) => {
  t.deepEqual(found([condition('Complete', 'True', 'AllItemsDone', '10 items')], []), ['it is complete: 10 items']);
  t.deepEqual(found([condition('Failed', 'True', 'DeadlineExceeded')], []), ['Failed is True (DeadlineExceeded): why']);
});

test('that nodes are not watched is for information alone', (t) => {
  t.regex(found([...WELL, condition('NodeSignalsAvailable', 'False', 'NodesForbidden')], PODS).join(), /^for your information: /);
});
