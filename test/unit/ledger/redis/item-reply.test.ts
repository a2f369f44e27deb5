import test from 'ava';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { foundOf, rowAt } from '../../../../runtime/ledger/redis/item-reply.ts';
import { NameBook } from '../../../../runtime/ledger/redis/names.ts';
import { row } from '../../../support/ledger-start.ts';

function book(): NameBook {
  const names = new NameBook();
  names.keep(1, 'w1');
  names.keep(2, 'w2');
  return names;
}

test('each state of an item is told as the contract tells it', (t) => {
  const names = book();
  t.deepEqual(foundOf([9, 0], names), { index: 9, state: 'fresh' });
  t.deepEqual(foundOf([9, 3], names), { index: 9, state: 'done' });
  t.deepEqual(foundOf([9, 4], names), { index: 9, state: 'failed' });
  t.deepEqual(foundOf([9, 1, 1, 1, 0, 2, 2, 1, 2, 0, 0, 0, 0, 0], names), {
    index: 9,
    state: 'running',
    row: row('w1'),
    second: row('w2', 2, 1),
    lastAttempt: 2,
    faults: NO_FAULTS,
  });
  t.deepEqual(foundOf([9, 1, 1, 1, 3], names), {
    index: 9,
    state: 'running',
    row: row('w1', 1, 3),
    second: null,
    lastAttempt: 1,
    faults: NO_FAULTS,
  });
  t.deepEqual(foundOf([9, 2, 0, 3, 4, -1, 0, 0, 5, 1, 2, 3, 4, 5], names), {
    index: 9,
    state: 'handed-back',
    row: row('coordinator', 3, 4),
    lastAttempt: 5,
    faults: { failures: 1, delayMs: 2, suspicions: 3, crashes: 4, restores: 5 },
  });
  t.false(names.isMissing);
});

test('a worker that is not in the book is noticed', (t) => {
  const names = book();
  t.is(rowAt([-1, 0, 0], 0, names), null);
  rowAt([7, 1, 0], 0, names);
  t.true(names.isMissing);
});
