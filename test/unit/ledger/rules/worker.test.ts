import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { forget, isRegistered, register } from '../../../../runtime/ledger/rules/worker.ts';
import { rowsOf } from '../../../support/ledger-rows.ts';
import { SOME_WORKER } from '../../../support/ledger-start.ts';

const BY = { epoch: 3, serial: 5 };

test('L9: the next worker gets a number that no worker had', (t) => {
  const { writes } = register(rowsOf({ head: { workerNumbers: 6 } }), BY, 'new', SOME_WORKER);
  t.like(writes?.head, { workerNumbers: 7 });
  t.deepEqual(writes?.worker, { worker: 'new', row: { number: 7, info: SOME_WORKER, by: BY } });
});

test('L9: a known worker keeps its number, a forgotten one too', (t) => {
  const rows = rowsOf({ workers: { old: { number: 2, info: SOME_WORKER }, gone: { number: 4, info: null } } });
  for (const [worker, number] of [
    ['old', 2],
    ['gone', 4],
  ] as const) {
    t.deepEqual(register(rows, BY, worker, SOME_WORKER).writes, { worker: { worker, row: { number, info: SOME_WORKER, by: BY } } });
  }
  t.deepEqual(forget(rows, BY, 'old').writes, { worker: { worker: 'old', row: { number: 2, info: null, by: BY } } });
  t.deepEqual(forget(rows, BY, 'gone').writes, { worker: { worker: 'gone', row: { number: 4, info: null, by: BY } } });
  t.is(forget(rows, BY, 'never').writes, null);
});

test('L38: a late registration and a late forgetting leave what a later request wrote; a repeated one is answered as before', (t) => {
  const of = (serial: number) => rowsOf({ workers: { w1: { number: 1, info: SOME_WORKER, by: { epoch: 3, serial } } } });
  const again = { ...SOME_WORKER, bootNonce: 'another' };
  t.deepEqual(register(of(6), BY, 'w1', again), { reply: { kind: 'overtaken' }, writes: null });
  t.deepEqual(forget(of(6), BY, 'w1'), { reply: { kind: 'overtaken' }, writes: null });
  t.deepEqual(register(of(5), BY, 'w1', again), { reply: { kind: 'registered' }, writes: null });
  t.deepEqual(forget(of(5), BY, 'w1'), { reply: { kind: 'forgotten' }, writes: null });
  t.like(forget(of(4), BY, 'w1').writes, { worker: { row: { info: null } } });
});

test('L9: worker numbers end with 32 bits', (t) => {
  t.throws(() => register(rowsOf({ head: { workerNumbers: 0xffff_ffff } }), BY, 'new', SOME_WORKER), { instanceOf: AssertionFailed });
});

test('L31: registered is who is in the registry now, and always the coordinator', (t) => {
  const rows = rowsOf({ workers: { known: { number: 1, info: SOME_WORKER }, forgotten: { number: 2, info: null } } });
  t.deepEqual(
    ['known', 'forgotten', 'never', 'coordinator'].map((worker) => isRegistered(rows, worker)),
    [true, false, false, true],
  );
});

test('nobody registers as the coordinator', (t) => {
  t.throws(() => register(rowsOf(), BY, 'coordinator', SOME_WORKER), { instanceOf: AssertionFailed });
});
