import test from 'ava';
import { has, isBlock, own, valueAt } from '../../../../../operator/cli/manifest/block.ts';

test('a block is a mapping, and neither a list nor null', (t) => {
  t.deepEqual([{}, [], null, 'a', 1].map(isBlock), [true, false, false, false, false]);
});

test('what all objects have is nothing of a record', (t) => {
  t.is(own({}, 'constructor'), undefined);
  t.is(valueAt({}, 'constructor.name'), undefined);
  t.is(own({ constructor: 1 }, 'constructor'), 1);
});

test('a path leads through blocks alone', (t) => {
  t.is(valueAt({ a: { b: 1 } }, 'a.b'), 1);
  t.is(valueAt({ a: [1] }, 'a.length'), undefined);
  t.is(valueAt(null, 'a'), undefined);
});

test('a field that is null is as good as absent', (t) => {
  t.deepEqual([has({ a: null }, 'a'), has({ a: false }, 'a'), has({}, 'a')], [false, true, false]);
});
