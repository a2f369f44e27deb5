import type { Pod } from '../../../operator/kube/kind.ts';
import { time } from './time.ts';

/** Pods of the run `answers` in team, as a kubelet reports them. */

export function workerPodOf(slot: number, status: object = { phase: 'Running' }, metadata: object = {}, incarnation = 0): Pod {
  return podOf(`answers-worker-${slot}-${incarnation}`, 'worker', status, {
    labels: {
      'rollout.run/run': 'answers',
      'app.kubernetes.io/component': 'worker',
      'rollout.run/slot': String(slot),
      'rollout.run/incarnation': String(incarnation),
    },
    ...metadata,
  });
}

export function coordinatorPodOf(status: object = { phase: 'Running' }, metadata: object = {}): Pod {
  return podOf('answers-coordinator-1', 'coordinator', status, metadata);
}

function podOf(name: string, component: string, status: object, metadata: object): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 'team',
      uid: `uid-${name}`,
      creationTimestamp: time(-300),
      labels: { 'rollout.run/run': 'answers', 'app.kubernetes.io/component': component },
      ...metadata,
    },
    spec: { nodeName: 'node-1', terminationGracePeriodSeconds: 60, containers: [] },
    status,
  };
}

/** A container that waits for this reason. */
export function waiting(name: string, reason: string, message = '', lastState: object = {}): object {
  return { phase: 'Pending', containerStatuses: [{ name, state: { waiting: { reason, message } }, lastState }] };
}
