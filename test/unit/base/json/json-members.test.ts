import test from 'ava';
import fc from 'fast-check';
import { memberName, memberSpans, repeatedMember, withMember } from '../../../../runtime/base/json/json-members.ts';

function lastOf(text: string, name: string): string | null {
  const bytes = Buffer.from(text);
  const span = memberSpans(bytes, name).at(-1);
  return span === undefined ? null : bytes.subarray(span.start, span.end).toString();
}

for (const [text, value] of [
  ['{"body":{"a":1}}', '{"a":1}'],
  [' { "x" : [ { "body" : 1 } ] , "body" : 1e400 } ', '1e400'],
  ['{"body":1,"body":2.0}', '2.0'],
  ['{"b\\u006fdy":"escaped","bod":1}', '"escaped"'],
  ['{"body":"with \\" and } and \\\\"}', '"with \\" and } and \\\\"'],
  ['{"a":"\\"body\\":1"}', null],
  ['{"body\\n":1}', null],
  ['{"body":null}', 'null'],
  ['{}', null],
  ['{"ä":"ö","body":[]}', '[]'],
] as const) {
  test(`body of ${text} is ${value}`, (t) => {
    t.is(lastOf(text, 'body'), value);
  });
}

for (const [text, written] of [
  ['{"n":9223372036854775807,"p":1e400,"2":1.0,"1":1}', '{"model":"m","n":9223372036854775807,"p":1e400,"2":1.0,"1":1}'],
  ['{"a":1, "model" : null }', '{"a":1, "model" : "m" }'],
  ['{"model":"a","model":{"b":[]},"z":0}', '{"model":"m","model":"m","z":0}'],
  ['{"mode\\u006c":1}', '{"mode\\u006c":"m"}'],
  ['{ }', '{"model":"m" }'],
  [' {\t"x":{"model":1}}', ' {"model":"m",\t"x":{"model":1}}'],
] as const) {
  test(`with a model put in, ${text} changes nowhere else`, (t) => {
    t.is(Buffer.from(withMember(Buffer.from(text), 'model', 'm')).toString(), written);
  });
}

test('nesting of any depth costs no stack', (t) => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  t.is(lastOf(`{"x":${deep},"body":${deep}}`, 'body'), deep);
});

test('a string of any length ends at its own quote, wherever backslashes and quotes stand in it', (t) => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('\\', '"', 'x', '"body":1', '\\\\"'), { maxLength: 60 }), (parts) => {
      const text = JSON.stringify({ a: parts.join(''), body: parts });
      t.is(lastOf(text, 'body'), JSON.stringify(parts));
    }),
    { numRuns: 500 },
  );
});

/** Names that collide often, some of them escaped, and space wherever JSON allows it. */
const space = fc.constantFrom('', '', ' ', '\t', ' \r\n ');
const name = fc.constantFrom('"body"', '"b\\u006fdy"', '"model"', '"\\"body"', '"__proto__"', '"1"', '"ä"');
const plain = fc.oneof(
  fc.constantFrom('1.0', '-0', '1e400', '9223372036854775807', 'true', 'false', 'null', '"\\\\"', '"}"', '"\\u0022"'),
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
);
const { object } = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, plain, tie('object'), tie('list')),
  list: fc.array(fc.tuple(space, tie('value'), space), { maxLength: 3 }).map((items) => `[${items.map((one) => one.join('')).join(',')}]`),
  object: fc
    .array(fc.tuple(space, name, space, fc.constant(':'), space, tie('value'), space), { maxLength: 5 })
    .chain((members) => space.map((gap) => `{${members.length === 0 ? gap : members.map((one) => one.join('')).join(',')}}`)),
}));

test('property: the last value of a name is the one that JSON.parse takes, in its own bytes', (t) => {
  fc.assert(
    fc.property(space, object, fc.constantFrom('body', 'model', '"body', '1', 'none'), (gap, text, wanted) => {
      const found = lastOf(gap + text, wanted);
      const parsed = JSON.parse(text) as Record<string, unknown>;
      const isThere = Object.hasOwn(parsed, wanted);
      return isThere ? found !== null && JSON.stringify(JSON.parse(found)) === JSON.stringify(parsed[wanted]) : found === null;
    }),
    { numRuns: 500 },
  );
  t.pass();
});

test('property: a member that is put in reads so, and all others as before', (t) => {
  fc.assert(
    fc.property(space, object, fc.string({ unit: 'binary' }), (gap, text, value) => {
      const written = Buffer.from(withMember(Buffer.from(gap + text), 'model', value)).toString();
      const { model, ...others } = JSON.parse(written) as Record<string, unknown>;
      const { model: _, ...before } = JSON.parse(text) as Record<string, unknown>;
      return JSON.stringify(model) === JSON.stringify(value) && JSON.stringify(others) === JSON.stringify(before);
    }),
    { numRuns: 500 },
  );
  t.pass();
});

test('a member that stands twice is found, whatever way its name is written and whatever stands between', (t) => {
  const repeated = (text: string): string | null => repeatedMember(Buffer.from(text), ['a', 'b'].map(memberName));
  t.is(repeated('{"a":1,"b":{"a":2},"c":["a"],"c":1}'), null);
  t.is(repeated('{"b":1, "a" :{"a":2},"\\u0062" : "}"}'), 'b');
  t.is(repeated('{}'), null);
});
