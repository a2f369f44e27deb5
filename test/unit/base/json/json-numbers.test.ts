import test from 'ava';
import { numbersText, parseNumbers } from '../../../../runtime/base/json/json-numbers.ts';

test('every number comes out with the characters it came in with, and everything else as JSON.stringify writes it', (t) => {
  for (const text of [
    '9223372036854775807',
    '-0',
    '[1,1.0,-1.50,1e2,1E+400,0.1,null,true,false,12345678901234567890]',
    '{"a":{"b":[{"c":1.0}]},"n":"n1.0","s":"s","":2.0,"__proto__":3.0}',
    '{"text":"a \\"1.0\\" \\\\ , 9223372036854775807","n":9223372036854775807}',
    '{"\\ud800":1.0,"é":"\\u0001"}',
  ])
    t.is(numbersText(parseNumbers(text)), text);
  t.is(numbersText(parseNumbers(' { "a" : [ 1.0 , "\\u00e9\\/" ] } ')), '{"a":[1.0,"é/"]}');
});

test('what needs no text of its own is what JSON.parse answers, and what is no JSON is refused as there', (t) => {
  const text = '{"a":[1,-2,0.5,"x, 1.0"],"b":null}';
  t.deepEqual(parseNumbers(text), JSON.parse(text));
  for (const bad of ['01', '1.', '{"a":1.0', '"s', '', 'NaN']) t.throws(() => parseNumbers(bad), { instanceOf: SyntaxError }, bad);
});

test('a member that is undefined is left out', (t) => {
  t.is(numbersText({ a: undefined, b: [1] }), '{"b":[1]}');
});
