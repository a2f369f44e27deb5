import test from 'ava';
import { parseOutputLine } from '../../../runtime/format/output-line.ts';
import { endingOf, MAX_OUTCOME_BYTES, unreadable } from '../../../runtime/worker/ending.ts';
import { assignment, ref } from '../../support/worker-state.ts';

const read = { assignment: assignment(4, 2, 1), item: { customId: 'item-4', method: 'POST', url: '/v1/x', body: {} }, id: 'ab'.repeat(16) };

test('a result becomes an outcome whose bytes are the output line', (t) => {
  const ending = endingOf(read, { kind: 'result', response: { statusCode: 200, requestId: 'r', body: '{"a":1}' } });
  if (ending.kind !== 'outcome') return t.fail(ending.kind);
  t.like(ending.outcome, { ...ref(4, 2, 1), kind: 'result', httpStatus: 200, code: '', isRetryable: false });
  t.like(parseOutputLine(ending.outcome.line), { id: `batch_req_${read.id}`, customId: 'item-4', hasResponse: true, error: null });
});

test('an error keeps its response, its code and the number of the input line', (t) => {
  const response = { statusCode: 500, requestId: null, body: '{}' };
  const ending = endingOf(read, { kind: 'error', code: 'http_500', message: 'm', response, blame: 'unknown', delayMs: 400 });
  if (ending.kind !== 'failure') return t.fail(ending.kind);
  t.like(ending.failure, { isRefusal: false, isCertain: false, isTimeout: false, detail: 'm' });
  t.like(ending.outcome, { kind: 'error', httpStatus: 500, code: 'http_500', isRetryable: true, delayMs: 400 });
  t.like(parseOutputLine(ending.outcome.line), { hasResponse: true, error: { code: 'http_500', line: 5 } });
});

test('what is throttled has the outcome that it gets if it counts; nobody there has none', (t) => {
  const error = { code: 'http_429', message: 'm', response: null };
  t.like(endingOf(read, { kind: 'throttled', error, delayMs: 9, quietMs: 5 }), {
    kind: 'throttled',
    outcome: { ...ref(4, 2, 1), code: 'http_429', isRetryable: true, delayMs: 9 },
    quietMs: 5,
    detail: 'm',
  });
  t.deepEqual(endingOf(read, { kind: 'unavailable', detail: 'd' }), { kind: 'unavailable', ref: ref(4, 2, 1), detail: 'd' });
});

test('a refusal of the endpoint would be final for the item; a used-up quota is certain to be meant for everybody', (t) => {
  const error = { kind: 'error', code: 'http_401', message: 'm', response: null, blame: 'endpoint', delayMs: 0 } as const;
  t.like(endingOf(read, error), { kind: 'failure', outcome: { isRetryable: false }, failure: { isRefusal: true, isCertain: false } });
  t.like(endingOf(read, { ...error, code: 'insufficient_quota' }), { failure: { isRefusal: true, isCertain: true } });
});

test('a line that the worker cannot read is a final error with its number', (t) => {
  const ending = unreadable(assignment(4), 'cd'.repeat(16), null, 'invalid_json', 'm');
  if (ending.kind !== 'outcome') return t.fail(ending.kind);
  t.like(ending.outcome, { kind: 'error', httpStatus: 0, isRetryable: false });
  t.like(parseOutputLine(ending.outcome.line), { customId: null, hasResponse: false, error: { code: 'invalid_json', line: 5 } });
});

test('a line that no message could carry becomes an error without the response, and keeps its code where it was one', (t) => {
  const customId = 'c'.repeat(8 * 1024 * 1024);
  const response = { statusCode: 200, requestId: null, body: JSON.stringify('r'.repeat(12 * 1024 * 1024)) };
  const long = { ...read, item: { ...read.item, customId } };
  const result = endingOf(long, { kind: 'result', response });
  const error = endingOf(long, { kind: 'error', code: 'http_400', message: 'm', response, blame: 'request', delayMs: 0 });
  if (result.kind !== 'outcome' || error.kind !== 'outcome') return t.fail('no outcome');
  t.like(result.outcome, { kind: 'error', code: 'response_too_large', isRetryable: false });
  t.like(error.outcome, { kind: 'error', code: 'http_400', httpStatus: 200 });
  for (const { line } of [result.outcome, error.outcome]) {
    t.true(line.byteLength < MAX_OUTCOME_BYTES);
    t.like(parseOutputLine(line), { customId, hasResponse: false });
  }
});
