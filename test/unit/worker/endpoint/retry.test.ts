import test from 'ava';
import { seededRandom } from '../../../../runtime/base/random.ts';
import type { Executed } from '../../../../runtime/worker/backends/contract.ts';
import { hidingOf } from '../../../../runtime/worker/backends/hiding.ts';
import { type Judgement, judge as judgeWith, RETRY_BASE_MS, RETRY_CAP_MS } from '../../../../runtime/worker/endpoint/retry.ts';
import { answerBytes } from '../../../support/answer-bytes.ts';

const random = seededRandom(1);
const SECRET = 'sk-0123456789/abc';
const hide = hidingOf([SECRET]);
const URL = 'http://h:1/v1/chat/completions';
const GOOD = '{"n": 12345678901234567890,\n "choices": [{"p": 1.0}]}\n';

function judge(execution: Executed, attempt: number, chance = random): Judgement {
  return judgeWith(execution, attempt, chance, hide, 0);
}

function answered(status: number, body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}, url = URL): Executed {
  return { kind: 'answered', url, status, requestId: 'req-1', headers, body: Buffer.from(body) };
}

function errorOf(execution: Executed): Extract<Judgement, { kind: 'error' }> {
  const judged = judge(execution, 1, random);
  if (judged.kind !== 'error') throw new Error(`judged ${judged.kind}`);
  return judged;
}

test('2xx with what the endpoint returns is the result, byte for byte but for line ends', (t) => {
  t.deepEqual(judge(answered(200, GOOD), 1, random), {
    kind: 'result',
    response: { statusCode: 200, requestId: 'req-1', body: '{"n": 12345678901234567890, "choices": [{"p": 1.0}]}' },
  });
  t.like(judge(answered(201, '{"results": []}', {}, 'http://h:1/rerank'), 1, random), { kind: 'result' });
});

test('a body that the backend has made itself is judged like the same bytes of a server', (t) => {
  const made = (status: number, value: unknown): Executed => ({
    ...(answered(status, '') as Extract<Executed, { kind: 'answered' }>),
    body: { text: JSON.stringify(value), value },
  });
  for (const [status, value] of [
    [200, { choices: [{ p: 1 }] }],
    [200, { choices: [] }],
    [500, { error: { message: 'ill' } }],
    [429, { error: { code: 'insufficient_quota' } }],
  ] as const) {
    t.deepEqual(judge(made(status, value), 1, seededRandom(2)), judge(answered(status, JSON.stringify(value)), 1, seededRandom(2)));
  }
});

test('an answer that cannot be read is told with what its headers say of it', (t) => {
  t.regex(errorOf(answered(200, '<html>', { 'content-type': 'text/html; charset=utf-8' })).message, /a web page.*is the base URL/);
  t.like(errorOf(answered(200, 'x\u0000', { 'content-encoding': 'gzip' })), { code: 'compressed_answer', blame: 'endpoint' });
  const redirected = errorOf(answered(307, '', { location: 'https://b/v1?token=secret' }));
  t.regex(redirected.message, /answered 307: a redirection to https:\/\/b\/v1, which is not followed/);
});

const COUNTED: readonly (readonly [Executed, string])[] = [
  [answered(200, ''), 'empty_answer'],
  [answered(204, ''), 'empty_answer'],
  [answered(200, '{"choices": [{"mess'), 'truncated_answer'],
  [answered(200, '[1, 2]'), 'not_a_result'],
  [answered(200, '{"choices": []}'), 'not_a_result'],
  [answered(202, GOOD), 'not_a_result'],
  [answered(200, '{"error": {"message": "overloaded", "code": 502}}'), 'error_answer'],
  [answered(200, '{"error": "overloaded"}'), 'error_answer'],
  [answered(408, '{}'), 'http_408'],
  [answered(409, '{}'), 'http_409'],
  [answered(500, '{}'), 'http_500'],
  [answered(502, '<html>'), 'http_502'],
  [answered(504, ''), 'http_504'],
  [answered(529, '{}'), 'http_529'],
  [{ kind: 'failed', code: 'timeout', message: 'm' }, 'timeout'],
  [{ kind: 'failed', code: 'connection_reset', message: 'm' }, 'connection_reset'],
];

for (const [execution, code] of COUNTED) {
  const name = execution.kind === 'answered' ? `${execution.status} '${answerBytes(execution).toString()}'` : execution.kind;
  test(`${name} may be anybody's fault, with code ${code}`, (t) => {
    const judged = errorOf(execution);
    t.like(judged, { code, blame: 'unknown' });
    t.true(judged.delayMs >= RETRY_BASE_MS / 2 && judged.delayMs <= RETRY_BASE_MS);
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

for (const [status, blame] of [
  [400, 'request'],
  [413, 'request'],
  [422, 'request'],
  [401, 'endpoint'],
  [402, 'endpoint'],
  [404, 'endpoint'],
  [301, 'endpoint'],
] as const) {
  test(`${status} is not tried again, names the address asked, and its response is kept`, (t) => {
    const judged = errorOf(answered(status, '{"error": {"message": "no", "code": "x"}}'));
    t.is(judged.delayMs > 0, blame === 'endpoint', 'only what may be the fault of the endpoint may go back');
    t.like(judged, {
      kind: 'error',
      code: `http_${status}`,
      message: `${URL} answered ${status}: no`,
      response: { statusCode: status, requestId: 'req-1', body: '{"error": {"message": "no", "code": "x"}}' },
      blame,
    });
  });
}

test('a response that is not JSON is kept as text', (t) => {
  const judged = errorOf(answered(404, '<p>"no"\n'));
  t.like(judged, { message: `${URL} answered 404: <p>"no"`, response: { body: JSON.stringify('<p>"no"\n') } });
  t.like(errorOf(answered(404, '')), { response: { body: 'null' } });
});

test('an answer that is whole and not JSON in UTF-8 is final, and its text is kept', (t) => {
  const nan = '{"choices": [{"p": NaN}]}';
  t.like(errorOf(answered(200, nan)), { code: 'invalid_answer', blame: 'item', delayMs: 0, response: { body: JSON.stringify(nan) } });
  const bytes = Buffer.concat([Buffer.from('{"choices":"'), Uint8Array.of(0xff), Buffer.from('"}')]);
  t.like(errorOf(answered(200, bytes)), {
    code: 'invalid_answer',
    blame: 'item',
    response: { body: JSON.stringify('{"choices":"\ufffd"}') },
  });
  t.like(errorOf(answered(200, 'OK')), { code: 'invalid_answer', blame: 'request' });
});

test('an error inside a 200 is judged like the status that it names', (t) => {
  const of = (error: object): Judgement => judge(answered(200, JSON.stringify({ error })), 1, random);
  t.like(of({ code: 429, message: 'slow down' }), { kind: 'throttled', quietMs: 0 });
  t.like(of({ type: 'rate_limit_error' }), { kind: 'throttled' });
  t.like(of({ code: 401 }), { kind: 'error', code: 'error_answer', blame: 'endpoint' });
  t.like(of({ code: 'context_length_exceeded' }), { kind: 'error', blame: 'request' });
  t.like(of({ code: 'insufficient_quota' }), { kind: 'error', code: 'insufficient_quota', blame: 'endpoint' });
  t.like(of({ message: 'no' }), { blame: 'unknown', message: `${URL} answered 200: an error inside the answer: no` });
});

for (const status of [429, 503]) {
  test(`${status} is no failure: the item goes back, after the time that the server asked for`, (t) => {
    const error = {
      code: `http_${status}`,
      message: `${URL} answered ${status}: busy`,
      response: { statusCode: status, requestId: 'req-1' },
    };
    const asked = judge(answered(status, '{"error": "busy"}', { 'retry-after': '2' }), 1, random);
    t.like(asked, { kind: 'throttled', error, delayMs: 2_000, quietMs: 2_000 });
    const silent = judge(answered(status, '{}'), 1, random);
    t.like(silent, { kind: 'throttled', quietMs: 0 });
    t.true(silent.kind === 'throttled' && silent.delayMs >= 250 && silent.delayMs <= 500);
  });
}

test('any 5xx that says when to come again is a throttle', (t) => {
  t.like(judge(answered(502, '', { 'retry-after': '3' }), 1, random), { kind: 'throttled', delayMs: 3_000, quietMs: 3_000 });
  t.like(judge(answered(400, '', { 'retry-after': '3' }), 1, random), { kind: 'error', blame: 'request' });
});

test('insufficient_quota is no throttle, whatever the status: no item would fare better', (t) => {
  for (const status of [402, 403, 429]) {
    const judged = judge(
      answered(status, '{"error": {"type": "insufficient_quota", "message": "pay"}}', { 'retry-after': '1' }),
      1,
      random,
    );
    t.like(judged, { kind: 'error', code: 'insufficient_quota', blame: 'endpoint', message: `${URL} answered ${status}: pay` });
  }
});

test('a server that is not there, an answer that is too large, a streamed answer', (t) => {
  t.deepEqual(judge({ kind: 'unavailable', detail: 'ECONNREFUSED' }, 1, random), { kind: 'unavailable', detail: 'ECONNREFUSED' });
  for (const code of ['response_too_large', 'invalid_request'] as const)
    t.like(errorOf({ kind: 'failed', code, message: 'm' }), { code, blame: 'item', response: null, delayMs: 0 });
  const streamed = answered(200, 'data: {}\n', { 'content-type': 'text/event-stream; charset=utf-8' });
  t.like(errorOf(streamed), { code: 'streamed_answer', blame: 'item' });
});

test('no message of a judgement holds the key that a server repeats, also where the text is cut, and the body keeps its bytes', (t) => {
  const padding = 'x'.repeat(490);
  const bodies = [
    JSON.stringify({ error: { message: `Incorrect API key provided: ${SECRET}.` } }),
    JSON.stringify({ error: { message: `${padding} ${SECRET}` } }),
    JSON.stringify({ seen: `Bearer ${SECRET}` }),
    `{"seen": "${SECRET.replace('/', '\\/')}"}`,
    `<html><title>no ${SECRET}</title>`,
    `no route for /v1?key=${encodeURIComponent(SECRET)}`,
  ];
  for (const body of bodies) {
    const judged = errorOf(answered(401, body));
    t.notRegex(judged.message, /sk-0/, body);
    t.true(judged.response?.body.includes('0123456789'), body);
  }
  t.notRegex(errorOf(answered(302, '', { location: `http://h/${SECRET}` })).message, /sk-0/);
  t.deepEqual(judge({ kind: 'unavailable', detail: `proxy: ${SECRET}` }, 1), { kind: 'unavailable', detail: 'proxy: [hidden]' });
  t.is(errorOf({ kind: 'failed', code: 'connection_reset', message: `cut by ${SECRET}` }).message, 'cut by [hidden]');
});

test('an error that stands in a choice is told in its own words, with 200 and with another status', (t) => {
  const failed = { error: { code: 502, message: 'upstream is gone' }, finish_reason: 'error', message: { content: 'half' } };
  const body = JSON.stringify({ id: 'x', choices: [{ message: {} }, { message: {} }, { message: {} }, failed] });
  t.is(errorOf(answered(200, body)).message, `${URL} answered 200: an error inside the answer: upstream is gone`);
  t.is(errorOf(answered(500, body)).message, `${URL} answered 500: upstream is gone`);
  t.regex(
    errorOf(answered(200, '{"choices": [{"finish_reason": "error"}]}')).message,
    /a choice has ended with the finish_reason "error"$/,
  );
});

test('what explains a refusal follows the words of the server', (t) => {
  const refused = { ...answered(401, '{"error": {"message": "Incorrect API key"}}'), note: 'no key was sent: K is not set' } as Executed;
  t.regex(errorOf(refused).message, /answered 401: Incorrect API key \(no key was sent: K is not set\)$/);
});
