import { createHash } from 'node:crypto';
import test from 'ava';
import fc from 'fast-check';
import { canonicalJson, contentId } from '../../../runtime/format/content-id.ts';

const ITEM = { customId: 'a', method: 'POST', url: '/v1/x', body: { model: 'm', n: 1 } };

test('a content id is 32 hexadecimal digits and never changes', (t) => {
  t.is(contentId(ITEM), contentId({ ...ITEM }));
  t.regex(contentId(ITEM), /^[0-9a-f]{32}$/);
  // Made with sha256sum from the canonical text, so that a change of the form is noticed: ids are kept beyond a run.
  t.is(contentId(ITEM), 'e18948b1328a2b3ae968894b01ab913d');
});

test('the order of members and white space do not change it, everything else does', (t) => {
  t.is(contentId({ ...ITEM, body: { n: 1, model: 'm' } }), contentId(ITEM));
  t.is(contentId({ ...ITEM, body: JSON.parse('{ "n": 1.0, "model": "m" }') }), contentId(ITEM));
  const others = [
    { ...ITEM, customId: 'b' },
    { ...ITEM, url: '/v1/y' },
    { ...ITEM, method: 'PUT' },
    { ...ITEM, body: { model: 'm', n: 2 } },
    { ...ITEM, body: { model: 'm', n: '1' } },
    { ...ITEM, body: [1] },
  ];
  t.is(new Set([ITEM, ...others].map(contentId)).size, others.length + 1);
});

test('RFC 8785: the example of section 3.2.3 is sorted by UTF-16 code units', (t) => {
  const value = JSON.parse(
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
  );
  t.deepEqual(
    canonicalJson(value)
      .match(/:"[^"]*"/g)
      ?.map((text) => text.slice(2, -1)),
    [
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ],
  );
});

test('RFC 8785: numbers and strings are written as ECMAScript writes them', (t) => {
  t.is(
    canonicalJson(JSON.parse('[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001,-0]')),
    '[333333333.3333333,1e+30,4.5,0.002,1e-27,0]',
  );
  t.is(canonicalJson(JSON.parse('"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/"')), '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
});

test('canonical JSON says the same value, and is the same for members in any order', (t) => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      t.is(canonicalJson(JSON.parse(text)), text);
      t.is(canonicalJson(reversed(JSON.parse(JSON.stringify(value)))), text);
      t.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
  );
  t.pass();
});

/** Names that objects keep in an order of their own, that are more than members, or that UTF-8 and UTF-16 order differently. */
const oddName = fc.constantFrom(
  '__proto__',
  'toJSON',
  'constructor',
  '',
  '0',
  '10',
  '9',
  '-1',
  '01',
  '4294967295',
  'é',
  '\u{1f600}',
  '\ufb33',
);
const oddLeaf = fc.constantFrom(
  '1e999',
  '-1e999',
  '-0',
  '1e21',
  '"\\ud800"',
  '"\\udc00x"',
  '9007199254740993',
  '"\\u2028"',
  'null',
  '[]',
  '{}',
  '0.1',
);
/** JSON text, since some values are easier to write than to build. */
const oddJson = fc.letrec<{ json: string }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    oddLeaf,
    fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify(value)),
    fc.array(tie('json'), { maxLength: 4 }).map((list) => `[${list.join()}]`),
    fc
      .array(fc.tuple(fc.oneof(oddName, fc.string({ unit: 'binary' })), tie('json')), { maxLength: 5 })
      .map((members) => `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join()}}`),
  ),
})).json;

test('the content id of any item is made of the same bytes as by the straight reading of the definition', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), oddJson, (customId, url, json) => {
      const body: unknown = JSON.parse(json);
      const item = { customId, method: 'POST', url, body };
      t.is(canonicalJson(body), canonicalReference(body));
      t.is(contentId(item), idReference(item));
    }),
    { numRuns: 1_000 },
  );
  for (const depth of [98, 99, 100, 101, 250]) {
    const body: unknown = JSON.parse(`${'{"b":[1,'.repeat(depth)}2${'],"a":0}'.repeat(depth)}`);
    t.is(canonicalJson(body), canonicalReference(body), `${depth} levels`);
  }
});

/** RFC 8785 as it reads, one call for each level. Ids are kept beyond a version, so both are the same for ever. */
function idReference({ customId, method, url, body }: Parameters<typeof contentId>[0]): string {
  return createHash('sha256')
    .update(canonicalReference([customId, method, url, body]), 'utf8')
    .digest('hex')
    .slice(0, 32);
}

function canonicalReference(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalReference).join(',')}]`;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalReference(member)}`).join(',')}}`;
}

test('depth of nesting and odd numbers and strings are no obstacle', (t) => {
  const depth = 200_000;
  t.is(canonicalJson(JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)).length, 2 * depth);
  t.is(canonicalJson(JSON.parse('[1e999,"\\ud800"]')), '[Infinity,"\\ud800"]');
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}
