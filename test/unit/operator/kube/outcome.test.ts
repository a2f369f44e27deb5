import test from 'ava';
import { ApiError, NoAnswer } from '../../../../operator/kube/api-error.ts';
import { isBug, outcomeOfThrow, retryAfterMs } from '../../../../operator/kube/outcome.ts';

test('what the API server refuses is tried again; that somebody was faster is nothing to report', (t) => {
  t.like(outcomeOfThrow(new ApiError(409, 'modified')), { kind: 'retry', isQuiet: true });
  t.like(outcomeOfThrow(new ApiError(500, 'etcd')), { kind: 'retry', isQuiet: false });
  t.like(outcomeOfThrow(new TypeError('a bug')), { kind: 'retry', isQuiet: false });
});

test('only what is no answer and no lack of one is a bug', (t) => {
  t.false(isBug(new ApiError(500, 'etcd')));
  t.false(isBug(new NoAnswer('reset')));
  t.true(isBug(new TypeError('undefined is not a function')));
  t.true(isBug('a text'));
});

test('a wait that the server asks for is kept', (t) => {
  t.is(retryAfterMs(new ApiError(429, 'slow', { retryAfterMs: 4_000 })), 4_000);
  t.is(retryAfterMs(new ApiError(429, 'slow')), 0);
  t.is(retryAfterMs(new NoAnswer('reset')), 0);
});
