import test from 'ava';
import type { Node, Secret } from '../../../../operator/kube/kind.ts';
import { coordinatorView } from '../../../../operator/rollout/coordinator-view.ts';
import { metadataOnly, trimmedNode, trimmedPod, withoutManaged } from '../../../../operator/rollout/trimmed.ts';
import { workerView } from '../../../../operator/rollout/worker-view.ts';
import { coordinatorPodOf, waiting, workerPodOf } from '../../../support/operator/pods.ts';

const MANAGED = { managedFields: [{ manager: 'kubelet' }] };

test('managedFields are kept of no object', (t) => {
  const secret: Secret = { metadata: { name: 'a', uid: 'u', resourceVersion: '7', ...MANAGED }, data: { 'ca.crt': 'eA==' } };
  t.deepEqual(withoutManaged(secret), { metadata: { name: 'a', uid: 'u', resourceVersion: '7' }, data: { 'ca.crt': 'eA==' } });
  t.deepEqual(metadataOnly(secret), { kind: undefined, apiVersion: undefined, metadata: { name: 'a', uid: 'u', resourceVersion: '7' } });
});

test('a trimmed pod says the same to a plan, and has nothing of its containers and volumes', (t) => {
  const status = { phase: 'Pending', podIP: '10.0.0.1', hostIP: '10.0.0.9', containerStatuses: [waiting('worker', 'ImagePullBackOff')] };
  const whole = { ...workerPodOf(1, status, MANAGED), spec: { nodeName: 'n', containers: [{ name: 'worker' }], volumes: [{ name: 'v' }] } };
  const trimmed = trimmedPod(whole);
  t.deepEqual(workerView(trimmed), workerView(whole));
  t.deepEqual(trimmed.spec, { containers: [], nodeName: 'n' });
  t.deepEqual(Object.keys(trimmed.status ?? {}), ['phase', 'podIP', 'containerStatuses']);
  t.is(trimmed.metadata.managedFields, undefined);
});

test('how the containers of a coordinator ended is kept, those that run before it too', (t) => {
  const terminated = { exitCode: 2, message: 'rollout: no such file' };
  const state = { terminated };
  const whole = coordinatorPodOf({ phase: 'Pending', initContainerStatuses: [{ name: 'input', state }], conditions: [] });
  t.deepEqual(coordinatorView(trimmedPod(whole)), coordinatorView(whole));
  t.is(coordinatorView(trimmedPod(whole)).ends[0]?.exitCode, 2);
});

test('a pod that has no node yet keeps none when it is trimmed', (t) => {
  t.deepEqual(trimmedPod({ metadata: { name: 'a' } }), { metadata: { name: 'a' }, spec: { containers: [] }, status: {} });
});

const nodeAt = (lastHeartbeatTime: string): Node => ({
  metadata: { name: 'n', uid: 'u', resourceVersion: '1', labels: { pool: 'gpu' }, annotations: { a: 'b' }, ...MANAGED },
  spec: { taints: [{ key: 'going', effect: 'NoSchedule' }], podCIDR: '10.0.0.0/24' },
  status: { conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: 'm', lastHeartbeatTime }], images: [{ names: ['a'] }] },
});

test('of a node its taints, conditions and labels are kept; a heartbeat changes nothing', (t) => {
  t.deepEqual(trimmedNode(nodeAt('2026-11-30T10:00:00Z')), {
    metadata: { name: 'n', uid: 'u', resourceVersion: '1', labels: { pool: 'gpu' } },
    spec: { taints: [{ key: 'going', effect: 'NoSchedule' }] },
    status: { conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: 'm' }] },
  });
  t.deepEqual(trimmedNode(nodeAt('2026-11-30T10:00:00Z')), trimmedNode(nodeAt('2026-11-30T10:05:00Z')));
});
