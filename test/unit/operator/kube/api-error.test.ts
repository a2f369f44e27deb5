import test from 'ava';
import {
  ApiError,
  apiErrorOf,
  apiErrorOfStatus,
  isAlreadyThere,
  isConflict,
  isExpired,
  isVersionTooLarge,
  NoAnswer,
} from '../../../../operator/kube/api-error.ts';

const STATUS = {
  kind: 'Status',
  code: 409,
  reason: 'Conflict',
  message: 'the object has been modified',
  details: { retryAfterSeconds: 3, causes: [{ reason: 'A' }, { message: 'no reason' }, { reason: 'B' }] },
};

test('an answer of the API server tells its reason, its causes and when to ask again', (t) => {
  const error = apiErrorOf('patch pods ns/p', 409, {}, JSON.stringify(STATUS));
  t.like(error, { status: 409, reason: 'Conflict', retryAfterMs: 3_000, causes: ['A', 'B'] });
  t.is(error.message, 'patch pods ns/p: the object has been modified');
  t.is(apiErrorOf('x', 429, { 'retry-after': '7' }, '').retryAfterMs, 7_000);
  t.is(apiErrorOf('x', 429, { 'retry-after': '86400' }, '').retryAfterMs, 300_000);
  for (const header of ['-1', '0', 'Wed, 21 Oct 2026 07:28:00 GMT'])
    t.is(apiErrorOf('x', 429, { 'retry-after': header }, '').retryAfterMs, null);
});

test('what something in between has written is cited, but not at length', (t) => {
  t.is(apiErrorOf('get', 502, {}, '<html>bad gateway</html>').message, 'get: HTTP 502: <html>bad gateway</html>');
  t.is(apiErrorOf('get', 502, {}, ' ').message, 'get: HTTP 502');
  t.is(apiErrorOf('get', 502, {}, '{"message":"not a Status"}').reason, '');
  t.true(apiErrorOf('get', 502, {}, 'x'.repeat(10_000)).message.length < 300);
});

test('the object of an error event is a status, or no more than an error', (t) => {
  t.like(apiErrorOfStatus('watch', STATUS), { status: 409, reason: 'Conflict', retryAfterMs: 3_000 });
  t.like(apiErrorOfStatus('watch', { kind: 'Status' }), { status: 500, reason: '', retryAfterMs: null });
  t.is(apiErrorOfStatus('watch', null).status, 500);
});

test('what an error means is told from nothing else', (t) => {
  t.true(isConflict(new ApiError(409, 'x', { reason: 'Conflict' })));
  t.true(isAlreadyThere(new ApiError(409, 'x', { reason: 'AlreadyExists' })));
  t.false(isAlreadyThere(new ApiError(409, 'x', { reason: 'Conflict' })));
  t.true(isExpired(new ApiError(410, 'x')));
  t.true(isVersionTooLarge(new ApiError(504, 'Timeout: Too large resource version: 12, current: 4')));
  t.false(isVersionTooLarge(new ApiError(504, 'Timeout')));
  for (const is of [isConflict, isAlreadyThere, isExpired, isVersionTooLarge]) {
    t.false(is(new NoAnswer('Too large resource version')));
    t.false(is(undefined));
  }
});
