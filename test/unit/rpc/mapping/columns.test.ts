import test from 'ava';
import {
  checkColumn,
  columnOf,
  linesFromWire,
  linesToWire,
  refsFromWire,
  refsToWire,
  valueAt,
} from '../../../../runtime/rpc/mapping/columns.ts';
import { FieldCheck } from '../../../../runtime/rpc/mapping/field-check.ts';
import { refusedField } from '../../../support/refused-field.ts';

const refOf = (index: number, attempt: number) => ({ index, attempt, claimEpoch: 7 });

test('a column whose values are all equal has one entry, and one of none has none', (t) => {
  const columns = [[], [4], [4, 4, 4], [4, 4, 5]].map((values) => columnOf(values, (value) => value));
  t.deepEqual(columns, [[], [4], [4], [4, 4, 5]]);
  const check = new FieldCheck();
  for (const column of [[4], [4, 4, 5]]) checkColumn(check, 'a', column, 3);
  t.false(check.isWrong);
  const both = [[4], [4, 4, 5]].map((column) => [0, 1, 2].map((at) => valueAt(column, at)));
  t.deepEqual(both, [
    [4, 4, 4],
    [4, 4, 5],
  ]);
});

test('references of the same attempt and epoch cost little more than their indexes', (t) => {
  const refs = Array.from({ length: 1_000 }, (_, index) => refOf(index, 1));
  const wire = refsToWire(refs);
  t.like(wire, { attempts: [1], claimEpochs: [7] });
  t.deepEqual(refsFromWire(new FieldCheck(), 'started', wire), refs);
  t.is(refsToWire([]), undefined);
  t.deepEqual(refsFromWire(new FieldCheck(), 'started', undefined), []);
});

test('columns that do not fit each other are refused, by name', (t) => {
  const of = (change: object) =>
    refusedField((check) => refsFromWire(check, 'started', { indexes: [1, 2, 3], attempts: [1], claimEpochs: [7], ...change }));
  t.is(of({}), null);
  t.is(of({ attempts: [1, 1] }), 'attempts');
  t.is(of({ attempts: [] }), 'attempts');
  t.is(of({ claimEpochs: [7, 7, 7, 7] }), 'claim_epochs');
  t.is(of({ indexes: [], attempts: [1] }), 'attempts');
  t.is(of({ attempts: [1, 0, 1] }), 'attempt');
  t.is(of({ indexes: [1, 2, 0xffff_ffff] }), 'index');
  t.is(of({ indexes: Array.from({ length: 65_537 }, () => 1) }), 'started');
});

test('lines are cut where their lengths say, and share the memory of the message', (t) => {
  const lines = ['{}', '{"a":1}', '"x"'].map((text) => new TextEncoder().encode(text));
  const wire = linesToWire(lines);
  const cut = linesFromWire(new FieldCheck(), wire, 3);
  t.deepEqual(
    cut.map((line) => new TextDecoder().decode(line)),
    ['{}', '{"a":1}', '"x"'],
  );
  t.true(cut.every((line) => line.buffer === wire.bytes.buffer));
});

test('lines that are not as many or as long as is said, that are empty or hold a line end are refused', (t) => {
  const of = (lengths: number[], text: string, count = lengths.length) =>
    refusedField((check) => linesFromWire(check, { lengths, bytes: new TextEncoder().encode(text) }, count));
  t.is(of([1, 2], 'abc'), null);
  t.is(of([], ''), null);
  t.is(of([1, 2], 'abc', 3), 'lines');
  t.is(of([1, 2], 'abcd'), 'lines');
  t.is(of([1, 3], 'abc'), 'lines');
  t.is(of([0, 3], 'abc'), 'lines');
  t.is(of([1, 2], 'a\nb'), 'lines');
});
