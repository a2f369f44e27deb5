import test from 'ava';
import type { ContainerStatus, Pod } from '../../../../operator/kube/kind.ts';
import { workerPod } from '../../../../operator/rollout/desired/worker-pod.ts';
import { workerView } from '../../../../operator/rollout/worker-view.ts';
import { NOW, PODS, runOf } from '../../../support/operator/run-world.ts';

const MADE = workerPod(runOf(), { slot: 3, incarnation: 2 }, [], PODS);

function pod(status: Pod['status'] = {}, metadata: object = {}): Pod {
  const stored = { uid: 'u1', creationTimestamp: '2026-11-30T10:00:00Z', ...metadata };
  return { ...MADE, metadata: { ...MADE.metadata, ...stored }, status };
}

function container(name: string, state: ContainerStatus['state'] = {}, lastState: ContainerStatus['state'] = {}): ContainerStatus {
  return { name, state, lastState, image: '', imageID: '', ready: false, restartCount: 0 };
}

test('a pod tells its place, its template and its node', (t) => {
  t.like(workerView(pod({ phase: 'Running' })), {
    name: 'answers-worker-3-2',
    uid: 'u1',
    slot: 3,
    incarnation: 2,
    template: MADE.metadata.labels?.['rollout.run/template'],
    node: null,
    avoids: [],
    phase: 'running',
    isTerminating: false,
    hasShortGrace: false,
    notice: null,
    createdAtMs: NOW,
    trouble: null,
  });
  const avoiding = workerPod(runOf(), { slot: 3, incarnation: 2 }, ['n1', 'n2'], PODS);
  t.deepEqual(workerView({ ...avoiding, metadata: { ...avoiding.metadata, uid: 'u1' } })?.avoids, ['n1', 'n2']);
  t.is(workerView({ ...pod(), spec: { containers: [], nodeName: 'n1' } })?.node, 'n1');
  t.true(workerView(pod({}, { deletionTimestamp: '2026-11-30T10:00:00Z' }))?.isTerminating);
  const deletion = { deletionTimestamp: '2026-11-30T10:00:00Z' };
  t.false(workerView(pod({}, { ...deletion, deletionGracePeriodSeconds: 60 }))?.hasShortGrace);
  t.true(workerView(pod({}, { ...deletion, deletionGracePeriodSeconds: 5 }))?.hasShortGrace);
  t.is(workerView(pod({}, { deletionTimestamp: '2026-11-30T10:00:00Z' }))?.notice?.reason, 'the pod is being deleted');
});

test('a pod that carries no place is no worker', (t) => {
  const labels = MADE.metadata.labels ?? {};
  for (const change of [{ 'rollout.run/slot': 'x' }, { 'rollout.run/slot': '-1' }, { 'rollout.run/incarnation': '' }])
    t.is(workerView(pod({}, { labels: { ...labels, ...change } })), null, JSON.stringify(change));
  t.is(workerView(pod({}, { labels: {} })), null);
  t.is(workerView(MADE), null, 'nothing is known of a pod that was never stored');
});

test('a pod is over when Kubernetes says so, and waits before it runs', (t) => {
  const phases = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'].map((phase) => workerView(pod({ phase }))?.phase);
  t.deepEqual(phases, ['waiting', 'running', 'succeeded', 'failed', 'waiting']);
  t.is(workerView(pod())?.phase, 'waiting');
});

test('whether its worker has ever run is told from a refusal by a node', (t) => {
  const hasNeverRun = (...containerStatuses: ContainerStatus[]) => workerView(pod({ phase: 'Failed', containerStatuses }))?.hasNeverRun;
  t.true(hasNeverRun());
  t.true(hasNeverRun(container('worker', { waiting: { reason: 'PodInitializing' } })));
  t.true(hasNeverRun(container('sidecar', { running: {} })), 'another container says nothing of it');
  t.false(hasNeverRun(container('worker', { running: {} })));
  t.false(hasNeverRun(container('worker', { terminated: { exitCode: 1 } })));
  t.false(hasNeverRun(container('worker', { waiting: {} }, { terminated: { exitCode: 1 } })));
});

test('trouble is a container that cannot start, with the last line of what it said', (t) => {
  const troubleOf = (one: ContainerStatus) => workerView(pod({ phase: 'Pending', initContainerStatuses: [one] }))?.trouble;
  t.is(
    troubleOf(container('model', { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } })),
    'container model: ImagePullBackOff: no such image',
  );
  const crashed = { terminated: { exitCode: 1, message: 'loading\nout of memory\n' } };
  t.is(
    troubleOf(container('model', { waiting: { reason: 'CrashLoopBackOff' } }, crashed)),
    'container model: CrashLoopBackOff: out of memory',
  );
  t.is(troubleOf(container('model', { waiting: { reason: 'CrashLoopBackOff' } })), 'container model: CrashLoopBackOff');
  for (const reason of ['PodInitializing', 'ContainerCreating']) t.is(troubleOf(container('model', { waiting: { reason } })), null, reason);
});
