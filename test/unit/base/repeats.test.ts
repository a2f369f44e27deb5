import test from 'ava';
import { MAX_REASONS, NO_REPEATS, onReason } from '../../../runtime/base/repeats.ts';

/** The moments at which a reason is logged that comes every `everyMs`. */
function loggedAt(reasons: readonly string[], everyMs: number, forMs: number): number[] {
  let repeats = NO_REPEATS;
  const logged: number[] = [];
  for (let nowMs = 0, n = 0; nowMs <= forMs; nowMs += everyMs, n += 1) {
    const result = onReason(repeats, reasons[n % reasons.length] ?? '', nowMs);
    repeats = result.repeats;
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
  let { repeats } = onReason(NO_REPEATS, 'a', 0);
  for (const nowMs of [1, 2, 3]) repeats = onReason(repeats, 'a', nowMs).repeats;
  t.like(onReason(repeats, 'b', 4), { isDue: true, unlogged: 0 });
  t.like(onReason(repeats, 'a', 4_999), { isDue: false });
  t.like(onReason(repeats, 'a', 5_000), { isDue: true, unlogged: 3 });
});

test('what is remembered is bounded', (t) => {
  let repeats = NO_REPEATS;
  for (let n = 0; n < 3 * MAX_REASONS; n += 1) repeats = onReason(repeats, `reason ${n}`, n).repeats;
  t.is(repeats.size, MAX_REASONS);
  t.false(onReason(repeats, `reason ${3 * MAX_REASONS - 1}`, 3 * MAX_REASONS).isDue, 'the newest are kept');
});
