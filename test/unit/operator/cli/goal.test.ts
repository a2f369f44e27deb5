import test from 'ava';
import type { Condition } from '../../../../operator/api/conditions.ts';
import { type Goal, goalOf, waitEnd } from '../../../../operator/cli/goal.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const holds = (type: string, more: Partial<Condition> = {}): Condition => ({
  type,
  status: 'True',
  reason: 'Reason',
  message: 'why',
  lastTransitionTime: '',
  ...more,
});

function endOf(goal: Goal, conditions: readonly Condition[], status: object = {}): number | null {
  return waitEnd(runOf({}, { observedGeneration: 2, conditions, ...status }), goal, 'answers')?.exit ?? null;
}

test('a goal is named by its condition, however it is written', (t) => {
  t.is(goalOf('complete'), 'Complete');
  t.is(goalOf('CoordinatorAvailable'), 'CoordinatorAvailable');
  t.is(goalOf('deleted'), 'Deleted');
  t.is(goalOf('Ready'), null);
});

test('a run that is complete ends with 0, and with 1 where items failed', (t) => {
  t.is(endOf('Complete', [holds('Complete')], { items: { done: 10, failed: 0 } }), 0);
  t.is(endOf('Complete', [holds('Complete')], { items: { done: 9, failed: 1 } }), 1);
});

test('a run that has failed ends with 5, and with 0 for who waits for that', (t) => {
  t.is(endOf('Complete', [holds('Failed')]), 5);
  t.is(endOf('Suspended', [holds('Failed')]), 5);
  t.is(endOf('Failed', [holds('Failed')]), 0);
});

test('while nothing holds the wait goes on', (t) => {
  t.is(endOf('Complete', []), null);
  t.is(endOf('Complete', [holds('Complete', { status: 'False' })]), null);
  t.is(endOf('Suspended', [holds('Progressing')]), null);
  t.is(endOf('Deleted', [holds('Complete')]), null);
});

test('a condition counts once the operator has seen the last change, and an end at once', (t) => {
  t.is(endOf('Suspended', [holds('Suspended')], { observedGeneration: 1 }), null);
  t.is(endOf('Suspended', [holds('Suspended')]), 0);
  t.is(endOf('Complete', [holds('Complete')], { observedGeneration: 1 }), 0);
});

test('what cannot be any more since the run is complete ends with 4; progress was made', (t) => {
  t.is(endOf('Suspended', [holds('Complete')]), 4);
  t.is(endOf('Failed', [holds('Complete')]), 4);
  t.is(endOf('Progressing', [holds('Complete')], { items: { done: 1, failed: 0 } }), 0);
});

test('a run that is gone ends with 5, and with 0 for who waits for that', (t) => {
  t.deepEqual(waitEnd(null, 'Complete', 'answers'), { exit: 5, text: 'answers was deleted' });
  t.deepEqual(waitEnd(null, 'Deleted', 'answers'), { exit: 0, text: 'answers is gone' });
});

test('how it ended is said', (t) => {
  t.is(
    waitEnd(runOf({}, { conditions: [holds('Failed', { reason: 'DeadlineExceeded' })] }), 'Complete', 'answers')?.text,
    'answers has failed (DeadlineExceeded): why',
  );
  t.is(
    waitEnd(runOf({}, { items: { done: 9, failed: 1 }, conditions: [holds('Complete')] }), 'Suspended', 'answers')?.text,
    'answers is complete: 9 items have a result, 1 have failed; it will not be Suspended any more',
  );
});
