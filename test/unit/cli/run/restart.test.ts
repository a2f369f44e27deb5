import test from 'ava';
import { describeEnd, NO_RESTARTS, onEnd, QUICK_FAILURES_LIMIT, type Restarts, reasonGiven } from '../../../../runtime/cli/run/restart.ts';

const CRASH = { code: 70, signal: null, ranMs: 20 } as const;
const KILL = { code: null, signal: 'SIGKILL', ranMs: 20 } as const;

function pauses(end: Parameters<typeof onEnd>[1], times: number): readonly (number | 'gave up')[] {
  let restarts: Restarts = NO_RESTARTS;
  return Array.from({ length: times }, () => {
    const decision = onEnd(restarts, end);
    if (decision.kind === 'give-up') return 'gave up';
    restarts = decision.restarts;
    return decision.pauseMs;
  });
}

test('the pause before a restart doubles from 0.1 s to 5 s', (t) => {
  t.deepEqual(pauses(KILL, 8), [100, 200, 400, 800, 1600, 3200, 5000, 5000]);
});

test('a process that keeps failing at once is given up after the named number of failures', (t) => {
  const seen = pauses(CRASH, QUICK_FAILURES_LIMIT);
  t.is(seen.at(-1), 'gave up');
  t.is(seen.filter((pause) => pause === 'gave up').length, 1);
});

test('kills from outside never make the supervisor give up', (t) => {
  t.false(pauses(KILL, 50).includes('gave up'));
  t.true(pauses({ code: null, signal: 'SIGSEGV', ranMs: 20 }, 50).includes('gave up'));
});

test('ten seconds of health start the row again', (t) => {
  const decision = onEnd({ endsInARow: 6, failuresInARow: QUICK_FAILURES_LIMIT - 1 }, { ...CRASH, ranMs: 10_000 });
  t.deepEqual(decision, { kind: 'restart', pauseMs: 100, restarts: { endsInARow: 1, failuresInARow: 1 } });
  t.is(onEnd({ endsInARow: 6, failuresInARow: QUICK_FAILURES_LIMIT - 1 }, { ...CRASH, ranMs: 9_999 }).kind, 'give-up');
});

test('an end reads as code or signal', (t) => {
  t.is(describeEnd(CRASH), 'ended with exit code 70');
  t.is(describeEnd(KILL), 'ended by SIGKILL');
});

test('a coordinator that gives up says why; any other message is not the reason', (t) => {
  t.is(reasonGiven({ kind: 'given-up', reason: 'stalled' }), 'stalled');
  t.is(reasonGiven({ kind: 'listening', address: '127.0.0.1:1' }), null);
  t.is(reasonGiven(null), null);
});
