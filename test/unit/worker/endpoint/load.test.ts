import test from 'ava';
import type { Endpoint } from '../../../../runtime/worker/endpoint/endpoint.ts';
import { newEndpoint, onFailure, onLeft, onReadiness, onResult, onStarted } from '../../../../runtime/worker/endpoint/endpoint.ts';
import type { EndpointFailure } from '../../../../runtime/worker/endpoint/outage.ts';

const TIMED_OUT: EndpointFailure = { isRefusal: false, isCertain: false, isTimeout: true, detail: 'timeout' };
const TIMEOUT_MS = 4_000;

function ready(): Endpoint {
  const endpoint = newEndpoint(0, 'http://h:1', 64, TIMEOUT_MS, 0);
  onReadiness(endpoint, null);
  return endpoint;
}

function succeed(endpoint: Endpoint, nowMs: number): void {
  onStarted(endpoint, nowMs, 'ok');
  onLeft(endpoint, nowMs + 10);
  onResult(endpoint, 10);
}

/** Began with nothing beside it. */
const ALONE = { startedAtMs: 0, inFlight: 1 };

test('time-outs while more is in flight than the endpoint carries are the fault of the crowd, and lower the concurrency', (t) => {
  const endpoint = ready();
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) onStarted(endpoint, 0, key);
  for (const nowMs of [1_500, 3_000]) {
    onLeft(endpoint, nowMs);
    onResult(endpoint, nowMs);
  }
  onLeft(endpoint, 4_000);
  t.is(onFailure(endpoint, 4_000, 'c', TIMED_OUT, true, ALONE), 'crowded');
  t.is(endpoint.limit.size, 1, 'it takes 1.5 s for each, one at a time');
});

test('a time-out beside many quick answers is held like any failure', (t) => {
  const endpoint = ready();
  onStarted(endpoint, 0, 'slow');
  for (let nth = 1; nth <= 30; nth++) {
    onStarted(endpoint, nth * 100, `q${nth}`);
    onLeft(endpoint, nth * 100 + 50);
    onResult(endpoint, 50);
  }
  onLeft(endpoint, 4_000);
  t.is(onFailure(endpoint, 4_000, 'slow', TIMED_OUT, true, ALONE), 'hold');
});

test('a time-out of what began in a crowd, or behind requests that were given up, is the crowd’s fault too', (t) => {
  const endpoint = ready();
  for (let nth = 1; nth <= 8; nth++) onStarted(endpoint, 0, `q${nth}`);
  for (let nth = 1; nth <= 7; nth++) {
    onLeft(endpoint, nth * 500);
    onResult(endpoint, nth * 500);
  }
  onLeft(endpoint, 4_000);
  t.is(onFailure(endpoint, 4_000, 'q8', TIMED_OUT, true, { startedAtMs: 0, inFlight: 8 }), 'crowded', 'alone by now');
  t.is(onFailure(endpoint, 7_999, 'later', TIMED_OUT, true, { startedAtMs: 3_999, inFlight: 1 }), 'crowded');
  succeed(endpoint, 8_000);
  t.is(onFailure(endpoint, 12_000, 'late', TIMED_OUT, true, { startedAtMs: 8_000, inFlight: 1 }), 'hold');
});
