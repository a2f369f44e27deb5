import test from 'ava';
import { INLINE_LIMIT_BYTES, limitReached, quantityBytes } from '../../../runtime/model/results-kind.ts';
import { fullReason, tooManyItems } from '../../../runtime/results/inline/limit.ts';

test('the limit that was reached is read from what a coordinator says, and from nothing else', (t) => {
  t.is(limitReached(fullReason(99, 64)), 64);
  t.is(limitReached(tooManyItems(100, 1_024) ?? ''), 1_024);
  t.is(limitReached('give more with --inline-limit'), null);
});

test('a quantity of Kubernetes is bytes, and none is the usual limit', (t) => {
  t.deepEqual(['1Ki', '3Mi', '2Gi'].map(quantityBytes), [2 ** 10, 3 * 2 ** 20, 2 ** 31]);
  t.is(quantityBytes(undefined), INLINE_LIMIT_BYTES);
});
