import test from 'ava';
import {
  CUT_WINDOW_MS,
  isQuiet,
  type Limit,
  MAX_QUIET_MS,
  newLimit,
  onOpened,
  onOverload,
  onSucceeded,
  onThrottled,
} from '../../../../runtime/worker/endpoint/concurrency.ts';

const TIMEOUT_MS = 600_000;
const full = (max: number): Limit => newLimit(max, TIMEOUT_MS);

function succeed(limit: Limit, times: number, carried: number | null = null): Limit {
  return Array.from({ length: times }).reduce<Limit>((now) => onSucceeded(now, carried), limit);
}

/** So many items end well while so many run at a time: a round of answers. */
function round(limit: Limit, carried: number | null = null): Limit {
  return succeed(limit, limit.size, carried);
}

test('the first requests are few enough that the slowest server loses few of them', (t) => {
  t.is(newLimit(64, 4_000).size, 8);
  t.is(newLimit(2, 4_000).size, 2);
  t.is(newLimit(64, 600_000).size, 64, 'with a time-out of ten minutes a server may take its time for each');
  t.is(newLimit(64, 160_000).size, 20);
});

test('a refusal halves the concurrency', (t) => {
  t.is(onThrottled(full(64), 0, 0, 0).size, 32);
  t.is(onThrottled(full(5), 0, 0, 0).size, 2);
});

test('the refusals of one burst halve it once, the next burst again', (t) => {
  const burst = onThrottled(onThrottled(full(64), 0, 0, 0), CUT_WINDOW_MS - 1, 0, 0);
  t.is(burst.size, 32);
  t.is(onThrottled(burst, CUT_WINDOW_MS, 0, 0).size, 16);
});

test('one item at a time is the least', (t) => {
  const limits = Array.from({ length: 10 }).reduce<Limit>((now, _, n) => onThrottled(now, n * CUT_WINDOW_MS, 0, 0), full(64));
  t.is(limits.size, 1);
});

test('after throttling what was carried before is back within three rounds of answers', (t) => {
  for (const max of [4, 16, 32, 64]) {
    const throttled = Array.from({ length: 10 }).reduce<Limit>((now, _, n) => onThrottled(now, n * CUT_WINDOW_MS, 0, 0), full(max));
    t.is(throttled.size, 1);
    t.is(round(round(round(throttled))).size, max);
  }
});

test('where it was refused on the way up, it goes by ones from half of that', (t) => {
  const first = onThrottled(full(64), 0, 0, 0);
  const grown = succeed(first, 4);
  t.is(grown.size, 44);
  const second = onThrottled(grown, CUT_WINDOW_MS, 0, 0);
  t.is(second.size, 22);
  t.is(round(second).size, 23);
  t.is(round(round(second)).size, 24);
});

test('it stays what the endpoint carries', (t) => {
  const cut = onThrottled(full(64), 0, 0, 0);
  t.is(succeed(cut, 100, 40.5).size, 40);
  t.is(succeed(cut, 100, 3).size, 32, 'a success takes nothing away');
});

test('time-outs cut to what the endpoint carries, or to half', (t) => {
  t.is(onOverload(full(64), 0, 4.5).size, 4);
  t.is(onOverload(full(64), 0, 50).size, 32);
  t.is(onOverload(full(64), 0, null).size, 32);
  t.is(onOverload(full(64), 0, 0.2).size, 1);
});

test('an endpoint that was away begins with one item, and is soon back at what it carried', (t) => {
  const opened = onOpened(full(64));
  t.is(opened.size, 1);
  t.is(round(round(round(opened))).size, 64);
  t.is(onOpened(opened).carriedBefore, 64, 'also where it goes away again at once');
});

test('nothing starts for as long as the server asked, but not for hours', (t) => {
  const quiet = onThrottled(full(8), 100, 2_000, 0);
  t.true(isQuiet(quiet, 2_099));
  t.false(isQuiet(quiet, 2_100));
  t.is(onThrottled(full(8), 0, MAX_QUIET_MS, 0).quietUntilMs, MAX_QUIET_MS);
  t.is(onThrottled(quiet, 200, 500, 0).quietUntilMs, 2_100, 'a shorter wish does not end a longer one');
});

test('where it asked for more than the worker waits, the gaps grow with the time without a result', (t) => {
  const gap = (barrenMs: number): number => onThrottled(full(8), 100, 3_600_000, barrenMs).quietUntilMs - 100;
  t.is(gap(0), CUT_WINDOW_MS, 'it may have meant one item');
  t.is(gap(9_000), 9_000);
  t.is(gap(3_600_000), MAX_QUIET_MS);
});

test('a server that does not say how long: a worker with one item waits a window, others just run fewer', (t) => {
  t.is(onThrottled(full(8), 100, 0, 0).quietUntilMs, 100);
  t.is(onThrottled(full(1), 100, 0, 0).quietUntilMs, 100 + CUT_WINDOW_MS);
});
