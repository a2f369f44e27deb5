import test from 'ava';
import { deadlineLeftMs, ttlLeftMs } from '../../../../../operator/rollout/policy/deadline.ts';

const START = 1_000_000;
const CLOCKS = { startTimeMs: START, suspendedSinceMs: null, suspendedSeconds: 0, activeDeadlineSeconds: 60 };

test('the deadline runs from the start, to the millisecond', (t) => {
  t.is(deadlineLeftMs(CLOCKS, START), 60_000);
  t.is(deadlineLeftMs(CLOCKS, START + 59_999), 1);
  t.is(deadlineLeftMs(CLOCKS, START + 60_000), 0);
});

test('it stands still while the run is suspended, and does not count suspensions that are over', (t) => {
  const suspended = { ...CLOCKS, suspendedSinceMs: START + 20_000 };
  t.is(deadlineLeftMs(suspended, START + 20_000), 40_000);
  t.is(deadlineLeftMs(suspended, START + 900_000), 40_000);
  t.is(deadlineLeftMs({ ...CLOCKS, suspendedSeconds: 880 }, START + 900_000), 40_000);
});

test('there is none where none is set, and before the start', (t) => {
  t.is(deadlineLeftMs({ ...CLOCKS, activeDeadlineSeconds: null }, START + 1e9), Number.POSITIVE_INFINITY);
  t.is(deadlineLeftMs({ ...CLOCKS, startTimeMs: null }, START + 1e9), Number.POSITIVE_INFINITY);
});

test('a finished run is kept for its time, or for ever', (t) => {
  t.is(ttlLeftMs(START, 60, START + 45_000), 15_000);
  t.is(ttlLeftMs(START, 0, START), 0);
  t.is(ttlLeftMs(START, null, START + 1e12), Number.POSITIVE_INFINITY);
});
