import test from 'ava';
import { seededRandom } from '../../../runtime/base/random.ts';
import type { Execution } from '../../../runtime/worker/backends/contract.ts';
import { judge, MAX_DELAY_MS, RETRY_BASE_MS, RETRY_CAP_MS, statedDelayMs } from '../../../runtime/worker/retry.ts';

const random = seededRandom(1);

function answered(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Execution {
  return { kind: 'answered', status, requestId: 'req-1', headers, body: Buffer.from(body) };
}

test('2xx with a JSON object is the result, byte for byte but for line ends', (t) => {
  t.deepEqual(judge(answered(200, '{"n": 12345678901234567890,\n "a": 1.0}\n'), 1, random), {
    kind: 'result',
    response: { statusCode: 200, requestId: 'req-1', body: '{"n": 12345678901234567890, "a": 1.0}' },
  });
});

test('an answer that cannot be read is told with what its headers say of it', (t) => {
  const told = (status: number, headers: Readonly<Record<string, string>>): string => {
    const judged = judge(answered(status, '<html>', headers), 1, random);
    return judged.kind === 'error' ? judged.message : judged.kind;
  };
  t.regex(told(200, { 'content-type': 'text/html; charset=utf-8' }), /it is text\/html; is the base URL/);
  t.regex(told(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }), /compressed \(gzip\)/);
  t.notRegex(told(200, { 'content-type': 'application/json' }), /base URL/);
  t.regex(told(307, { location: 'https://b/v1' }), /redirection to https:\/\/b\/v1, which is not followed/);
});

const COUNTED: readonly (readonly [Execution, string])[] = [
  [answered(200, ''), 'empty_answer'],
  [answered(204, ''), 'empty_answer'],
  [answered(200, '{"choices": [{"mess'), 'truncated_answer'],
  [answered(200, '[1, 2]'), 'truncated_answer'],
  [answered(200, '<html>'), 'truncated_answer'],
  [answered(408, '{}'), 'http_408'],
  [answered(409, '{}'), 'http_409'],
  [answered(500, '{}'), 'http_500'],
  [answered(502, '<html>'), 'http_502'],
  [answered(504, ''), 'http_504'],
  [{ kind: 'failed', code: 'timeout', message: 'm' }, 'timeout'],
  [{ kind: 'failed', code: 'connection_reset', message: 'm' }, 'connection_reset'],
];

for (const [execution, code] of COUNTED) {
  const name = execution.kind === 'answered' ? `${execution.status} '${Buffer.from(execution.body).toString()}'` : execution.kind;
  test(`${name} counts as a failure with code ${code}`, (t) => {
    const judged = judge(execution, 1, random);
    t.like(judged, { kind: 'error', code, isRetryable: true });
    t.true(judged.kind === 'error' && judged.delayMs >= RETRY_BASE_MS / 2 && judged.delayMs <= RETRY_BASE_MS);
  });
}

test('the delay doubles with the attempts, from 0.5 s to 8 s, with half of it by chance', (t) => {
  const delays = [1, 2, 3, 4, 5, 6, 40].map((attempt) => {
    const judged = judge(answered(500, ''), attempt, random);
    return judged.kind === 'error' ? judged.delayMs : -1;
  });
  for (const [n, delay] of delays.entries()) {
    const ceiling = Math.min(RETRY_CAP_MS, RETRY_BASE_MS * 2 ** n);
    t.true(delay >= ceiling / 2 && delay <= ceiling, `attempt ${n + 1}: ${delay}`);
  }
});

for (const status of [400, 401, 403, 404, 413, 422, 301]) {
  test(`${status} is final, and its response is kept`, (t) => {
    t.deepEqual(judge(answered(status, '{"error": {"message": "no", "code": "x"}}'), 3, random), {
      kind: 'error',
      code: `http_${status}`,
      message: `the server answered ${status}: no`,
      response: { statusCode: status, requestId: 'req-1', body: '{"error": {"message": "no", "code": "x"}}' },
      isRetryable: false,
      delayMs: 0,
    });
  });
}

test('a response that is not JSON is kept as text', (t) => {
  const judged = judge(answered(404, '<p>"no"\n'), 1, random);
  t.like(judged, { kind: 'error', message: 'the server answered 404', response: { body: JSON.stringify('<p>"no"\n') } });
  t.like(judge(answered(404, ''), 1, random), { response: { body: 'null' } });
});

for (const status of [429, 503]) {
  test(`${status} goes back uncounted, after the time that the server asked for`, (t) => {
    t.deepEqual(judge(answered(status, '{}', { 'retry-after': '2' }), 1, random), { kind: 'throttled', delayMs: 2_000, quietMs: 2_000 });
    t.deepEqual(judge(answered(status, '', { 'retry-after-ms': '150', 'retry-after': '9' }), 1, random), {
      kind: 'throttled',
      delayMs: 150,
      quietMs: 150,
    });
    const silent = judge(answered(status, '{}'), 1, random);
    t.like(silent, { kind: 'throttled', quietMs: 0 });
    t.true(silent.kind === 'throttled' && silent.delayMs >= 250 && silent.delayMs <= 500);
  });
}

test('a date is compared with the Date of the same answer, whatever the clock here says', (t) => {
  const date = 'Tue, 01 Jan 2030 00:00:00 GMT';
  t.is(statedDelayMs({ date, 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' }), 7_000);
  t.is(statedDelayMs({ date, 'retry-after': 'Mon, 31 Dec 2029 23:00:00 GMT' }), 0);
  t.is(statedDelayMs({ 'retry-after': 'Tue, 01 Jan 2030 00:00:07 GMT' }), 0, 'without a Date it says nothing');
  t.is(statedDelayMs({ 'retry-after': 'soon' }), 0);
  t.is(statedDelayMs({ 'retry-after': '1e9' }), MAX_DELAY_MS);
  t.is(statedDelayMs({ 'retry-after': '-3' }), 0);
});

test('insufficient_quota is no throttle: the run is to pause', (t) => {
  t.deepEqual(judge(answered(429, '{"error": {"code": "insufficient_quota"}}', { 'retry-after': '1' }), 1, random), { kind: 'quota' });
  t.deepEqual(judge(answered(429, '{"error": {"type": "insufficient_quota", "code": null}}'), 1, random), { kind: 'quota' });
});

test('a server that is not there, an answer that is too large, a streamed answer', (t) => {
  t.deepEqual(judge({ kind: 'unavailable', detail: 'ECONNREFUSED' }, 1, random), { kind: 'unavailable', detail: 'ECONNREFUSED' });
  t.like(judge({ kind: 'failed', code: 'response_too_large', message: 'm' }, 1, random), {
    code: 'response_too_large',
    isRetryable: false,
    response: null,
  });
  t.like(judge({ kind: 'failed', code: 'not_a_request', message: 'm' }, 1, random), { code: 'not_a_request', isRetryable: false });
  t.like(judge(answered(200, 'data: {}\n', { 'content-type': 'text/event-stream; charset=utf-8' }), 1, random), {
    code: 'streamed_answer',
    isRetryable: false,
  });
});
