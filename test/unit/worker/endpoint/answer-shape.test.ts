import test from 'ava';
import { namedBy, shapeOf } from '../../../../runtime/worker/endpoint/answer-shape.ts';

const CHAT = 'http://h/v1/chat/completions';
const RESPONSES = 'http://h/v1/responses';

for (const [url, body, kind] of [
  [CHAT, { choices: [{}] }, 'result'],
  [`${CHAT}/`, { choices: [{}] }, 'result'],
  [CHAT, { choices: [{ message: { content: '' }, finish_reason: 'length' }], error: null }, 'result'],
  [CHAT, { choices: [] }, 'other'],
  [CHAT, {}, 'other'],
  [CHAT, [1, 2], 'other'],
  [CHAT, { choices: [{}], error: { code: 502 } }, 'error'],
  [CHAT, { choices: [{ error: { code: 502 }, finish_reason: 'error' }] }, 'error'],
  [CHAT, { choices: [{ message: { content: '' }, finish_reason: 'error' }] }, 'error'],
  [CHAT, { choices: [{ message: { content: null }, finish_reason: 'content_filter' }] }, 'result'],
  [CHAT, { choices: [null] }, 'other'],
  [CHAT, { object: 'error', message: 'm', code: 400 }, 'error'],
  ['http://h/v1/completions', { choices: [] }, 'other'],
  ['http://h/v1/embeddings', { data: [{ embedding: [1] }] }, 'result'],
  ['http://h/v1/embeddings', { data: [] }, 'other'],
  ['http://h/v1/embeddings', { choices: [{}] }, 'other'],
  [RESPONSES, { status: 'completed', output: [], error: null }, 'result'],
  [RESPONSES, { status: 'incomplete', output: [], incomplete_details: { reason: 'max_output_tokens' } }, 'result'],
  [RESPONSES, { output: [] }, 'result'],
  [RESPONSES, { status: 'failed', output: [], error: { code: 'server_error' } }, 'error'],
  [RESPONSES, { status: 'cancelled', output: [] }, 'other'],
  [RESPONSES, { status: 'completed' }, 'other'],
  [RESPONSES, { status: 'queued', output: [] }, 'postponed'],
  ['http://h/rerank', { results: [] }, 'result'],
  ['http://h/rerank', { error: null }, 'result'],
  ['http://h/rerank', { error: 'x' }, 'error'],
  ['http://h/rerank', { error: {} }, 'error'],
  ['http://h/rerank', 'text', 'other'],
] as const) {
  test(`${url} with ${JSON.stringify(body)}: ${kind}`, (t) => {
    t.is(shapeOf(url, body).kind, kind);
  });
}

for (const [error, status] of [
  [{ code: 502 }, 502],
  [{ code: '429' }, 429],
  [{ status: 401, code: 'x' }, 401],
  [{ code: 'rate_limit_exceeded' }, 429],
  [{ type: 'RateLimitError' }, 429],
  [{ status: 'RESOURCE_EXHAUSTED' }, 429],
  [{ status: 'UNAVAILABLE' }, 503],
  [{ type: 'authentication_error' }, 401],
  [{ code: 'invalid_api_key' }, 401],
  [{ type: 'permission_error' }, 403],
  [{ code: 'model_not_found' }, 404],
  [{ type: 'invalid_request_error' }, 400],
  [{ type: 'invalid_request_error', code: 'context_length_exceeded' }, 400],
  [{ type: 'overloaded_error' }, null],
  [{ code: 200 }, null],
  [{ code: 0 }, null],
  ['rate limit', null],
] as const) {
  test(`the error ${JSON.stringify(error)} names ${status}`, (t) => {
    t.deepEqual(namedBy(error), { status, isQuota: false });
  });
}

test('a quota is named by code or type, and the members beside the error count too', (t) => {
  t.true(namedBy({ code: 'insufficient_quota', type: 'x' }).isQuota);
  t.true(namedBy({ type: 'insufficient_quota', code: null }).isQuota);
  t.is(namedBy('too many', { code: 429 }).status, 429);
});
