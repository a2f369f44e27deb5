import test from 'ava';
import { NO_RESTARTS, QUICK_FAILURES_LIMIT } from '../../../../runtime/cli/run/restart.ts';
import { describeLeft, describeWait, exitWithoutWorkers, onCoordinatorEnd, onWorkerEnd } from '../../../../runtime/cli/run/supervision.ts';

function exited(code: number): { readonly code: number; readonly signal: null; readonly ranMs: number } {
  return { code, signal: null, ranMs: 50 };
}

test('a coordinator that finished, paused, was fenced or refused its settings ends the run with its own code', (t) => {
  for (const [code, isFailure] of [
    [0, false],
    [1, false],
    [5, false],
    [2, true],
    [3, true],
  ] as const) {
    t.deepEqual(onCoordinatorEnd(NO_RESTARTS, exited(code)), { kind: 'end', exit: code, isFailure });
  }
});

test('a coordinator that failed or was killed is started again, until it has failed too often in a row', (t) => {
  t.is(onCoordinatorEnd(NO_RESTARTS, exited(4)).kind, 'restart');
  t.is(onCoordinatorEnd(NO_RESTARTS, { code: null, signal: 'SIGKILL', ranMs: 50 }).kind, 'restart');
  const tired = { endsInARow: 20, failuresInARow: QUICK_FAILURES_LIMIT - 1 };
  t.deepEqual(onCoordinatorEnd(tired, exited(4)), { kind: 'end', exit: 4, isFailure: true });
});

test('a worker that drained, found no backend or refused its settings is not started again', (t) => {
  t.deepEqual(onWorkerEnd(NO_RESTARTS, exited(0)), { kind: 'stay-away', why: 'drained' });
  t.deepEqual(onWorkerEnd(NO_RESTARTS, exited(4)), { kind: 'stay-away', why: 'backend-unreachable' });
  t.deepEqual(onWorkerEnd(NO_RESTARTS, exited(2)), { kind: 'stay-away', why: 'misconfigured' });
});

test('a worker that was killed or crashed is started again', (t) => {
  t.is(onWorkerEnd(NO_RESTARTS, { code: null, signal: 'SIGKILL', ranMs: 50 }).kind, 'restart');
  t.is(onWorkerEnd(NO_RESTARTS, exited(70)).kind, 'restart');
  t.deepEqual(onWorkerEnd({ endsInARow: 9, failuresInARow: QUICK_FAILURES_LIMIT - 1 }, exited(70)), { kind: 'stay-away', why: 'failing' });
});

test('without workers a run is not reachable, unless it was their settings', (t) => {
  t.is(exitWithoutWorkers(['backend-unreachable', 'drained']), 4);
  t.is(exitWithoutWorkers(['misconfigured', 'backend-unreachable']), 4);
  t.is(exitWithoutWorkers(['misconfigured', 'misconfigured']), 2);
});

test('a process that waits is named with its reason and nothing else, and so is its going on', (t) => {
  const waiting = describeWait('coordinator', { kind: 'waiting', reason: 'no space in /d; free some there' });
  t.is(waiting, 'coordinator waits: no space in /d; free some there');
  t.is(describeWait('worker w1', { kind: 'going-on' }), 'worker w1 goes on');
});

test('of a worker that was told to leave it is said that it is not started again', (t) => {
  t.regex(describeLeft('w2'), /^worker w2 has left.*SIGTERM.*not started again in this run$/);
});
