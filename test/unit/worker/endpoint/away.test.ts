import test from 'ava';
import { whyAway } from '../../../../runtime/worker/endpoint/away.ts';
import {
  type Endpoint,
  newEndpoint,
  onBusy,
  onItemRefused,
  onLeft,
  onReadiness,
  onResult,
  onStarted,
  onUnreachable,
} from '../../../../runtime/worker/endpoint/endpoint.ts';

const WAIT_MS = 10_000;

function ready(number = 0): Endpoint {
  const endpoint = newEndpoint(number, `http://h:${number}`, 64, 600_000, 0);
  onReadiness(endpoint, null);
  return endpoint;
}

/** Refused for now at each of these moments. */
function busy(endpoint: Endpoint, ...atMs: readonly number[]): Endpoint {
  for (const nowMs of atMs) onBusy(endpoint, nowMs, 'a', 0, 'http_503');
  return endpoint;
}

test('an endpoint that only throttles is away from its first refusal on', (t) => {
  const endpoint = busy(ready(), 1_000, 5_000);
  t.is(whyAway([endpoint], 10_999, WAIT_MS), null);
  t.is(whyAway([endpoint], 11_000, WAIT_MS), 'http://h:0: http_503, 2 times in a row without a result');
});

test('a result, or the refusal of an item, begins it again', (t) => {
  const answered = busy(ready(), 1_000);
  onResult(answered, 10);
  t.is(whyAway([answered], 60_000, WAIT_MS), null);
  t.is(whyAway([busy(answered, 60_000)], 69_999, WAIT_MS), null);
  const judging = busy(ready(), 1_000);
  onItemRefused(judging, 'a');
  t.is(whyAway([judging], 60_000, WAIT_MS), null);
});

test('what still runs there may become a result', (t) => {
  const endpoint = busy(ready(), 1_000);
  onStarted(endpoint, 2_000, 'b');
  t.is(whyAway([endpoint], 60_000, WAIT_MS), null);
});

test('one endpoint that throttles and one that is away are no backend; one that works is', (t) => {
  const gone = ready(1);
  onUnreachable(gone, 0, 'a', 'ECONNREFUSED');
  onReadiness(gone, 'ECONNREFUSED');
  const throttling = busy(ready(), 0);
  t.is(
    whyAway([throttling, gone], WAIT_MS, WAIT_MS),
    'http://h:0: http_503, 1 times in a row without a result; http://h:1: ECONNREFUSED, 1 times',
  );
  t.is(whyAway([throttling, gone, ready(2)], WAIT_MS, WAIT_MS), null);
});

test('an endpoint that throttled before it went away is away since then', (t) => {
  const endpoint = busy(ready(), 1_000);
  onUnreachable(endpoint, 9_000, 'b', 'ECONNREFUSED');
  onReadiness(endpoint, 'ECONNREFUSED');
  t.is(whyAway([endpoint], 11_000, WAIT_MS), 'http://h:0: ECONNREFUSED, 1 times');
});

test('W5: time in which an endpoint that throttles is asked nothing does not count, but for what it asked for itself', (t) => {
  const endpoint = busy(ready(), 1_000);
  t.is(whyAway([endpoint], 3_600_000, 60_000), null, 'throttled once, and idle since');
  onStarted(endpoint, 3_600_000, 'b');
  onLeft(endpoint, 3_600_100);
  busy(endpoint, 3_600_100);
  t.is(whyAway([endpoint], 3_600_100, 60_000), null);
  const asking = ready();
  onBusy(asking, 1_000, 'a', 600_000, 'http_503');
  t.is(whyAway([asking], 590_000, 900_000), null);
  onStarted(asking, 601_000, 'b');
  onLeft(asking, 601_100);
  onBusy(asking, 601_100, 'b', 600_000, 'http_503');
  t.regex(whyAway([asking], 1_201_000, 900_000) ?? '', /http_503, 2 times/, 'it is waited for as it asked');
});
