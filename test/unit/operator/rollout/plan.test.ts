import test from 'ava';
import { conditionOf } from '../../../../operator/api/conditions.ts';
import type { ConditionType } from '../../../../operator/api/names.ts';
import { type Plan, planRun } from '../../../../operator/rollout/plan.ts';
import { answerOf, coordinatorOf, NOW, PODS, runOf, seenOf, workerOf } from '../../../support/operator/run-world.ts';

const condition = (plan: Plan, type: ConditionType): string => {
  const found = conditionOf(plan.status?.conditions ?? [], type);
  return `${found?.status} ${found?.reason}`;
};
const kindsOf = ({ apply }: Plan): readonly string[] => apply.map(({ kind }) => kind ?? '');

test('a new run gets what its coordinator needs, and no worker before the lease is held', (t) => {
  const fresh = { hasCertificates: false, hasDeployment: false, coordinators: [], workers: [], answer: null };
  const first = planRun(seenOf(fresh), PODS);
  t.true(first.keepsCertificates);
  t.deepEqual(kindsOf(first), ['ConfigMap', 'PersistentVolumeClaim', 'Service', 'PodDisruptionBudget'], 'no pod before its certificates');
  const second = planRun(seenOf({ ...fresh, hasCertificates: true }), PODS);
  t.deepEqual(kindsOf(second), ['ConfigMap', 'PersistentVolumeClaim', 'Service', 'PodDisruptionBudget', 'Deployment']);
  t.deepEqual(second.create, []);
  t.is(condition(second, 'CoordinatorAvailable'), 'False CoordinatorStarting');
  const third = planRun(seenOf({ workers: [] }), PODS);
  t.is(third.create.length, 2);
  t.is(condition(third, 'CoordinatorAvailable'), 'True LeaseHeld');
});

test('an answer that is older than ten seconds is none', (t) => {
  const plan = planRun(seenOf({ workers: [], answer: answerOf({}, NOW - 10_001) }), PODS);
  t.deepEqual(plan.create, []);
  t.is(condition(plan, 'CoordinatorAvailable'), 'False CoordinatorStarting');
  t.is(plan.status?.progress, '5/10', 'its counts stand');
});

test('an input that is not there is a condition, and nothing is made', (t) => {
  const input = { kind: 'missing', message: 'there is no ConfigMap prompts' } as const;
  const plan = planRun(seenOf({ input, hasDeployment: false, coordinators: [], workers: [], answer: null }), PODS);
  t.deepEqual([plan.apply, plan.keepsCertificates], [[], false]);
  t.is(condition(plan, 'InputReady'), 'False InputNotFound');
  t.is(plan.status?.phase, 'Pending');
});

test('what an earlier run of the name has left is waited for, and told', (t) => {
  const inTheWay = ['PersistentVolumeClaim answers-state', 'Pod answers-worker-0-0'];
  const plan = planRun(seenOf({ inTheWay, hasDeployment: false, coordinators: [], workers: [], answer: null }), PODS);
  t.deepEqual([plan.apply, plan.create, plan.keepsCertificates], [[], [], false]);
  t.is(condition(plan, 'CoordinatorAvailable'), 'False CoordinatorStarting');
  const { message } = plan.status?.conditions?.find(({ type }) => type === 'CoordinatorAvailable') ?? {};
  t.regex(message ?? '', /^PersistentVolumeClaim answers-state, Pod answers-worker-0-0: not of this run; /);
});

test('a list that is missing in mid-run is a condition and no more; what was not looked at stands', (t) => {
  const missing = planRun(seenOf({ input: { kind: 'missing', message: 'there is no ConfigMap prompts' } }), PODS);
  t.is(condition(missing, 'InputReady'), 'False InputNotFound');
  t.true(missing.apply.length > 0);
  const later = planRun(seenOf({ run: runOf({}, missing.status ?? {}), input: { kind: 'unseen' } }), PODS);
  t.is(condition(later, 'InputReady'), 'False InputNotFound');
  const again = planRun(seenOf({ run: runOf({}, missing.status ?? {}), input: { kind: 'found' } }), PODS);
  t.is(condition(again, 'InputReady'), 'True InputFound');
  t.is(condition(planRun(seenOf({ input: { kind: 'unseen' } }), PODS), 'InputReady'), 'True InputFound');
});

test('a server of which nothing is known is a condition; what has been made for it stands as it is', (t) => {
  const run = runOf({ coordinator: { replicas: 2, store: { redis: { secretRef: { name: 'redis' } } } } });
  const redis = { kind: 'missing', message: 'there is no Secret redis' } as const;
  const before = planRun(seenOf({ run, redis, hasDeployment: false, coordinators: [], workers: [], answer: null }), PODS);
  t.deepEqual([before.apply, before.keepsCertificates], [[], false]);
  t.is(condition(before, 'CoordinatorAvailable'), 'False StoreUnavailable');
  t.is(condition(before, 'InputReady'), 'True InputFound');
  const later = planRun(seenOf({ run, redis }), PODS);
  t.deepEqual([later.apply, later.remove, later.drain], [[], [], []]);
  t.is(condition(later, 'CoordinatorAvailable'), 'True LeaseHeld', 'its coordinator has what it needs');
});

test('a run at work: nothing to do but to say how it stands', (t) => {
  const plan = planRun(seenOf(), PODS);
  t.like(plan, { create: [], remove: [], drain: [], removesCoordinator: false, removesRun: false });
  t.like(plan.status, {
    phase: 'Running',
    progress: '5/10',
    rate: '0.5/s',
    eta: '10s',
    items: { total: 10, done: 4, failed: 1, running: 2 },
    workers: { desired: 2, current: 2, ready: 2, draining: 0 },
    coordinator: { epoch: 3, pod: 'answers-coordinator-1' },
  });
  t.is(condition(plan, 'Progressing'), 'True ItemsRunning');
});

test('without a worker there is no rate: it would sink for hours, and be written each time', (t) => {
  t.like(planRun(seenOf({ workers: [], answer: answerOf({ workers: [] }) }), PODS).status, { rate: '', eta: '', progress: '5/10' });
});

test('the end is written before anything is taken away, and only then are things taken away', (t) => {
  const answer = answerOf({ state: { kind: 'completed' }, done: 9, failed: 1 });
  const end = planRun(seenOf({ answer }), PODS);
  t.like(end, { apply: [], create: [], remove: [], drain: [], removesCoordinator: false, againMs: null });
  t.is(condition(end, 'Complete'), 'True CompletedWithFailures');
  t.is(condition(end, 'Failed'), 'False Ended');
  t.like(end.status, { phase: 'Complete', completionTime: '2026-11-30T10:00:00Z' });
  const run = runOf({}, end.status ?? {});
  const after = planRun(seenOf({ run, answer: null, workers: [workerOf(0), workerOf(1, { phase: 'succeeded' })] }), PODS);
  t.is(after.status, null, 'an end is never written again');
  t.deepEqual(
    after.remove.map(({ slot }) => slot),
    [1],
    'the other worker is about to leave by itself',
  );
  t.false(after.removesCoordinator);
  const late = planRun(seenOf({ run, answer: null, nowMs: NOW + 30_000 }), PODS);
  t.is(late.remove.length, 2);
  t.true(planRun(seenOf({ run, answer: null, workers: [] }), PODS).removesCoordinator);
});

test('the coordinator of a failed run stays for the workers that are told to leave, and not for ever', (t) => {
  const { status } = planRun(seenOf({ nowMs: NOW, run: runOf({ activeDeadlineSeconds: 1 }, { startTime: '2026-11-30T09:59:00Z' }) }), PODS);
  const run = runOf({}, status ?? {});
  const deleted = planRun(seenOf({ run }), PODS);
  t.is(deleted.remove.length, 2);
  const leaving = [workerOf(0, { isTerminating: true })];
  t.like(planRun(seenOf({ run, workers: leaving }), PODS), { remove: [], removesCoordinator: false, againMs: 30_000 });
  t.true(planRun(seenOf({ run, workers: [] }), PODS).removesCoordinator);
  t.true(planRun(seenOf({ run, workers: leaving, nowMs: NOW + 30_000 }), PODS).removesCoordinator, 'its node may be gone');
  const signals = new Map([['node0', { severity: 'gone', provider: null, deadlineMs: null, reason: 'x' } as const]]);
  t.false(planRun(seenOf({ run, workers: leaving, signals }), PODS).removesCoordinator, 'it may be back in a moment, with outcomes');
});

test('the coordinator of a complete run does not wait for pods on nodes that are gone', (t) => {
  const { status } = planRun(seenOf({ answer: answerOf({ state: { kind: 'completed' } }) }), PODS);
  const run = runOf({}, status ?? {});
  const signals = new Map([['node0', { severity: 'gone', provider: null, deadlineMs: null, reason: 'x' } as const]]);
  const [onLost, elsewhere] = [workerOf(0, { isTerminating: true }), workerOf(1, { isTerminating: true })];
  t.true(planRun(seenOf({ run, workers: [onLost], signals }), PODS).removesCoordinator);
  t.false(planRun(seenOf({ run, workers: [onLost, elsewhere], signals }), PODS).removesCoordinator);
  t.false(planRun(seenOf({ run, workers: [workerOf(0)], signals }), PODS).removesCoordinator, 'nobody has deleted it');
});

test('an end stays, whatever is seen later', (t) => {
  const { status } = planRun(seenOf({ answer: answerOf({ state: { kind: 'completed' } }) }), PODS);
  const plan = planRun(seenOf({ run: runOf({ workers: { ...runOf().spec.workers, parallelism: 9 } }, status ?? {}) }), PODS);
  t.like(plan, { apply: [], create: [], status: null });
});

test('a finished run is deleted when its time is over, and looked at again then', (t) => {
  const { status } = planRun(seenOf({ answer: answerOf({ state: { kind: 'completed' } }) }), PODS);
  const run = runOf({ ttlSecondsAfterFinished: 60 }, status ?? {});
  t.like(planRun(seenOf({ run, workers: [], nowMs: NOW + 59_000 }), PODS), { removesRun: false, againMs: 1_000 });
  t.true(planRun(seenOf({ run, workers: [], nowMs: NOW + 60_000 }), PODS).removesRun);
});

test('suspension drains the workers, then takes the coordinator away; resuming brings both back', (t) => {
  const run = runOf({ suspend: true });
  const first = planRun(seenOf({ run }), PODS);
  t.is(first.drain.length, 2);
  t.is(condition(first, 'Suspended'), 'False Suspending');
  const second = planRun(seenOf({ run, workers: [] }), PODS);
  t.true(second.removesCoordinator);
  t.deepEqual(kindsOf(second), ['ConfigMap', 'PersistentVolumeClaim'], 'nothing that it would take away again');
  t.is(condition(second, 'Suspended'), 'True Suspended');
  const third = planRun(
    seenOf({ run: runOf({}, second.status ?? {}), workers: [], answer: null, hasDeployment: false, nowMs: NOW + 90_000 }),
    PODS,
  );
  t.true(kindsOf(third).includes('Deployment'));
  t.is(third.status?.suspendedSeconds, 90);
});

test('activeDeadlineSeconds does not count suspended time', (t) => {
  const status = { startTime: '2026-11-30T09:59:00Z', suspendedSeconds: 20, conditions: [] };
  const spec = { activeDeadlineSeconds: 60 };
  t.like(planRun(seenOf({ run: runOf(spec, status) }), PODS), { againMs: 20_000 });
  const over = planRun(seenOf({ run: runOf(spec, status), nowMs: NOW + 20_000, answer: answerOf({}, NOW + 20_000) }), PODS);
  t.is(condition(over, 'Failed'), 'True DeadlineExceeded');
});

test('a coordinator that no other start would help fails the run with its words', (t) => {
  const ended = (exitCode: number, message: string, container: 'input' | 'coordinator' = 'coordinator') =>
    planRun(seenOf({ answer: null, coordinators: [coordinatorOf({ ends: [{ container, exitCode, message }] })] }), PODS);
  t.is(condition(ended(2, 'no such file', 'input'), 'Failed'), 'True InputInvalid');
  t.is(condition(ended(2, 'the input has changed'), 'Failed'), 'True CoordinatorFailed');
  t.is(condition(ended(5, '12 items have failed, and 10 may: look at their errors'), 'Failed'), 'True TooManyFailedItems');
  t.is(condition(ended(5, 'every server refuses'), 'Failed'), 'True Paused');
  for (const exitCode of [3, 4, 70, 130, 137]) t.is(condition(ended(exitCode, 'gone'), 'Failed'), 'False NotEnded', String(exitCode));
});

test('a run fails when more workers than it allows stay missing for ten minutes', (t) => {
  const { workers } = runOf().spec;
  const spec = (maxMissing: number | string): object => ({ workers: { ...workers, parallelism: 4, maxMissing } });
  t.is(condition(planRun(seenOf({ run: runOf(spec(2)) }), PODS), 'WorkersReady'), 'True EnoughWorkers');
  t.is(condition(planRun(seenOf({ run: runOf(spec('50%')) }), PODS), 'WorkersReady'), 'True EnoughWorkers');
  const missing = planRun(seenOf({ run: runOf(spec('49%')) }), PODS);
  t.is(condition(missing, 'WorkersReady'), 'False WorkersMissing');
  const at = (sinceMs: number): string =>
    condition(
      planRun(seenOf({ run: runOf(spec('49%'), missing.status ?? {}), nowMs: NOW + sinceMs, answer: answerOf({}, NOW + sinceMs) }), PODS),
      'Failed',
    );
  t.is(at(599_000), 'False NotEnded');
  t.is(at(600_000), 'True TooManyMissingWorkers');
});

test('a run that is being deleted, or that another controller works on, is left alone', (t) => {
  const nothing = { apply: [], create: [], remove: [], drain: [], status: null, keepsCertificates: false, againMs: null };
  t.like(planRun(seenOf({ run: runOf({}, undefined, { deletionTimestamp: '2026-11-30T09:59:59Z' }), workers: [] }), PODS), nothing);
  t.like(planRun(seenOf({ run: runOf({ managedBy: 'example.com/other' }), workers: [] }), PODS), nothing);
});

test('what stands in the way is said: a container that cannot start, a stall, a worker that waits', (t) => {
  const progressing = (more: Parameters<typeof seenOf>[0]): string => {
    const found = conditionOf(planRun(seenOf(more), PODS).status?.conditions ?? [], 'Progressing');
    return `${found?.reason}: ${found?.message}`;
  };
  const trouble = 'container model: ImagePullBackOff: no such image';
  t.is(
    progressing({ workers: [workerOf(0, { phase: 'waiting', trouble })], answer: answerOf({ workers: [] }) }),
    `WaitingForWorkers: ${trouble}`,
  );
  t.is(progressing({ answer: answerOf({ stall: { sinceMs: 1, why: 'no server answers' } }) }), 'Stalled: no server answers');
  t.is(progressing({ answer: null }), 'WaitingForCoordinator: the coordinator does not answer');
});

test('new workers keep away from nodes that will go', (t) => {
  const signal = (severity: 'hint' | 'drain' | 'gone') => ({ severity, provider: null, deadlineMs: null, reason: 'x' });
  const signals = new Map([
    ['a', signal('hint')],
    ['c', signal('gone')],
    ['b', signal('drain')],
  ] as const);
  t.deepEqual(planRun(seenOf({ signals }), PODS).avoid, ['b', 'c']);
});
