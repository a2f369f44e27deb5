import test from 'ava';
import { lookAtRun, RUN_ENDS, type RunChanges, type RunSample } from '../../../../operator/metrics/run-sample.ts';
import type { Signal } from '../../../../operator/nodes/signals.ts';
import type { Observed } from '../../../../operator/rollout/observed.ts';
import { planRun } from '../../../../operator/rollout/plan.ts';
import { answerOf, NOW, PODS, runOf, seenOf, workerOf } from '../../../support/operator/run-world.ts';

const GOING: Signal = { severity: 'drain', provider: 'aws', deadlineMs: null, reason: 'the node has a taint' };
const NOTHING: RunChanges = { done: 0, failed: 0, redone: 0, leaseTransitions: 0, ended: null, drains: [], replaced: [] };

/** One look after the other, each with the plan that is made of it. */
function look(...looks: readonly Observed[]): { readonly sample: RunSample; readonly changes: readonly RunChanges[] } {
  let sample: RunSample | null = null;
  const changes: RunChanges[] = [];
  for (const seen of looks) {
    const next = lookAtRun(sample, seen, planRun(seen, PODS));
    if (next === null) throw new Error('the run is not this operator’s');
    sample = next.sample;
    changes.push(next.changes);
  }
  if (sample === null) throw new Error('nobody has looked');
  return { sample, changes };
}

function endedRun(type: 'Complete' | 'Failed', reason: string): Observed['run'] {
  const condition = { type, status: 'True', reason, message: '', lastTransitionTime: '2026-11-30T10:00:00Z' } as const;
  return runOf({}, { phase: type, items: { total: 10, done: 9, failed: 1, running: 0 }, conditions: [condition] });
}

test('a run that goes on: phase, items, workers by state', (t) => {
  const { sample } = look(seenOf());
  t.like(sample, {
    phase: 'Running',
    end: null,
    items: { done: 4, failed: 1, running: 2, redone: 0, left: 5 },
    epoch: 3,
    isCoordinatorMissing: false,
    desiredWorkers: 2,
  });
  t.deepEqual(
    [...sample.workers.values()].map(({ slot, state }) => [slot, state]),
    [
      [0, 'ready'],
      [1, 'ready'],
    ],
  );
});

test('what is recorded is counted once, also where answers are missing for a while', (t) => {
  const { changes } = look(
    seenOf(),
    seenOf({ answer: answerOf({ done: 6, redone: 3 }) }),
    seenOf({ answer: null, coordinators: [] }),
    seenOf({ answer: answerOf({ done: 7, failed: 2, redone: 4 }) }),
    seenOf({ answer: answerOf({ done: 7, failed: 2, redone: 4 }) }),
  );
  t.deepEqual(
    changes.map(({ done, failed, redone }) => [done, failed, redone]),
    [
      [4, 1, 0],
      [2, 0, 3],
      [0, 0, 0],
      [1, 1, 1],
      [0, 0, 0],
    ],
  );
});

test('an operator that is started again goes on from what the status says', (t) => {
  const run = runOf(
    {},
    { items: { total: 10, done: 3, failed: 1, running: 2 }, coordinator: { pod: 'p', address: 'a', epoch: 2 }, conditions: [] },
  );
  t.like(look(seenOf({ run })).changes[0], { done: 1, failed: 0, leaseTransitions: 1 });
});

test('the first lease of a run is no transition, each later one is', (t) => {
  const { changes } = look(seenOf({ answer: answerOf({ epoch: 1 }) }), seenOf({ answer: answerOf({ epoch: 4 }) }));
  t.deepEqual(
    changes.map(({ leaseTransitions }) => leaseTransitions),
    [0, 3],
  );
});

test('a coordinator is missing where the run goes on and none answers; not where it is suspended, over, or being deleted', (t) => {
  const missing = (more: Partial<Observed>): boolean => look(seenOf({ answer: null, ...more })).sample.isCoordinatorMissing;
  t.true(missing({}));
  t.false(missing({ run: runOf({ suspend: true }), workers: [] }));
  t.false(missing({ run: endedRun('Complete', 'AllItemsDone') }));
  t.false(missing({ run: runOf({}, undefined, { deletionTimestamp: '2026-11-30T10:00:00Z' }) }));
});

test('an end is counted when it is seen, with its reason, and never again; one that was there before is no news', (t) => {
  const over = seenOf({ run: endedRun('Complete', 'CompletedWithFailures'), answer: null });
  const { changes, sample } = look(seenOf({ answer: answerOf({ done: 9, failed: 1 }) }), over, over);
  t.deepEqual(
    changes.map(({ ended }) => ended),
    [null, 'CompletedWithFailures', null],
  );
  t.like(sample, { phase: 'Complete', items: { done: 9, failed: 1, running: 0, redone: 0, left: 0 }, desiredWorkers: 0 });
  t.is(sample.workers.size, 0);
  t.deepEqual(look(over).changes, [NOTHING]);
  t.true(RUN_ENDS.includes('CompletedWithFailures'));
});

test('a worker on a node that goes is replaced, and its drain ends when it has left', (t) => {
  const signals = new Map([['node1', GOING]]);
  const [stays, goes] = [workerOf(0), workerOf(1)];
  const next = workerOf(1, { name: 'answers-worker-1-1', uid: 'w1b', incarnation: 1, node: 'node2' });
  const { changes } = look(
    seenOf({ workers: [stays, goes] }),
    seenOf({ workers: [stays, goes], signals }),
    seenOf({ workers: [stays, goes, next], signals }),
    seenOf({ workers: [stays, { ...goes, phase: 'succeeded' }, next], signals, nowMs: NOW + 3_000, answer: answerOf({}, NOW + 3_000) }),
    seenOf({ workers: [stays, next], nowMs: NOW + 4_000, answer: answerOf({}, NOW + 4_000) }),
  );
  t.deepEqual(
    changes.map(({ replaced }) => replaced),
    [[], [], ['node-going'], [], []],
  );
  t.deepEqual(
    changes.map(({ drains }) => drains),
    [[], [], [], [{ outcome: 'left', provider: 'aws', tookMs: 3_000 }], []],
  );
});

test('a worker whose pod has vanished is replaced by whoever comes into its place, however late', (t) => {
  const again = workerOf(1, { uid: 'w1b' });
  const { changes, sample } = look(
    seenOf(),
    seenOf({ workers: [workerOf(0)] }),
    seenOf({ workers: [workerOf(0)], answer: null }),
    seenOf({ workers: [workerOf(0), again] }),
    seenOf({ workers: [workerOf(0), again] }),
  );
  t.deepEqual(
    changes.map(({ replaced }) => replaced),
    [[], [], [], ['deleted'], []],
  );
  t.is(sample.gaps.size, 0);
});

test('workers of a new run, or of places that were not wanted for a while, replace nobody', (t) => {
  const started = look(seenOf({ workers: [] }), seenOf());
  t.deepEqual(started.changes[1]?.replaced, []);
  const suspended = runOf({ suspend: true });
  const resumed = look(seenOf(), seenOf({ run: suspended, workers: [] }), seenOf({ workers: [workerOf(0, { uid: 'new' })] }));
  t.deepEqual(
    resumed.changes.map(({ replaced }) => replaced),
    [[], [], []],
  );
});

test('workers that go with their run are neither drained nor replaced', (t) => {
  const terminating = [workerOf(0, { isTerminating: true }), workerOf(1, { isTerminating: true })];
  const run = runOf({}, undefined, { deletionTimestamp: '2026-11-30T10:00:00Z' });
  const { changes } = look(seenOf(), seenOf({ run, workers: terminating, answer: null }), seenOf({ run, workers: [], answer: null }));
  t.deepEqual(changes.slice(1), [NOTHING, NOTHING]);
});

test('another run of the same name is another run', (t) => {
  const other = runOf({}, undefined, { uid: '0193746f-8b1c-7e2a-9f00-000000000000' });
  const { changes } = look(seenOf(), seenOf({ run: other, answer: answerOf({ done: 1, failed: 0, epoch: 1 }), workers: [] }));
  t.deepEqual(changes[1], { ...NOTHING, done: 1 });
});

test('a run of another operator is none of ours', (t) => {
  const seen = seenOf({ run: runOf({ managedBy: 'kueue.x-k8s.io/multikueue' }) });
  t.is(lookAtRun(null, seen, planRun(seen, PODS)), null);
  t.not(lookAtRun(null, seenOf({ run: runOf({ managedBy: 'rollout.run/operator' }) }), planRun(seenOf(), PODS)), null);
});
