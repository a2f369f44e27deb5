import test from 'ava';
import { deepFreeze } from '../../../../operator/kube/deep-freeze.ts';

test('nothing within can be changed', (t) => {
  const value = { a: { b: [{ c: 1 }] }, n: null };
  t.is(deepFreeze(value), value);
  t.throws(() => Object.assign(value.a, { b: [] }), { instanceOf: TypeError });
  t.throws(() => value.a.b.push({ c: 2 }), { instanceOf: TypeError });
  t.throws(() => Object.assign(value.a.b[0] ?? {}, { c: 2 }), { instanceOf: TypeError });
});
