import test from 'ava';
import { beatDueAtMs, type FailureTiming, liveness, pauseMs, scanIntervalMs } from '../../../../runtime/coordinator/workers/failure.ts';

const TIMING: FailureTiming = { heartbeatIntervalMs: 500, coordinatorFailureTimeoutMs: 5_000, clockSkewBudgetMs: 250 };

test('a beat is due one interval after the last was received', (t) => {
  t.is(beatDueAtMs(10_000, TIMING), 10_500);
});

test('a worker fails only when it is later than the timeout, not at it', (t) => {
  t.is(liveness(10_500 + 5_000, 10_500, TIMING, 500), 'suspected');
  t.is(liveness(10_500 + 5_001, 10_500, TIMING, 500), 'failed');
});

test('the skew budget holds a failure back where it is the longer of the two', (t) => {
  const skewed = { ...TIMING, coordinatorFailureTimeoutMs: 100, clockSkewBudgetMs: 900 };
  t.is(liveness(900, 0, skewed, 500), 'suspected');
  t.is(liveness(901, 0, skewed, 500), 'failed');
});

test('a missed beat is seen by a scan within two intervals of the last beat', (t) => {
  const scanMs = scanIntervalMs(TIMING);
  t.is(scanMs, 250);
  for (let phase = 0; phase < scanMs; phase += 10) {
    const scans = Array.from({ length: 10 }, (_, at) => phase + at * scanMs);
    const seenAt = scans.find((at) => liveness(at, beatDueAtMs(0, TIMING), TIMING, 500) !== 'alive');
    t.true(seenAt !== undefined && seenAt <= 1_000, `phase ${phase}: seen at ${seenAt}`);
  }
});

test('a beat that is a little late is no suspicion', (t) => {
  t.is(liveness(10_500 + 249, 10_500, TIMING, 500), 'alive');
  t.is(liveness(10_500 + 250, 10_500, TIMING, 500), 'suspected');
});

test('one that was told to beat more seldom is suspected later, and failed no later', (t) => {
  t.is(liveness(10_500 + 999, 10_500, TIMING, 1_000), 'alive');
  t.is(liveness(10_500 + 1_000, 10_500, TIMING, 1_000), 'suspected');
  t.is(liveness(10_500 + 5_001, 10_500, TIMING, 1_000), 'failed');
});

test('a pause is the excess of the gap between two scans, if it exceeds a heartbeat', (t) => {
  t.is(pauseMs(250, TIMING), 0);
  t.is(pauseMs(750, TIMING), 0);
  t.is(pauseMs(10_250, TIMING), 10_000);
});
