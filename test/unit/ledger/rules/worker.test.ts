import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { forget, isRegistered, register } from '../../../../runtime/ledger/rules/worker.ts';
import { rowsOf } from '../../../support/ledger-rows.ts';
import { SOME_WORKER } from '../../../support/ledger-start.ts';

test('L9: the next worker gets a number that no worker had', (t) => {
  const { writes } = register(rowsOf({ head: { workerNumbers: 6 } }), 3, 'new', SOME_WORKER);
  t.like(writes?.head, { workerNumbers: 7 });
  t.deepEqual(writes?.worker, { worker: 'new', row: { number: 7, info: SOME_WORKER } });
});

test('L9: a known worker keeps its number, a forgotten one too', (t) => {
  const rows = rowsOf({ workers: { old: { number: 2, info: SOME_WORKER }, gone: { number: 4, info: null } } });
  for (const [worker, number] of [
    ['old', 2],
    ['gone', 4],
  ] as const) {
    t.deepEqual(register(rows, 3, worker, SOME_WORKER).writes, { worker: { worker, row: { number, info: SOME_WORKER } } });
  }
  t.deepEqual(forget(rows, 3, 'old').writes, { worker: { worker: 'old', row: { number: 2, info: null } } });
  t.is(forget(rows, 3, 'gone').writes, null);
  t.is(forget(rows, 3, 'never').writes, null);
});

test('L9: worker numbers end with 32 bits', (t) => {
  t.throws(() => register(rowsOf({ head: { workerNumbers: 0xffff_ffff } }), 3, 'new', SOME_WORKER), { instanceOf: AssertionFailed });
});

test('L31: registered is who is in the registry now, and always the coordinator', (t) => {
  const rows = rowsOf({ workers: { known: { number: 1, info: SOME_WORKER }, forgotten: { number: 2, info: null } } });
  t.deepEqual(
    ['known', 'forgotten', 'never', 'coordinator'].map((worker) => isRegistered(rows, worker)),
    [true, false, false, true],
  );
});

test('nobody registers as the coordinator', (t) => {
  t.throws(() => register(rowsOf(), 3, 'coordinator', SOME_WORKER), { instanceOf: AssertionFailed });
});
