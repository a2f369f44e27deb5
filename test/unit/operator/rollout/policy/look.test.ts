import test from 'ava';
import type { Condition } from '../../../../../operator/api/conditions.ts';
import { lookAgainMs } from '../../../../../operator/rollout/policy/look.ts';

const NOW = Date.parse('2026-11-30T10:00:00Z');

function inputReady(status: 'True' | 'False', secondsAgo: number): Condition {
  const lastTransitionTime = new Date(NOW - secondsAgo * 1_000).toISOString();
  return { type: 'InputReady', status, reason: 'x', message: '', observedGeneration: 1, lastTransitionTime };
}

const look = (condition: Condition | null, isStill = false, isMissing = true): number =>
  lookAgainMs({ isStill, waitsFor: isMissing ? 'InputReady' : null, conditions: condition === null ? [] : [condition], nowMs: NOW }) /
  1_000;

test('a run that goes on is looked at every two seconds, one that stands still once a minute', (t) => {
  t.is(look(inputReady('True', 3_600), false, false), 2);
  t.is(look(inputReady('True', 3_600), true, false), 60);
  t.is(look(inputReady('False', 5), true), 60);
});

test('a run that waits for its user is looked at more rarely the longer it waits, and once a minute in the end', (t) => {
  t.deepEqual(
    [0, 10, 60, 300, 600, 86_400].map((seconds) => look(inputReady('False', seconds))),
    [2, 2, 6, 30, 60, 60],
  );
  t.is(look(null), 2, 'it has just been seen that something is missing');
  t.is(look(inputReady('True', 600)), 2, 'nor has that been written down yet');
});
