import test from 'ava';
import type { ContainerEnd } from '../../../../../operator/rollout/coordinator-view.ts';
import { type EndFacts, endOf } from '../../../../../operator/rollout/policy/end.ts';
import { overLimit } from '../../../../../runtime/model/failure-limit.ts';
import { answerOf, coordinatorOf } from '../../../../support/operator/run-world.ts';

const GOING_ON: EndFacts = {
  answer: answerOf(),
  coordinators: [coordinatorOf()],
  deadlineLeftMs: Number.POSITIVE_INFINITY,
  missingLeftMs: Number.POSITIVE_INFINITY,
};

const endedWith = (container: ContainerEnd['container'], exitCode: number, message = 'words') =>
  endOf({ ...GOING_ON, answer: null, coordinators: [coordinatorOf({ ends: [{ container, exitCode, message }] })] });

test('a run that works goes on, also while its coordinator does not answer', (t) => {
  t.is(endOf(GOING_ON), null);
  t.is(endOf({ ...GOING_ON, answer: null, coordinators: [] }), null);
});

test('it is complete when its coordinator says so, with or without failures', (t) => {
  const end = (failed: number) => endOf({ ...GOING_ON, answer: answerOf({ state: { kind: 'completed' }, done: 10 - failed, failed }) });
  t.deepEqual(end(0), { kind: 'complete', reason: 'AllItemsDone', message: '10 items have a result, 0 have failed' });
  t.like(end(3), { kind: 'complete', reason: 'CompletedWithFailures' });
});

test('a complete run is complete, whatever else has come to an end', (t) => {
  const answer = answerOf({ state: { kind: 'completed' } });
  const ends = [{ container: 'coordinator', exitCode: 2, message: 'x' }] as const;
  t.like(endOf({ answer, coordinators: [coordinatorOf({ ends })], deadlineLeftMs: -1, missingLeftMs: -1 }), { kind: 'complete' });
});

test('the exit codes after which another start would end alike are the end, with the last words', (t) => {
  t.deepEqual(endedWith('input', 2), { kind: 'failed', reason: 'InputInvalid', message: 'words' });
  t.deepEqual(endedWith('coordinator', 2), { kind: 'failed', reason: 'CoordinatorFailed', message: 'words' });
  for (const exitCode of [0, 1, 3, 4, 6, 70, 130, 137]) {
    t.is(endedWith('coordinator', exitCode), null, String(exitCode));
    t.is(endedWith('input', exitCode), null, String(exitCode));
  }
});

test('a pause by the limit of failed items is told from any other', (t) => {
  const reason = overLimit({ kind: 'items', items: 10 }, 11, 100) ?? '';
  t.like(endedWith('coordinator', 5, reason), { reason: 'TooManyFailedItems', message: `${reason}; what is recorded is kept` });
  t.like(endedWith('coordinator', 5, 'every server refuses all items; look at the errors of failed items'), { reason: 'Paused' });
  t.is(endedWith('input', 5), null);
});

test('what a pod that is being deleted has ended with says nothing: its successor is on its way', (t) => {
  const ends = [{ container: 'coordinator', exitCode: 2, message: 'x' }] as const;
  t.is(endOf({ ...GOING_ON, coordinators: [coordinatorOf({ ends, isTerminating: true })] }), null);
});

test('time that is over fails the run', (t) => {
  t.like(endOf({ ...GOING_ON, deadlineLeftMs: 0 }), { kind: 'failed', reason: 'DeadlineExceeded' });
  t.like(endOf({ ...GOING_ON, missingLeftMs: 0 }), { kind: 'failed', reason: 'TooManyMissingWorkers' });
  t.is(endOf({ ...GOING_ON, deadlineLeftMs: 1, missingLeftMs: 1 }), null);
});
