import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { NamesTable } from '../../../../runtime/ledger/redis/names-table.ts';
import { packMoves, packRows, packSoleRows, ROW_BYTES } from '../../../../runtime/ledger/redis/packed-rows.ts';
import { move, row, sole } from '../../../support/ledger-start.ts';

test('rows name each worker once, by its place', (t) => {
  const names = new NamesTable();
  const bytes = packRows([sole(7, row('a', 2, 3)), sole(0xffff_fffe, row('b')), sole(1, row('a'))], names);
  t.deepEqual(names.all, ['a', 'b']);
  t.is(bytes.length, 3 * ROW_BYTES);
  t.deepEqual([bytes.readUInt16LE(0), bytes.readUInt32LE(2), bytes.readUInt32LE(6), bytes.readUInt32LE(10)], [1, 7, 2, 3]);
  t.deepEqual([bytes.readUInt16LE(14), bytes.readUInt32LE(16), bytes.readUInt16LE(28)], [2, 0xffff_fffe, 1]);
});

test('a move ends with its target, an item for a second attempt with its last attempt', (t) => {
  const names = new NamesTable();
  t.is(packMoves([move(1, row('a'), 'b')], names).readUInt16LE(ROW_BYTES), 2);
  t.is(packSoleRows([sole(1, row('a'), 9)], names).readUInt32LE(ROW_BYTES), 9);
});

test('L9: what does not fit is a mistake, and a row that no store can hold is nobody’s', (t) => {
  t.throws(() => packRows([sole(2 ** 32, row('a'))], new NamesTable()), { instanceOf: AssertionFailed });
  t.throws(() => packSoleRows([sole(1, row('a'), 2 ** 32 - 1)], new NamesTable()), { instanceOf: AssertionFailed, message: /L9/ });
  const names = new NamesTable();
  t.is(packRows([sole(1, row('a', 2 ** 40), 1)], names).readUInt16LE(0), 0xffff);
  t.deepEqual(names.all, []);
});
