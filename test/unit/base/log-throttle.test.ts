import test from 'ava';
import { MAX_REASONS, NEW_LOG_THROTTLE, onReason } from '../../../runtime/base/log-throttle.ts';

/** The moments at which a reason is logged that comes every `everyMs`. */
function loggedAt(reasons: readonly string[], everyMs: number, forMs: number): number[] {
  let throttle = NEW_LOG_THROTTLE;
  const logged: number[] = [];
  for (let nowMs = 0, n = 0; nowMs <= forMs; nowMs += everyMs, n += 1) {
    const result = onReason(throttle, nowMs, reasons[n % reasons.length] ?? '');
    throttle = result.throttle;
    if (result.isDue) logged.push(nowMs);
  }
  return logged;
}

test('a reason is logged at once, then with growing gaps, and in the end once a minute', (t) => {
  t.deepEqual(loggedAt(['away'], 250, 200_000), [0, 5_000, 15_000, 35_000, 75_000, 135_000, 195_000]);
});

test('reasons that alternate are not new each time', (t) => {
  t.is(loggedAt(['passive', 'away'], 250, 60_000).length, 2 * 4);
});

test('another reason is logged at once, and a logged one tells how often it came unlogged', (t) => {
  let { throttle } = onReason(NEW_LOG_THROTTLE, 0, 'a');
  for (const nowMs of [1, 2, 3]) throttle = onReason(throttle, nowMs, 'a').throttle;
  t.like(onReason(throttle, 4, 'b'), { isDue: true, unlogged: 0 });
  t.like(onReason(throttle, 4_999, 'a'), { isDue: false });
  t.like(onReason(throttle, 5_000, 'a'), { isDue: true, unlogged: 3 });
});

test('what is remembered is bounded', (t) => {
  let throttle = NEW_LOG_THROTTLE;
  for (let n = 0; n < 3 * MAX_REASONS; n += 1) throttle = onReason(throttle, n, `reason ${n}`).throttle;
  t.is(throttle.size, MAX_REASONS);
  t.false(onReason(throttle, 3 * MAX_REASONS, `reason ${3 * MAX_REASONS - 1}`).isDue, 'the newest are kept');
});
