import test from 'ava';
import { MAX_REASONS, NEW_LOG_THROTTLE, onReason } from '../../../runtime/base/log-throttle.ts';

/** The moments at which a reason is logged that comes every `everyMs`. */
function loggedAt(reasons: readonly string[], everyMs: number, forMs: number): number[] {
  let throttle = NEW_LOG_THROTTLE;
  const logged: number[] = [];
  for (let nowMs = 0, n = 0; nowMs <= forMs; nowMs += everyMs, n += 1) {
    const result = onReason(throttle, reasons[n % reasons.length] ?? '', nowMs);
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
  let { throttle } = onReason(NEW_LOG_THROTTLE, 'a', 0);
  for (const nowMs of [1, 2, 3]) throttle = onReason(throttle, 'a', nowMs).throttle;
  t.like(onReason(throttle, 'b', 4), { isDue: true, unlogged: 0 });
  t.like(onReason(throttle, 'a', 4_999), { isDue: false });
  t.like(onReason(throttle, 'a', 5_000), { isDue: true, unlogged: 3 });
});

test('what is remembered is bounded', (t) => {
  let throttle = NEW_LOG_THROTTLE;
  for (let n = 0; n < 3 * MAX_REASONS; n += 1) throttle = onReason(throttle, `reason ${n}`, n).throttle;
  t.is(throttle.size, MAX_REASONS);
  t.false(onReason(throttle, `reason ${3 * MAX_REASONS - 1}`, 3 * MAX_REASONS).isDue, 'the newest are kept');
});
