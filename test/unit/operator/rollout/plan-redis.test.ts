import test from 'ava';
import { conditionOf } from '../../../../operator/api/conditions.ts';
import type { ConditionType } from '../../../../operator/api/names.ts';
import type { RolloutRun } from '../../../../operator/api/run.ts';
import type { ConfigMap } from '../../../../operator/kube/kind.ts';
import { redisRecord } from '../../../../operator/rollout/desired/redis-record.ts';
import { type Plan, planRun } from '../../../../operator/rollout/plan.ts';
import { REDIS } from '../../../support/operator/redis-world.ts';
import { coordinatorOf, PODS, runOf, seenOf } from '../../../support/operator/run-world.ts';

const condition = (plan: Plan, type: ConditionType): string => {
  const found = conditionOf(plan.status?.conditions ?? [], type);
  return `${found?.status} ${found?.reason}`;
};
const kindsOf = ({ apply }: Plan): readonly string[] => apply.map(({ kind }) => kind ?? '');

const IN_REDIS = { coordinator: { replicas: 1, store: { redis: { url: REDIS.url, secretRef: { name: 'redis' } } } } };
const REDIS_RUN = runOf(IN_REDIS);
const RECORD = { ...redisRecord(REDIS_RUN, REDIS), metadata: { ...redisRecord(REDIS_RUN, REDIS).metadata, uid: 'm1' } };
const FOUND = { kind: 'found', access: REDIS } as const;

const FULL = coordinatorOf({
  ends: [
    {
      container: 'coordinator',
      exitCode: 4,
      message:
        'the results in Redis take at least 9 bytes with those that came last, and --inline-limit allows 67108864. Everything is kept',
    },
  ],
});

test('where a run has keys on a server is written down before a coordinator is made', (t) => {
  const kinds = planRun(seenOf({ run: REDIS_RUN, redis: FOUND }), PODS).apply.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  const at = kinds.indexOf('ConfigMap answers-redis-keys-0193746f');
  t.true(at >= 0 && at < kinds.indexOf('Deployment answers-coordinator'), String(kinds));
  const suspended = runOf({ ...IN_REDIS, suspend: true });
  t.true(
    planRun(seenOf({ run: suspended, redis: FOUND, workers: [] }), PODS).apply.some(({ metadata }) => /redis-keys/.test(metadata.name)),
  );
  t.false(
    planRun(seenOf(), PODS).apply.some(({ metadata }) => /redis-keys/.test(metadata.name)),
    'the embedded store has none',
  );
  const leaving = { ...RECORD, metadata: { ...RECORD.metadata, deletionTimestamp: '2026-11-30T09:59:59Z' } };
  const left = planRun(seenOf({ run: REDIS_RUN, redis: FOUND, keyRecord: leaving }), PODS).apply;
  t.false(
    left.some(({ metadata }) => /redis-keys/.test(metadata.name)),
    'one that somebody has deleted is not written again and again',
  );
});

test('a run that has no room for its results lets its workers and then its coordinator go, and is over in no way', (t) => {
  const full = { run: REDIS_RUN, redis: FOUND, answer: null, coordinators: [FULL] } as const;
  const first = planRun(seenOf(full), PODS);
  t.is(first.drain.length + first.remove.length, 2);
  t.false(first.removesCoordinator);
  t.is(condition(first, 'CoordinatorAvailable'), 'False ResultsFull');
  t.is(condition(first, 'Progressing'), 'False ResultsFull');
  t.is(condition(first, 'Failed'), 'False NotEnded');
  t.regex(
    conditionOf(first.status?.conditions ?? [], 'Progressing')?.message ?? '',
    /^raise spec\.coordinator\.results\.inlineLimit.*67108864/,
  );
  const later = { ...full, run: runOf(IN_REDIS, first.status ?? {}), workers: [], coordinators: [] };
  const second = planRun(seenOf(later), PODS);
  t.true(second.removesCoordinator);
  t.false(kindsOf(second).includes('Deployment'));
  t.is(condition(second, 'CoordinatorAvailable'), 'False ResultsFull');
  const raised = runOf({ coordinator: { ...IN_REDIS.coordinator, results: { inlineLimit: '128Mi' } } }, second.status ?? {});
  const third = planRun(seenOf({ ...later, run: raised, hasDeployment: false }), PODS);
  t.true(kindsOf(third).includes('Deployment'));
  t.is(condition(third, 'CoordinatorAvailable'), 'False CoordinatorStarting');
});

test('the keys of a complete run expire by themselves: its record waits for nobody; that of a failed run does', (t) => {
  const ended = (type: string) => ({ conditions: [{ type, status: 'True', reason: 'x', message: '', lastTransitionTime: '' }] });
  const plan = (type: string, keyRecord: ConfigMap = RECORD) =>
    planRun(seenOf({ run: runOf(IN_REDIS, ended(type) as RolloutRun['status']), keyRecord }), PODS);
  t.is(plan('Complete').releases, RECORD);
  t.is(plan('Failed').releases, null);
  t.is(plan('Complete', { ...RECORD, metadata: { ...RECORD.metadata, finalizers: [] } }).releases, null, 'it is released once');
});

test('a run that is full, or waits before its start, has no missing workers, so that no time runs out meanwhile', (t) => {
  const workers = { ...runOf().spec.workers, maxMissing: 0 };
  const missing = (more: Parameters<typeof seenOf>[0]) =>
    condition(planRun(seenOf({ workers: [], answer: null, ...more }), PODS), 'WorkersReady');
  const run = runOf({ ...IN_REDIS, workers });
  t.is(missing({ run, redis: FOUND }), 'False WorkersMissing');
  t.is(missing({ run, redis: FOUND, coordinators: [FULL] }), 'True EnoughWorkers');
  const before = { run, redis: FOUND, hasDeployment: false };
  t.is(missing({ ...before, inTheWay: ['Pod answers-worker-0-0'] }), 'True EnoughWorkers');
  t.is(missing({ ...before, input: { kind: 'missing', message: 'no list' } }), 'True EnoughWorkers');
});

test('a run that is full stays so while the Secret of its server is away', (t) => {
  const status = planRun(seenOf({ run: runOf(IN_REDIS), redis: FOUND, coordinators: [FULL] }), PODS).status ?? {};
  const away = {
    run: runOf(IN_REDIS, status),
    redis: { kind: 'missing', message: 'no Secret' },
    hasDeployment: false,
    coordinators: [],
  } as const;
  t.is(condition(planRun(seenOf(away), PODS), 'CoordinatorAvailable'), 'False ResultsFull');
});
