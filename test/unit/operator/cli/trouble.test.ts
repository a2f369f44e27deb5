import test from 'ava';
import type { Condition } from '../../../../operator/api/conditions.ts';
import { isBehind, troublesOf, troubleText } from '../../../../operator/cli/trouble.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const condition = (type: string, status: Condition['status'], reason = 'Reason'): Condition => ({
  type,
  status,
  reason,
  message: 'why',
  lastTransitionTime: '2026-11-30T10:00:00Z',
});

function troubles(conditions: readonly Condition[], spec: object = {}): readonly string[] {
  return troublesOf(runOf(spec, { conditions })).map(({ type }) => type);
}

test('what should hold and does not is told, also where it is not known', (t) => {
  t.deepEqual(
    troubles([
      condition('InputReady', 'True'),
      condition('CoordinatorAvailable', 'Unknown'),
      condition('Progressing', 'False'),
      condition('WorkersReady', 'False'),
      condition('Draining', 'True'),
      condition('Suspended', 'False'),
      condition('Complete', 'False'),
      condition('Failed', 'False'),
      condition('NodeSignalsAvailable', 'False'),
    ]),
    ['CoordinatorAvailable', 'Progressing', 'WorkersReady'],
  );
});

test('a run that is over has no trouble but that it has failed', (t) => {
  const away = condition('CoordinatorAvailable', 'False');
  t.deepEqual(troubles([away, condition('Complete', 'True')]), []);
  t.deepEqual(troubles([away, condition('Failed', 'True')]), ['Failed']);
});

test('a run that is suspended is meant to stand still', (t) => {
  t.deepEqual(troubles([condition('Progressing', 'False'), condition('InputReady', 'False')], { suspend: true }), ['InputReady']);
});

test('a condition that is not known here is left alone, also one that is called as what all objects have', (t) => {
  t.deepEqual(troubles([condition('Verified', 'False'), condition('constructor', 'False')]), []);
});

test('a run without a status has none', (t) => {
  t.deepEqual(troublesOf(runOf()), []);
});

test('a trouble in a sentence', (t) => {
  t.is(troubleText(condition('Progressing', 'False', 'Stalled')), 'Progressing is False (Stalled): why');
});

test('the operator is behind until it has seen the generation', (t) => {
  t.true(isBehind(runOf()));
  t.true(isBehind(runOf({}, { observedGeneration: 1 })));
  t.false(isBehind(runOf({}, { observedGeneration: 2 })));
});
