import test from 'ava';
import { beatIntervalMs, beatsPerAnswer, checkBeats, checkTiming } from '../../../runtime/model/timing.ts';
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

test('more workers than 1,000 beats a second carry are told to beat more seldom, four times at least before they fence themselves', (t) => {
  for (const [workers, intervalMs] of [
    [1, 500],
    [500, 500],
    [501, 1_000],
    [1_000, 1_000],
    [100_000, 1_000],
  ] as const) {
    t.is(beatIntervalMs(DEFAULT_TIMING, workers), intervalMs, `${workers} workers`);
  }
  t.is(beatIntervalMs({ ...DEFAULT_TIMING, heartbeatIntervalMs: 2_000 }, 10_000), 2_000, 'no room for more');
  t.is(beatIntervalMs({ ...DEFAULT_TIMING, heartbeatIntervalMs: 100 }, 250), 300);
});

test('whatever interval is told, an answer comes twice within the self-fence timeout', (t) => {
  t.is(beatsPerAnswer(DEFAULT_TIMING), 3);
  t.is(beatsPerAnswer({ ...DEFAULT_TIMING, heartbeatIntervalMs: 1_000 }), 2);
});
