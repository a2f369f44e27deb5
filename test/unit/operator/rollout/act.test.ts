import test from 'ava';
import { ROLLOUT_RUN } from '../../../../operator/api/run.ts';
import { CONFIG_MAP, DEPLOYMENT, type Kind, POD } from '../../../../operator/kube/kind.ts';
import type { KubeObject } from '../../../../operator/kube/object.ts';
import { type ActDeps, act } from '../../../../operator/rollout/act.ts';
import { redisRecord } from '../../../../operator/rollout/desired/redis-record.ts';
import { workerPod } from '../../../../operator/rollout/desired/worker-pod.ts';
import { type Plan, planInEndingNamespace, planRun } from '../../../../operator/rollout/plan.ts';
import type { RunClients, Told } from '../../../../operator/rollout/run-clients.ts';
import { StatusWriter } from '../../../../operator/rollout/status-writer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { REDIS } from '../../../support/operator/redis-world.ts';
import { answerOf, NOW, PODS, runOf, seenOf, workerOf } from '../../../support/operator/run-world.ts';

const RUN = runOf();
const FRESH = { coordinators: [], workers: [], answer: null, hasDeployment: false };

interface Stage {
  readonly cluster: MemoryCluster;
  readonly told: string[];
  /** Carries a plan out, and answers with what was written. */
  readonly act: (plan: Plan) => Promise<readonly string[]>;
}

/** `answer`: what the coordinator says to a drain. */
function stage(answer: Told = { kind: 'done' }): Stage {
  const [cluster, told] = [new MemoryCluster(), [] as string[]];
  cluster.put(ROLLOUT_RUN, RUN);
  const drain = async (_uid: string, worker: string): Promise<Told> => {
    told.push(worker);
    return answer;
  };
  const deps: ActDeps = {
    client: cluster,
    clients: { drain } as unknown as RunClients,
    statuses: new StatusWriter(cluster, { record: () => undefined }, new ManualClock()),
    pods: PODS,
    ensureCertificates: async () => {
      cluster.writes.push('certificates');
    },
    child: (kind: Kind<KubeObject>, { metadata }, name) => cluster.find(kind, { namespace: metadata.namespace, name }),
  };
  return {
    cluster,
    told,
    act: async (plan) => {
      const before = cluster.writes.length;
      await act(deps, RUN, plan);
      return cluster.writes.slice(before);
    },
  };
}

test('the record of keys that expire by themselves loses the finalizer of the operator', async (t) => {
  const { act: carryOut, cluster } = stage();
  const record = redisRecord(RUN, REDIS);
  cluster.put(CONFIG_MAP, record);
  const plan = { ...planRun(seenOf({ run: runOf({ managedBy: 'example.com/other' }) }), PODS), releases: record };
  t.deepEqual(await carryOut(plan), [`patch ConfigMap ${record.metadata.name}`]);
});

test('what a pod needs is there before the pod, and the status is written before workers are made', async (t) => {
  const { act: carryOut } = stage();
  t.deepEqual(await carryOut(planRun(seenOf(FRESH), PODS)), [
    'certificates',
    'apply ConfigMap answers-config',
    'apply PersistentVolumeClaim answers-state',
    'apply Service answers-coordinator',
    'apply PodDisruptionBudget answers-coordinator',
    'apply Deployment answers-coordinator',
    'apply RolloutRun answers status',
  ]);
  t.deepEqual((await carryOut(planRun(seenOf({ workers: [] }), PODS))).slice(-3), [
    'apply RolloutRun answers status',
    'create Pod answers-worker-0-0',
    'create Pod answers-worker-1-0',
  ]);
});

test('a second look over what the first one has made changes nothing', async (t) => {
  const { cluster, act: carryOut } = stage();
  await carryOut(planRun(seenOf(), PODS));
  const run = cluster.find(ROLLOUT_RUN, { namespace: 'team', name: 'answers' }) ?? RUN;
  const again = planRun(seenOf({ run, nowMs: NOW + 4_000, answer: answerOf({}, NOW + 4_000) }), PODS);
  t.deepEqual(await carryOut({ ...again, status: null }), ['certificates'], 'which looks for itself');
  t.deepEqual(again.status, run.status ?? null, 'and there is nothing new to say');
});

test('a child that differs, is gone or is going is made as it should be; one of somebody else’s labels is left', async (t) => {
  const { cluster, act: carryOut } = stage();
  await carryOut(planRun(seenOf(), PODS));
  const ref = { namespace: 'team', name: 'answers-coordinator' };
  const made = cluster.find(DEPLOYMENT, ref);
  if (made === null) return t.fail('no Deployment');
  const applied = async (): Promise<readonly string[]> => (await carryOut({ ...planRun(seenOf(), PODS), status: null })).slice(1);
  cluster.put(DEPLOYMENT, { ...made, metadata: { ...made.metadata, labels: { ...made.metadata.labels, mine: 'x' } } });
  t.deepEqual(await applied(), []);
  cluster.put(DEPLOYMENT, { ...made, metadata: { ...made.metadata, deletionTimestamp: '2026-11-30T10:00:00Z' } });
  t.deepEqual(await applied(), ['apply Deployment answers-coordinator']);
  await cluster.delete(DEPLOYMENT, ref, {});
  t.deepEqual(await applied(), ['apply Deployment answers-coordinator']);
  const pods = { ...PODS, image: 'rollout:2' };
  t.deepEqual((await carryOut({ ...planRun(seenOf(), pods), status: null })).slice(1), [
    'apply ConfigMap answers-config',
    'apply Deployment answers-coordinator',
  ]);
});

test('a pod that was created a moment ago, and is not in the cache yet, makes no twin', async (t) => {
  const { cluster, act: carryOut } = stage();
  const plan = { ...planRun(seenOf({ workers: [] }), PODS), status: null };
  await carryOut(plan);
  t.deepEqual(await carryOut(plan), ['certificates']);
  t.is((await cluster.list(POD, { namespace: 'team' })).items.length, 2);
});

test('a worker whose grace period is to be shortened has seconds left', async (t) => {
  const { act: carryOut, cluster } = stage();
  const pod = workerPod(RUN, { slot: 0, incarnation: 0 }, [], PODS);
  cluster.put(POD, { ...pod, metadata: { ...pod.metadata, uid: 'w0' } });
  const seen: unknown[] = [];
  const { delete: remove } = cluster;
  cluster.delete = async (kind, ref, options) => {
    seen.push(options);
    return remove.call(cluster, kind, ref, options);
  };
  t.deepEqual(await carryOut(planInEndingNamespace({ workers: [workerOf(0), workerOf(1, { hasShortGrace: true })] })), [
    'delete Pod answers-worker-0-0',
  ]);
  t.deepEqual(seen, [{ uid: 'w0', gracePeriodSeconds: 5, propagation: 'Background' }]);
});

test('a worker that is not wanted is told to drain, and deleted where nobody can tell it', async (t) => {
  const plan = planRun(seenOf({ run: runOf({ suspend: true }) }), PODS);
  const pod = workerPod(RUN, { slot: 0, incarnation: 0 }, [], PODS);
  const start = (answer: Told): Stage => {
    const made = stage(answer);
    made.cluster.put(POD, { ...pod, metadata: { ...pod.metadata, uid: 'w0' } });
    return made;
  };
  const drained = start({ kind: 'done' });
  await drained.act({ ...plan, apply: [], status: null });
  t.deepEqual(drained.told, ['answers-worker-0-0', 'answers-worker-1-0']);
  t.truthy(drained.cluster.find(POD, { namespace: 'team', name: pod.metadata.name }), 'it ends by itself');
  const untold = start({ kind: 'unanswered', detail: 'x' });
  t.deepEqual(await untold.act({ ...plan, apply: [], status: null }), ['certificates', 'delete Pod answers-worker-0-0']);
  const silent = start({ kind: 'silent' });
  t.deepEqual(await silent.act({ ...plan, apply: [], status: null }), ['certificates'], 'it is told at a later look');
  const waiting = start({ kind: 'done' });
  await waiting.act({ ...plan, apply: [], status: null, drain: [workerOf(0, { phase: 'waiting' })] });
  t.deepEqual([waiting.told, waiting.cluster.find(POD, { namespace: 'team', name: pod.metadata.name })], [[], null]);
});

test('a pod is deleted by its uid: one that has taken its name meanwhile stays', async (t) => {
  const { cluster, act: carryOut } = stage();
  const pod = workerPod(RUN, { slot: 0, incarnation: 0 }, [], PODS);
  cluster.put(POD, { ...pod, metadata: { ...pod.metadata, uid: 'another' } });
  const plan = planRun(seenOf({ workers: [workerOf(0, { phase: 'succeeded' })] }), PODS);
  t.deepEqual(await carryOut({ ...plan, apply: [], create: [], status: null }), ['certificates']);
});

test('the coordinator goes with all that is there for it alone; what is recorded stays', async (t) => {
  const { act: carryOut } = stage();
  await carryOut(planRun(seenOf(), { ...PODS, reachableFrom: 'rollout' }));
  const { status } = planRun(seenOf({ answer: answerOf({ state: { kind: 'completed' } }) }), PODS);
  const ended = planRun(seenOf({ run: runOf({}, status ?? {}), workers: [], answer: null }), PODS);
  const gone = [
    'delete Deployment answers-coordinator',
    'delete Service answers-coordinator',
    'delete PodDisruptionBudget answers-coordinator',
    'delete NetworkPolicy answers-coordinator',
  ];
  t.deepEqual(await carryOut(ended), gone);
  t.deepEqual(await carryOut(ended), []);
});

test('a run whose time is over is deleted, and not another one of its name', async (t) => {
  const { cluster, act: carryOut } = stage();
  const { status } = planRun(seenOf({ answer: answerOf({ state: { kind: 'completed' } }) }), PODS);
  const over = planRun(seenOf({ run: runOf({ ttlSecondsAfterFinished: 0 }, status ?? {}), workers: [], answer: null }), PODS);
  cluster.put(ROLLOUT_RUN, runOf({}, undefined, { uid: '11111111-1111-1111-1111-111111111111' }));
  t.deepEqual(await carryOut(over), []);
  cluster.put(ROLLOUT_RUN, RUN);
  t.deepEqual(await carryOut(over), ['delete RolloutRun answers']);
});
