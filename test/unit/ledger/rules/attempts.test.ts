import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { hasRow, isOwner, nextAttempt, otherRow, replaceRow, rowsOf } from '../../../../runtime/ledger/rules/attempts.ts';
import { running, twice } from '../../../support/ledger-rows.ts';
import { row } from '../../../support/ledger-start.ts';

const FIRST = row('w1', 1, 3);
const SECOND = row('w2', 2, 3);

test('L9: the next attempt is the last plus one, within 32 bits', (t) => {
  t.is(nextAttempt(0), 1);
  t.is(nextAttempt(0xffff_fffe), 0xffff_ffff);
  t.throws(() => nextAttempt(0xffff_ffff), { instanceOf: AssertionFailed, message: /L9/ });
});

test('L13: an item runs under one row or two, each known by all of its parts', (t) => {
  t.deepEqual(rowsOf(running()), [FIRST]);
  t.deepEqual(rowsOf(twice()), [FIRST, SECOND]);
  t.deepEqual(
    [FIRST, SECOND].map((named) => hasRow(twice(), named)),
    [true, true],
  );
  for (const other of [row('w3', 1, 3), row('w1', 2, 3), row('w1', 1, 2), row('w2', 1, 3)]) t.false(hasRow(twice(), other));
  t.false(hasRow(running(), SECOND));
  t.deepEqual(
    ['w1', 'w2', 'w3'].map((worker) => isOwner(twice(), worker)),
    [true, true, false],
  );
});

test('L13: beside a row runs the other one, or none', (t) => {
  t.deepEqual(otherRow(twice(), FIRST), SECOND);
  t.deepEqual(otherRow(twice(), SECOND), FIRST);
  t.is(otherRow(running(), FIRST), null);
});

test('a row is replaced in its place, and the other one stays', (t) => {
  const by = row('w3', 7, 3);
  t.deepEqual(replaceRow(running(), FIRST, by), { ...running(), row: by, lastAttempt: 7 });
  t.deepEqual(replaceRow(twice(), FIRST, by), twice({ row: by, lastAttempt: 7 }));
  t.deepEqual(replaceRow(twice(), SECOND, by), twice({ second: by, lastAttempt: 7 }));
});
