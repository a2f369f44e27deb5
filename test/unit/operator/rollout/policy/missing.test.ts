import test from 'ava';
import type { Condition } from '../../../../../operator/api/conditions.ts';
import { missingLeftMs, mostMissing } from '../../../../../operator/rollout/policy/missing.ts';

const SINCE = '2026-11-30T10:00:00Z';
const SINCE_MS = Date.parse(SINCE);

const workersReady = (status: Condition['status']): readonly Condition[] => [
  { type: 'WorkersReady', status, reason: 'WorkersMissing', message: '', lastTransitionTime: SINCE },
];

test('a number of workers may be missing, or a share, of which no part of a worker counts', (t) => {
  t.is(mostMissing(undefined, 10), null);
  t.deepEqual([mostMissing(0, 10), mostMissing(3, 10)], [0, 3]);
  t.deepEqual([mostMissing('0%', 10), mostMissing('25%', 10), mostMissing('100%', 10)], [0, 2, 10]);
});

test('a run fails ten minutes after too many are missing, and not while enough are there', (t) => {
  t.is(missingLeftMs(workersReady('False'), SINCE_MS), 600_000);
  t.is(missingLeftMs(workersReady('False'), SINCE_MS + 600_000), 0);
  for (const conditions of [[], workersReady('True'), workersReady('Unknown')])
    t.is(missingLeftMs(conditions, SINCE_MS + 1e9), Number.POSITIVE_INFINITY);
});
