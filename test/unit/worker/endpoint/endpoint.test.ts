import test from 'ava';
import {
  type Endpoint,
  FAILURE_ROW,
  isClosed,
  newEndpoint,
  onBusy,
  onConfirmed,
  onFailure,
  onItemRefused,
  onLeft,
  onProbeDropped,
  onReadiness,
  onResult,
  onStarted,
  onUnreachable,
  outageOf,
  type Verdict,
  wantsProbe,
} from '../../../../runtime/worker/endpoint/endpoint.ts';
import type { EndpointFailure } from '../../../../runtime/worker/endpoint/outage.ts';
import { onKnownGoodAnswered, onKnownGoodFailed, REFUSAL_ROW } from '../../../../runtime/worker/endpoint/refusals.ts';

const FAILED: EndpointFailure = { isRefusal: false, isCertain: false, isTimeout: false, detail: 'http_502' };
const REFUSED: EndpointFailure = { ...FAILED, isRefusal: true, detail: 'http_401' };

/** Began with nothing beside it. */
const ALONE = { startedAtMs: 0, inFlight: 1 };

function ready(concurrency = 64, timeoutMs = 600_000): Endpoint {
  const endpoint = newEndpoint(0, 'http://h:1', concurrency, timeoutMs, 0);
  onReadiness(endpoint, null);
  return endpoint;
}

/** One item after the other ends like this. */
function fail(endpoint: Endpoint, times: number, failure: EndpointFailure = FAILED, isOnly = true): Verdict[] {
  return Array.from({ length: times }, (_, n) => {
    onStarted(endpoint, n, `f${n}`);
    onLeft(endpoint, n);
    return onFailure(endpoint, n, `f${n}`, failure, isOnly, ALONE);
  });
}

function succeed(endpoint: Endpoint, nowMs = 100): void {
  onStarted(endpoint, nowMs, 'ok');
  onLeft(endpoint, nowMs + 10);
  onResult(endpoint, 10);
}

function opened(concurrency = 64): Endpoint {
  const endpoint = ready(concurrency);
  succeed(endpoint);
  fail(endpoint, FAILURE_ROW);
  return endpoint;
}

/** Half-open, and its probe is under way. */
function probed(endpoint: Endpoint, key = 'probe'): Endpoint {
  onReadiness(endpoint, null);
  onStarted(endpoint, 1_000, key);
  onLeft(endpoint, 2_000);
  return endpoint;
}

test('an endpoint that says it is ready is used at once', (t) => {
  const endpoint = newEndpoint(0, 'http://h:1', 64, 600_000, 0);
  t.false(isClosed(endpoint));
  onReadiness(endpoint, 'loading');
  t.like(outageOf(endpoint), { tries: 1, detail: 'loading' });
  onReadiness(endpoint, null);
  t.true(isClosed(endpoint));
});

test('failures are held back; a row of them opens the breaker', (t) => {
  const endpoint = ready();
  t.deepEqual(fail(endpoint, FAILURE_ROW), [...Array.from({ length: FAILURE_ROW - 1 }, () => 'hold' as const), 'return']);
  t.like(outageOf(endpoint), { detail: 'http_502', tries: 0, isRefusing: false });
});

test('where fewer run at a time, a shorter row opens it; one failure is no row', (t) => {
  t.deepEqual(fail(ready(4), 4), ['hold', 'hold', 'hold', 'return']);
  t.deepEqual(fail(ready(1), 2), ['hold', 'return']);
});

test('a result interrupts the row', (t) => {
  const endpoint = ready();
  fail(endpoint, FAILURE_ROW - 1);
  succeed(endpoint);
  fail(endpoint, FAILURE_ROW - 1);
  t.true(isClosed(endpoint));
});

test('open, it waits until it says that it is ready, and then for one item', (t) => {
  const endpoint = opened();
  t.false(wantsProbe(endpoint));
  onReadiness(endpoint, 'answered 502');
  t.like(outageOf(endpoint), { tries: 1, detail: 'answered 502' });
  onReadiness(endpoint, null);
  t.true(wantsProbe(endpoint));
  onStarted(endpoint, 5, 'probe');
  t.false(wantsProbe(endpoint));
});

test('a probe that gives a result closes it, with one item at a time at first', (t) => {
  const endpoint = probed(opened());
  onResult(endpoint, 1_000);
  t.true(isClosed(endpoint));
  t.true(endpoint.limit.size <= 4);
});

test('a probe that the endpoint refuses as an item shows that it is there', (t) => {
  const endpoint = probed(opened());
  onItemRefused(endpoint, 'another');
  t.false(isClosed(endpoint));
  onItemRefused(endpoint, 'probe');
  t.true(isClosed(endpoint));
});

test('a probe that fails is confirmed by a readiness check, and the next try follows after a gap', (t) => {
  const endpoint = probed(opened());
  t.is(onFailure(endpoint, 2_000, 'probe', FAILED, true, ALONE), 'confirm');
  t.is(endpoint.breaker.kind, 'confirming');
  onConfirmed(endpoint, null);
  t.is(endpoint.breaker.kind, 'open');
  t.like(outageOf(endpoint), { tries: 1 });
});

/** The tries before the next gap, after so many probes that have failed. */
function triesAfter(endpoint: Endpoint, probes: number, readiness: string | null): number {
  for (let n = 0; n < probes; n++) {
    onReadiness(endpoint, null);
    onStarted(endpoint, 2_000, 'probe');
    onFailure(endpoint, 2_000, 'probe', FAILED, true, ALONE);
    onConfirmed(endpoint, readiness);
    onLeft(endpoint, 2_000);
  }
  return outageOf(endpoint)?.tries ?? 0;
}

test('an endpoint that has answered, and says that it is ready, is tried again soon; any other with growing gaps', (t) => {
  t.is(triesAfter(opened(), 10, null), 3);
  t.is(triesAfter(opened(), 10, 'answered 502'), 10);
  t.is(triesAfter(Object.assign(opened(), { hasAnswered: false }), 10, null), 10);
});

test('a probe that fails beside another endpoint that works goes back, to be tried there', (t) => {
  const endpoint = probed(opened());
  t.is(onFailure(endpoint, 2_000, 'probe', FAILED, false, ALONE), 'return');
  t.is(endpoint.breaker.kind, 'open');
});

test('what was in flight when the breaker opened goes back uncounted; its result would close it', (t) => {
  const endpoint = opened();
  t.is(onFailure(endpoint, 50, 'late', FAILED, true, ALONE), 'return');
  t.is(endpoint.breaker.kind, 'open');
  onResult(endpoint, 10);
  t.true(isClosed(endpoint));
});

test('a probe that was stopped is replaced by another', (t) => {
  const endpoint = probed(opened());
  onProbeDropped(endpoint, 'another');
  t.false(wantsProbe(endpoint));
  onProbeDropped(endpoint, 'probe');
  t.true(wantsProbe(endpoint));
});

test('a probe that is throttled, or finds nobody, proves nothing', (t) => {
  const throttled = probed(opened());
  onBusy(throttled, 2_000, 'probe', 0, 'http_503');
  t.like(outageOf(throttled), { tries: 1, detail: 'http_503' });
  const gone = probed(opened());
  onUnreachable(gone, 2_000, 'probe', 'ECONNREFUSED');
  t.like(outageOf(gone), { tries: 1, detail: 'ECONNREFUSED' });
});

test('throttling opens nothing', (t) => {
  const endpoint = ready();
  for (let nth = 0; nth < 100; nth++) onBusy(endpoint, nth * 2_000, `b${nth}`, 0, 'http_429');
  t.true(isClosed(endpoint));
});

test('W13: a refusal before any result is looked into: the known-good request shows whom it is meant for', (t) => {
  const endpoint = ready();
  t.deepEqual(fail(endpoint, 1, REFUSED), ['confirm']);
  t.like(endpoint.breaker, { kind: 'confirming', isRefusal: true });
  t.is(onFailure(endpoint, 5, 'late', REFUSED, true, ALONE), 'confirm', 'those that were in flight wait as well');
  t.is(onFailure(endpoint, 5, 'late', FAILED, true, ALONE), 'return');
  onKnownGoodFailed(endpoint, 'http_401', true);
  t.like(outageOf(endpoint), { isRefusing: true, detail: 'http_401', tries: 1 });
  t.is(onFailure(endpoint, 6, 'later', REFUSED, true, ALONE), 'refused');
});

test('W13: one that answers the known-good request has refused single items, and may do so in long rows', (t) => {
  const endpoint = ready();
  fail(endpoint, 1, REFUSED);
  onKnownGoodAnswered(endpoint);
  t.true(isClosed(endpoint));
  const verdicts = fail(endpoint, REFUSAL_ROW, REFUSED);
  t.deepEqual(new Set(verdicts.slice(0, -1)), new Set<Verdict>(['hold']));
  t.is(verdicts.at(-1), 'confirm');
});

test('W13: beside another endpoint that works a refusing one is only left out', (t) => {
  t.deepEqual(fail(ready(), 1, REFUSED, false), ['refused']);
});

test('one that has answered may refuse single items; a long row means everybody', (t) => {
  const endpoint = ready();
  succeed(endpoint);
  const verdicts = fail(endpoint, REFUSAL_ROW, REFUSED);
  t.deepEqual(new Set(verdicts.slice(0, -1)), new Set<Verdict>(['hold']));
  t.is(verdicts.at(-1), 'refused');
});

test('a certain refusal needs no row', (t) => {
  const endpoint = ready();
  succeed(endpoint);
  t.deepEqual(fail(endpoint, 1, { ...REFUSED, isCertain: true }), ['refused']);
});

test('W13: a refused probe is looked into as well', (t) => {
  const endpoint = probed(opened());
  t.is(onFailure(endpoint, 2_000, 'probe', REFUSED, true, ALONE), 'confirm');
  t.like(endpoint.breaker, { kind: 'confirming', isRefusal: true });
  onKnownGoodFailed(endpoint, 'http_401', true);
  t.like(outageOf(endpoint), { isRefusing: true, tries: 1 });
});
