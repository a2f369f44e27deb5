import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { orderOf } from '../../../../runtime/ledger/rules/order.ts';

test('L38: a request is new above the last one of its epoch and under a later epoch, repeated with its number, else overtaken', (t) => {
  const last = { epoch: 2, serial: 5 };
  t.is(orderOf(null, { epoch: 0, serial: 1 }), 'new');
  t.is(orderOf(last, { epoch: 2, serial: 6 }), 'new');
  t.is(orderOf(last, { epoch: 3, serial: 1 }), 'new');
  t.is(orderOf(last, last), 'repeated');
  t.is(orderOf(last, { epoch: 2, serial: 4 }), 'overtaken');
});

test('a stamp of a later epoch than the request, and a serial beyond 32 bits, are mistakes', (t) => {
  t.throws(() => orderOf({ epoch: 3, serial: 1 }, { epoch: 2, serial: 9 }), { instanceOf: AssertionFailed });
  t.throws(() => orderOf(null, { epoch: 2, serial: 2 ** 32 }), { instanceOf: AssertionFailed });
});
