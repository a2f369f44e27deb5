import test from 'ava';
import {
  CUT_WINDOW_MS,
  fullLimit,
  isQuiet,
  type Limit,
  MAX_QUIET_MS,
  onSucceeded,
  onThrottled,
} from '../../../runtime/worker/concurrency.ts';

function succeed(limit: Limit, times: number): Limit {
  return Array.from({ length: times }).reduce<Limit>((now) => onSucceeded(now), limit);
}

test('a refusal halves the concurrency', (t) => {
  t.is(onThrottled(fullLimit(64), 0, 0).size, 32);
  t.is(onThrottled(fullLimit(5), 0, 0).size, 2);
});

test('the refusals of one burst halve it once, the next burst again', (t) => {
  const burst = onThrottled(onThrottled(fullLimit(64), 0, 0), CUT_WINDOW_MS - 1, 0);
  t.is(burst.size, 32);
  t.is(onThrottled(burst, CUT_WINDOW_MS, 0).size, 16);
});

test('one item at a time is the least', (t) => {
  const limits = Array.from({ length: 10 }).reduce<Limit>((now, _, n) => onThrottled(now, n * CUT_WINDOW_MS, 0), fullLimit(64));
  t.is(limits.size, 1);
});

test('as many successes as run at a time add one, up to the configured concurrency', (t) => {
  const cut = onThrottled(fullLimit(8), 0, 0);
  t.is(succeed(cut, 3).size, 4);
  t.is(succeed(cut, 4).size, 5);
  t.is(succeed(cut, 4 + 5).size, 6);
  t.is(succeed(cut, 1_000).size, 8);
});

test('nothing starts for as long as the server asked, but not for hours', (t) => {
  const quiet = onThrottled(fullLimit(8), 100, 2_000);
  t.true(isQuiet(quiet, 2_099));
  t.false(isQuiet(quiet, 2_100));
  t.is(onThrottled(fullLimit(8), 0, 3_600_000).quietUntilMs, MAX_QUIET_MS);
  t.is(onThrottled(quiet, 200, 500).quietUntilMs, 2_100, 'a shorter wish does not end a longer one');
});

test('a server that does not say how long: a worker with one item waits a window, others just run fewer', (t) => {
  t.is(onThrottled(fullLimit(8), 100, 0).quietUntilMs, 100);
  t.is(onThrottled(fullLimit(1), 100, 0).quietUntilMs, 100 + CUT_WINDOW_MS);
});
