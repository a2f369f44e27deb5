import test from 'ava';
import { checkBeats, checkTiming } from '../../../runtime/model/timing.ts';
import { DEFAULT_TIMING } from '../../support/default-timing.ts';

test('the default times hold together', (t) => {
  t.deepEqual(checkTiming(DEFAULT_TIMING), []);
  t.is(DEFAULT_TIMING.leaseRenewIntervalMs, 1_666);
});

const CASES = [
  ['workerSelfFenceTimeout', { workerSelfFenceTimeoutMs: 5_000 }, ['5s', 'coordinatorFailureTimeout', '(5s)']],
  ['clockSkewBudget', { clockSkewBudgetMs: 1_000 }, ['1s', 'heartbeatInterval', '500ms']],
  ['leaseRenewInterval', { leaseRenewIntervalMs: 5_000 }, ['5s', 'coordinatorFailureTimeout', '(5s)']],
  ['pollWait', { pollWaitMs: 20_001 }, ['20001ms', '20s']],
] as const;

for (const [setting, change, said] of CASES) {
  test(`${setting} at its limit is refused, with both settings and both values`, (t) => {
    const mistakes = checkTiming({ ...DEFAULT_TIMING, ...change });
    t.deepEqual(
      mistakes.map(({ field }) => field),
      [`timing.${setting}`],
    );
    for (const word of said) t.true(mistakes[0]?.problem.includes(word), `${mistakes[0]?.problem} should say ${word}`);
  });
}

test('C12: a coordinator whose workers would beat more seldom than they fence themselves is refused, with both values', (t) => {
  t.deepEqual(checkBeats(DEFAULT_TIMING), []);
  t.deepEqual(checkBeats({ ...DEFAULT_TIMING, heartbeatIntervalMs: 3_999 }), []);
  const [mistake] = checkBeats({ ...DEFAULT_TIMING, heartbeatIntervalMs: 10_000 });
  t.is(mistake?.field, 'timing.heartbeatInterval');
  t.regex(mistake?.problem ?? '', /is 10s, and must be shorter than `workerSelfFenceTimeout` \(4s\)/);
});

test('just inside every limit is accepted, and several mistakes are told together', (t) => {
  const inside = { workerSelfFenceTimeoutMs: 4_999, clockSkewBudgetMs: 999, leaseRenewIntervalMs: 4_999, pollWaitMs: 20_000 };
  t.deepEqual(checkTiming({ ...DEFAULT_TIMING, ...inside }), []);
  t.is(
    checkTiming({ ...DEFAULT_TIMING, workerSelfFenceTimeoutMs: 9_000, clockSkewBudgetMs: 9_000, leaseRenewIntervalMs: 9_000 }).length,
    3,
  );
});
