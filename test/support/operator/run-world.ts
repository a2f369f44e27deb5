import type { Condition } from '../../../operator/api/conditions.ts';
import type { RolloutRun } from '../../../operator/api/run.ts';
import type { CoordinatorAnswer, CoordinatorView } from '../../../operator/rollout/coordinator-view.ts';
import type { PodSettings } from '../../../operator/rollout/desired/pod-settings.ts';
import { templateHash } from '../../../operator/rollout/desired/worker-pod.ts';
import type { Observed } from '../../../operator/rollout/observed.ts';
import type { WorkerView } from '../../../operator/rollout/worker-view.ts';
import type { RunStatus } from '../../../runtime/model/status.ts';

/** A run of two workers in the middle of its work, for tests of what is decided about it. */

export const NOW: number = Date.parse('2026-11-30T10:00:00Z');
export const PODS: PodSettings = {
  image: 'rollout:1',
  imagePullPolicy: 'IfNotPresent',
  imagePullSecrets: [],
  fsGroup: null,
  reachableFrom: null,
  extraCa: null,
  env: {},
};

export function runOf(spec: object = {}, status?: RolloutRun['status'], metadata: object = {}): RolloutRun {
  return {
    apiVersion: 'rollout.run/v1alpha1',
    kind: 'RolloutRun',
    metadata: { name: 'answers', namespace: 'team', uid: '0193746f-8b1c-7e2a-9f00-5d2b1c3a4e5f', generation: 2, ...metadata },
    spec: {
      input: { configMap: { name: 'prompts', key: 'items.jsonl' } },
      format: { raw: false, onInvalid: 'record', order: 'input' },
      backend: { type: 'openai', port: 8_000 },
      workers: {
        parallelism: 2,
        concurrency: 64,
        updateStrategy: 'RollingUpdate',
        template: { spec: { containers: [{ name: 'model', image: 'model:1' }] } },
      },
      coordinator: { replicas: 1, store: { embedded: { storage: '1Gi' } } },
      certificates: { mode: 'selfSigned' },
      retry: { maxAttempts: 5 },
      suspend: false,
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  } as unknown as RolloutRun;
}

export function workerOf(slot: number, more: Partial<WorkerView> = {}): WorkerView {
  return {
    name: `answers-worker-${slot}-0`,
    uid: `w${slot}`,
    slot,
    incarnation: 0,
    template: templateHash(runOf()),
    node: `node${slot}`,
    avoids: [],
    phase: 'running',
    isTerminating: false,
    hasShortGrace: false,
    notice: null,
    hasNeverRun: false,
    createdAtMs: NOW - 60_000,
    trouble: null,
    ...more,
  };
}

export function coordinatorOf(more: Partial<CoordinatorView> = {}): CoordinatorView {
  return {
    name: 'answers-coordinator-1',
    uid: 'c1',
    podIp: '10.0.0.1',
    node: 'node0',
    isTerminating: false,
    ends: [],
    waits: null,
    ...more,
  };
}

export function answerOf(status: Partial<RunStatus> = {}, atMs: number = NOW): CoordinatorAnswer {
  const ready = (workerId: string): RunStatus['workers'][number] => ({
    workerId,
    state: 'ready',
    running: 1,
    concurrency: 64,
    sinceBeatMs: 100,
    detail: '',
  });
  const whole: RunStatus = {
    runId: 'R',
    state: { kind: 'running' },
    epoch: 3,
    items: 10,
    isIndexed: true,
    done: 4,
    failed: 1,
    running: 2,
    prefetched: 0,
    handedBack: 0,
    redone: 0,
    workers: [ready('answers-worker-0-0'), ready('answers-worker-1-0')],
    waits: [],
    stall: null,
    results: null,
    ...status,
  };
  return { status: whole, pod: 'answers-coordinator-1', address: '10.0.0.1:50051', atMs, perSecond: 0.5 };
}

export function seenOf(more: Partial<Observed> = {}): Observed {
  return {
    run: runOf(),
    input: { kind: 'found' },
    redis: null,
    keyRecord: null,
    issued: null,
    hasCertificates: true,
    hasDeployment: true,
    inTheWay: [],
    coordinators: [coordinatorOf()],
    workers: [workerOf(0), workerOf(1)],
    answer: answerOf(),
    signals: new Map(),
    watchesNodes: true,
    nowMs: NOW,
    ...more,
  };
}

/** Conditions of a status, each with the same reason. */
export function conditionsOf(statuses: Readonly<Record<string, 'True' | 'False'>>): Condition[] {
  const rest = { reason: 'Because', message: 'of that', lastTransitionTime: '2026-11-30T09:00:00Z' };
  return Object.entries(statuses).map(([type, status]) => ({ type, status, ...rest }));
}
