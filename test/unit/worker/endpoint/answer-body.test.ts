import test from 'ava';
import fc from 'fast-check';
import { readBody } from '../../../../runtime/worker/endpoint/answer-body.ts';

const kindOf = (body: string | Uint8Array): string => readBody(typeof body === 'string' ? Buffer.from(body) : body).kind;

for (const [body, kind] of [
  ['', 'empty'],
  [' \r\n\t', 'empty'],
  ['{"a": 1}\n', 'json'],
  ['[1, 2]', 'json'],
  ['"x"', 'json'],
  ['{"choices": [{"mess', 'cut'],
  ['{"a": "}', 'cut'],
  ['{"a": "\\"}', 'cut'],
  ['[[1, 2]', 'cut'],
  ['{"a": NaN', 'cut'],
  ['{"a": NaN}', 'other'],
  ['{"a": -Infinity, "b": [1]}', 'other'],
  ['{"a": 1} {"b": 2}', 'other'],
  ['{"a": 1,}', 'other'],
  ['upstream {down', 'other'],
  ['<html>', 'other'],
] as const) {
  test(`${JSON.stringify(body)} is ${kind}`, (t) => {
    t.is(kindOf(body), kind);
  });
}

test('bytes that are no UTF-8 make a whole answer unreadable, and a cut may go through a character', (t) => {
  t.is(kindOf(Buffer.concat([Buffer.from('{"a":"'), Uint8Array.of(0xff), Buffer.from('"}')])), 'other');
  t.is(kindOf(Buffer.from('{"a":"ä').subarray(0, 7)), 'cut');
});

test('property: a JSON object or list that is cut anywhere is cut, and whole it is JSON', (t) => {
  const values = fc.oneof(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.array(fc.jsonValue(), { minLength: 1 }));
  fc.assert(
    fc.property(values, fc.nat(), (value, seed) => {
      const whole = Buffer.from(JSON.stringify(value));
      const cut = 1 + (seed % Math.max(1, whole.length - 1));
      return kindOf(whole) === 'json' && (cut >= whole.length || kindOf(whole.subarray(0, cut)) === 'cut');
    }),
  );
  t.pass();
});
