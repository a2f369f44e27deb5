import test from 'ava';
import { COUNTS_MS, isStatusDue } from '../../../../operator/rollout/status-due.ts';

const BEFORE = { phase: 'Running', progress: '3/10', items: { total: 10, done: 3 }, conditions: [] };

test('an equal status is never written, in whatever order its keys stand', (t) => {
  t.false(
    isStatusDue(BEFORE, { conditions: [], items: { done: 3, total: 10 }, progress: '3/10', phase: 'Running' }, Number.POSITIVE_INFINITY),
  );
});

test('counts are written every five seconds at most', (t) => {
  const after = { ...BEFORE, progress: '4/10', items: { total: 10, done: 4 } };
  t.false(isStatusDue(BEFORE, after, COUNTS_MS - 1));
  t.true(isStatusDue(BEFORE, after, COUNTS_MS));
});

test('whatever else changes is written at once, and so is the first status', (t) => {
  t.true(isStatusDue(BEFORE, { ...BEFORE, phase: 'Draining' }, 0));
  t.true(isStatusDue(undefined, BEFORE, 0));
});
