import test from 'ava';
import { conditionOf } from '../../../../operator/api/conditions.ts';
import type { ConditionType } from '../../../../operator/api/names.ts';
import type { RunStatus } from '../../../../operator/api/types.gen.ts';
import { runIdOf } from '../../../../operator/rollout/run-id.ts';
import { endedStatus, type Seen, statusOf, timeText } from '../../../../operator/rollout/status.ts';
import { isStatusDue } from '../../../../operator/rollout/status-due.ts';
import { answerOf, coordinatorOf, NOW, runOf, workerOf } from '../../../support/operator/run-world.ts';
import { readCrd, runSchema, schemaAt, validatorOf } from '../../../support/run-schema.ts';

const isStatus = validatorOf(schemaAt(runSchema(readCrd()), 'status'));
const FULL_HOUSE: Seen['plan'] = { create: [], remove: [], drain: [], current: 2, draining: 0, againMs: null };
const NONE_LEFT: Seen['plan'] = { ...FULL_HOUSE, current: 0 };
/** A status is kept in etcd, and sent to everybody who watches, each time it changes. */
const MOST_BYTES = 64 * 1_024;

function seen(more: Partial<Seen> = {}): Seen {
  const answer = more.answer === undefined ? answerOf() : more.answer;
  return {
    run: runOf(),
    input: { kind: 'found' },
    inTheWay: [],
    redis: null,
    issued: null,
    coordinators: [coordinatorOf()],
    workers: [workerOf(0), workerOf(1)],
    plan: FULL_HOUSE,
    watchesNodes: true,
    full: null,
    wanted: (more.run ?? runOf()).spec.workers.parallelism,
    lastAnswer: answer,
    nowMs: NOW,
    ...more,
    answer,
  };
}

function shown({ conditions = [] }: RunStatus, type: ConditionType): string {
  const found = conditionOf(conditions, type);
  return `${found?.status} ${found?.reason}: ${found?.message}`;
}

test('how much results take on a Redis server is told, and that alone is no reason to write more often', (t) => {
  const results = { usedBytes: 2_048, limitBytes: 65_536 };
  const told = statusOf(seen({ answer: answerOf({ results }) }));
  t.deepEqual(told.results, results);
  t.true(isStatus(told), JSON.stringify(isStatus.errors));
  t.is(statusOf(seen()).results, undefined);
  const more = { ...told, results: { ...results, usedBytes: 4_096 } };
  t.false(isStatusDue(told, more, 1_000));
  t.true(isStatusDue(told, more, 5_000));
});

test('every status that is written is one that the schema allows, and has all conditions from the first on', (t) => {
  const completed = answerOf({ state: { kind: 'completed' }, done: 9, failed: 1 });
  const end = { kind: 'complete', reason: 'CompletedWithFailures', message: 'x' } as const;
  const failed = { kind: 'failed', reason: 'DeadlineExceeded', message: 'x' } as const;
  const all: readonly RunStatus[] = [
    statusOf(seen()),
    statusOf(seen({ answer: null, lastAnswer: null, coordinators: [], workers: [] })),
    statusOf(seen({ answer: answerOf({ isIndexed: false }) })),
    statusOf(seen({ input: { kind: 'missing', message: 'there is no ConfigMap prompts' }, answer: null })),
    statusOf(seen({ run: runOf({ suspend: true }), plan: NONE_LEFT })),
    statusOf(seen({ run: runOf({ workers: { ...runOf().spec.workers, maxMissing: '10%' } }) })),
    endedStatus(seen({ answer: completed, plan: NONE_LEFT }), end),
    endedStatus(seen({ answer: null, lastAnswer: null }), failed),
  ];
  for (const status of all) {
    t.true(isStatus(structuredClone(status)), JSON.stringify(isStatus.errors));
    for (const type of ['InputReady', 'CoordinatorAvailable', 'Progressing', 'Draining', 'Suspended', 'Complete', 'Failed'] as const)
      t.truthy(conditionOf(status.conditions ?? [], type), type);
    t.true(JSON.stringify(status).length < MOST_BYTES);
  }
});

test('a thousand workers with long words make no large status', (t) => {
  const words = 'x'.repeat(10_000);
  const workers = Array.from({ length: 1_000 }, (_, slot) => workerOf(slot, { trouble: words }));
  const heard = workers.map(({ name }) => ({ workerId: name, state: 'suspected' as const, detail: words }));
  const known = heard.map((one) => ({ running: 1, concurrency: 64, sinceBeatMs: 100, ...one }));
  const status = statusOf(seen({ workers, answer: answerOf({ workers: known, stall: { sinceMs: 1, why: words } }) }));
  t.true(JSON.stringify(status).length < MOST_BYTES);
});

test('the counts are those of the last answer, also while there is no newer one', (t) => {
  const counts = { items: { total: 10, done: 4, failed: 1, running: 2, redone: 0 }, progress: '5/10', rate: '0.5/s', eta: '10s' };
  t.like(statusOf(seen()), { ...counts, coordinator: { pod: 'answers-coordinator-1', address: '10.0.0.1:50051', epoch: 3 } });
  t.like(statusOf(seen({ answer: null, lastAnswer: answerOf() })), counts);
  const restarted = runOf({}, { progress: '5/10', items: { total: 10, done: 4, failed: 1 } });
  t.like(statusOf(seen({ run: restarted, answer: null, lastAnswer: null })), { progress: '5/10', items: { done: 4 } });
});

test('how many items there are is not said before the list is read to its end', (t) => {
  const status = statusOf(seen({ answer: answerOf({ isIndexed: false }) }));
  t.is(status.items?.total, undefined);
  t.like(status, { progress: '5/?', eta: '' });
});

test('what was once written stands: the start, and the seconds of suspensions that are over', (t) => {
  const first = statusOf(seen());
  t.like(first, { startTime: '2026-11-30T10:00:00Z', runId: runIdOf(runOf().metadata.uid), observedGeneration: 2, suspendedSeconds: 0 });
  const later = statusOf(seen({ run: runOf({}, { ...first, suspendedSeconds: 7 }), nowMs: NOW + 60_000 }));
  t.like(later, { startTime: first.startTime, suspendedSeconds: 7 });
});

test('a suspension is counted when it ends, by the time since its condition was true', (t) => {
  const suspended = statusOf(seen({ run: runOf({ suspend: true }, { suspendedSeconds: 5 }), plan: NONE_LEFT }));
  t.is(suspended.suspendedSeconds, 5);
  const still = statusOf(seen({ run: runOf({ suspend: true }, suspended), plan: NONE_LEFT, nowMs: NOW + 30_000 }));
  t.is(still.suspendedSeconds, 5);
  t.is(statusOf(seen({ run: runOf({}, still), nowMs: NOW + 90_000 })).suspendedSeconds, 95);
});

test('conditions keep the time of their last change while only their words change', (t) => {
  const before = statusOf(seen({ answer: null }));
  const after = statusOf(
    seen({ run: runOf({}, before), answer: null, coordinators: [coordinatorOf({ waits: 'no node' })], nowMs: NOW + 60_000 }),
  );
  t.is(shown(after, 'CoordinatorAvailable'), 'False CoordinatorStarting: no node');
  t.is(conditionOf(after.conditions ?? [], 'CoordinatorAvailable')?.lastTransitionTime, timeText(NOW));
});

test('why there is no coordinator: its Secret, its node, or how its container ended', (t) => {
  const available = (more: Partial<Seen>) => shown(statusOf(seen({ answer: null, ...more })), 'CoordinatorAvailable');
  t.is(available({ coordinators: [] }), 'False CoordinatorStarting: no coordinator answers yet');
  const ends = [{ container: 'coordinator', exitCode: 4, message: 'the disk is full' }] as const;
  t.is(
    available({ coordinators: [coordinatorOf({ ends })] }),
    'False CoordinatorStarting: container coordinator ended with 4: the disk is full',
  );
  t.is(available({ redis: { kind: 'missing', message: 'there is no Secret redis' } }), 'False StoreUnavailable: there is no Secret redis');
  t.is(shown(statusOf(seen()), 'CoordinatorAvailable'), 'True LeaseHeld: answers-coordinator-1 has the lease, epoch 3');
});

test('an input that cannot be fetched is told with the words of the step that fetches it, while that is tried again', (t) => {
  const ends = [{ container: 'input', exitCode: 4, message: 'cannot fetch https://example.com' }] as const;
  t.is(
    shown(statusOf(seen({ answer: null, coordinators: [coordinatorOf({ ends })] })), 'InputReady'),
    'False InputInvalid: cannot fetch https://example.com',
  );
  t.is(
    shown(statusOf(seen({ coordinators: [coordinatorOf({ ends: [{ ...ends[0], exitCode: 0 }] })] })), 'InputReady'),
    'True InputFound: the list is there',
  );
});

test('why items do not move, the nearest reason first', (t) => {
  const progressing = (more: Partial<Seen>) => shown(statusOf(seen(more)), 'Progressing').replace(/:.*/, '');
  t.is(progressing({}), 'True ItemsRunning');
  t.is(progressing({ run: runOf({ suspend: true }) }), 'False Suspended');
  t.is(progressing({ answer: null }), 'False WaitingForCoordinator');
  t.is(progressing({ answer: answerOf({ state: { kind: 'paused', reason: 'x' }, stall: { sinceMs: 1, why: 'y' } }) }), 'False Paused');
  t.is(progressing({ answer: answerOf({ stall: { sinceMs: 1, why: 'y' }, workers: [] }) }), 'False Stalled');
  t.is(progressing({ answer: answerOf({ workers: [] }) }), 'False WaitingForWorkers');
});

test('draining and suspension are told while workers leave', (t) => {
  const leaving = { ...FULL_HOUSE, current: 0, draining: 2 };
  const draining = statusOf(seen({ plan: leaving }));
  t.is(shown(draining, 'Draining').replace(/:.*/, ''), 'True WorkersDraining');
  t.is(draining.phase, 'Draining');
  const suspending = statusOf(seen({ run: runOf({ suspend: true }), plan: leaving }));
  t.is(shown(suspending, 'Suspended').replace(/:.*/, ''), 'False Suspending');
  t.like(suspending, { phase: 'Draining', workers: { desired: 0, current: 0, draining: 2 } });
  t.is(statusOf(seen({ run: runOf({ suspend: true }), plan: NONE_LEFT })).phase, 'Suspended');
});

test('a run is pending until a worker is ready, and running then', (t) => {
  t.is(statusOf(seen({ answer: null })).phase, 'Pending');
  t.is(statusOf(seen({ answer: answerOf({ workers: [] }) })).phase, 'Pending');
  t.is(statusOf(seen()).phase, 'Running');
});

test('the scale subresource finds the workers', (t) => {
  t.is(statusOf(seen()).workers?.selector, 'rollout.run/run=answers,app.kubernetes.io/component=worker');
});

test('an end is one condition that is true and one that is false, and takes rate and time to go away', (t) => {
  const ended = endedStatus(seen({ answer: answerOf({ state: { kind: 'completed' } }) }), {
    kind: 'complete',
    reason: 'AllItemsDone',
    message: 'm',
  });
  t.is(shown(ended, 'Complete'), 'True AllItemsDone: m');
  t.is(shown(ended, 'Failed').replace(/:.*/, ''), 'False Ended');
  t.like(ended, { phase: 'Complete', completionTime: timeText(NOW), workers: { desired: 0 } });
  t.false('rate' in ended || 'eta' in ended);
  t.is(endedStatus(seen(), { kind: 'failed', reason: 'Paused', message: 'm' }).phase, 'Failed');
});

test('times have whole seconds', (t) => {
  t.is(timeText(Date.parse('2026-11-30T10:00:00.999Z')), '2026-11-30T10:00:00Z');
});

test('that nodes are not watched is said of each run, and taken back where they are watched later', (t) => {
  const says = (run: Seen['run'], watchesNodes: boolean) =>
    conditionOf(statusOf(seen({ run, watchesNodes })).conditions ?? [], 'NodeSignalsAvailable');
  t.is(says(runOf(), true), undefined);
  const narrow = statusOf(seen({ watchesNodes: false }));
  t.regex(shown(narrow, 'NodeSignalsAvailable'), /^False NodesForbidden: the operator may not watch nodes/);
  t.like(says(runOf({}, narrow), true), { status: 'True', reason: 'NodesWatched' });
});
