import test from 'ava';
import { isJsonObject } from '../../../../runtime/base/json/json-object.ts';

test('only an object is one: null, lists, texts and numbers are none', (t) => {
  t.true([{}, { a: null }, JSON.parse('{"__proto__":1}') as unknown].every(isJsonObject));
  t.false([null, undefined, [], [{}], 'a', 1, true].some(isJsonObject));
});
