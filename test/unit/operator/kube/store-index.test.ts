import test from 'ava';
import { StoreIndex } from '../../../../operator/kube/store-index.ts';

const index = (): StoreIndex<readonly string[]> => new StoreIndex((values) => values);

test('an object is found under each of its values', (t) => {
  const colours = index();
  colours.move('a', undefined, ['red', 'blue']);
  colours.move('b', undefined, ['red']);
  t.is([...colours.get('red')].length, 2);
  t.is([...colours.get('blue')].length, 1);
  t.deepEqual([...colours.get('green')], []);
});

test('values that an object has no more lead to it no more', (t) => {
  const colours = index();
  colours.move('a', undefined, ['red', 'blue']);
  colours.move('a', ['red', 'blue'], ['blue', 'green']);
  t.deepEqual([...colours.get('red')], []);
  t.deepEqual([...colours.get('blue')], [['blue', 'green']]);
  t.deepEqual([...colours.get('green')], [['blue', 'green']]);
  colours.move('a', ['blue', 'green'], undefined);
  t.deepEqual([...colours.get('blue'), ...colours.get('green')], []);
});
