import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { duplicateCustomId, lineTooLong, parseLine } from '../../../runtime/format/line.ts';
import { requestTargetProblem } from '../../../runtime/model/request-target.ts';
import { batchLine } from '../../support/batch-lines.ts';

const parse = (text: string | Uint8Array, lineNumber = 7): ReturnType<typeof parseLine> =>
  parseLine(Buffer.from(text as string), lineNumber, 'batch');

const ITEM = {
  customId: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'test-model', messages: [{ role: 'user', content: 'a' }] },
};

test('a line of the batch form is an item', (t) => {
  t.deepEqual(parse(batchLine('a')), { kind: 'item', item: ITEM });
});

test('a carriage return at the end is taken off, in every line', (t) => {
  t.deepEqual(parse(`${batchLine('a')}\r`), { kind: 'item', item: ITEM });
});

test('a byte order mark is taken off the first line, and only there', (t) => {
  const line = `\uFEFF${batchLine('a')}`;
  t.deepEqual(parse(line, 1), { kind: 'item', item: ITEM });
  t.like(parse(line, 2), { kind: 'invalid', code: 'invalid_json' });
});

test('a line of white space is blank, and so is a first line of a byte order mark alone', (t) => {
  for (const text of ['', ' ', '\t  ', '\r', ' \r']) t.deepEqual(parse(text), { kind: 'blank' }, JSON.stringify(text));
  t.deepEqual(parse('\uFEFF\r', 1), { kind: 'blank' });
});

test('a method that is absent is POST', (t) => {
  t.deepEqual(parse('{"custom_id":"a","url":"/v1/x","body":{}}'), {
    kind: 'item',
    item: { customId: 'a', method: 'POST', url: '/v1/x', body: {} },
  });
});

const TABLE: readonly (readonly [name: string, line: string | Uint8Array, code: string, customId: string | null, message: RegExp])[] = [
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'invalid_utf8', null, /not valid UTF-8: convert/],
  ['half a UTF-8 sequence', Buffer.from([0x22, 0xc3, 0x22]), 'invalid_utf8', null, /convert/],
  ['UTF-16', Buffer.from('\uFEFF{}', 'utf16le'), 'invalid_utf8', null, /UTF-16: convert it to UTF-8/],
  ['a NUL byte', '{"custom_id":"a\0"}', 'nul_byte', null, /NUL byte stands at byte 16/],
  ['a NUL byte outside of strings', '\0', 'nul_byte', null, /byte 1 /],
  ['half an object', '{"custom_id":"a",', 'invalid_json', null, /not JSON .*one whole JSON value per line/],
  [
    'a byte order mark',
    `\uFEFF${batchLine('a')}`,
    'invalid_json',
    null,
    /U\+FEFF \(a byte order mark\) stands at column 1.*joined.*sed -i/,
  ],
  ['a no-break space', '{"custom_id":\u00a0"a"}', 'invalid_json', null, /U\+00A0 \(a no-break space\) stands at column 14.*remove it/],
  ['a zero-width space', '{"é🙂":1,\u200b"a":2}', 'invalid_json', null, /U\+200B \(a zero-width space\) stands at column 9/],
  ['another invisible character', '{"a":1}\u{e0001}', 'invalid_json', null, /U\+E0001 \(an invisible character\) stands at column 8/],
  ['a control character', '{"a":\u000b1}', 'invalid_json', null, /U\+000B .* column 6/],
  ['a byte order mark alone', '\uFEFF', 'invalid_json', null, /U\+FEFF .* column 1/],
  ['an invisible character that is not the cause', '{\u00a0"a":"\u00a0",}', 'invalid_json', null, /not JSON \(/],
  ['a url with an invisible character', '{"custom_id":"a","url":"\u200b/v1/x","body":{}}', 'invalid_url', 'a', /url is "\\u200b\/v1/],
  ['two values', '{}{}', 'invalid_json', null, /not JSON/],
  ['a list', '[1]', 'not_an_object', null, /is a list, not an object.*--raw/],
  ['a string', '"x"', 'not_an_object', null, /is "x", not an object/],
  ['null', 'null', 'not_an_object', null, /is null, not an object/],
  ['no custom_id', '{"url":"/v1/x","body":{}}', 'missing_custom_id', null, /custom_id is missing: give/],
  ['an empty custom_id', '{"custom_id":"","url":"/v1/x","body":{}}', 'missing_custom_id', null, /custom_id is empty/],
  ['a custom_id that is a number', '{"custom_id":5,"url":"/v1/x","body":{}}', 'missing_custom_id', null, /custom_id is 5.*string/],
  ['another method', '{"custom_id":"a","method":"GET","url":"/v1/x","body":{}}', 'unsupported_method', 'a', /method is "GET": only "POST"/],
  ['a method that is null', '{"custom_id":"a","method":null,"url":"/v1/x","body":{}}', 'unsupported_method', 'a', /method is null/],
  ['no url', '{"custom_id":"a","body":{}}', 'missing_url', 'a', /url is missing: name the endpoint/],
  ['an empty url', '{"custom_id":"a","url":"","body":{}}', 'missing_url', 'a', /url is empty/],
  ['a url that is an object', '{"custom_id":"a","url":{},"body":{}}', 'missing_url', 'a', /url is an object/],
  ['a whole address', '{"custom_id":"a","url":"http://host.invalid/v1/x","body":{}}', 'invalid_url', 'a', /path that begins with "\/"/],
  [
    'an address without a scheme',
    '{"custom_id":"a","url":"localhost:8000/v1/x","body":{}}',
    'invalid_url',
    'a',
    /path that begins with "\/"/,
  ],
  ['a url with a blank', '{"custom_id":"a","url":"/v1/chat completions","body":{}}', 'invalid_request', 'a', /url holds a blank/],
  ['a url with a line end', '{"custom_id":"a","url":"/v1/x\\r\\nX: y","body":{}}', 'invalid_request', 'a', /control character U\+000D/],
  ['a url of another host', '{"custom_id":"a","url":"//host.invalid/v1/x","body":{}}', 'invalid_request', 'a', /another host/],
  ['no body', '{"custom_id":"a","url":"/v1/x"}', 'missing_body', 'a', /body is missing/],
  ['a body that is null', '{"custom_id":"a","url":"/v1/x","body":null}', 'missing_body', 'a', /body is null/],
  ['two bodies', '{"custom_id":"a","url":"/v1/x","body":{},"body":{}}', 'duplicate_member', 'a', /more than one body/],
  ['two urls', '{"custom_id":"a","url":"/v1/x","url":"/v1/x","body":{}}', 'duplicate_member', 'a', /more than one url/],
  ['two methods', '{"method":"POST","custom_id":"a","method":"POST","url":"/v1/x","body":{}}', 'duplicate_member', 'a', /one method/],
  ['two custom_ids', '{"custom_id":"a","url":"/v1/x","body":{},"custom_id":"b"}', 'duplicate_member', null, /more than one custom_id/],
  ['a body that is a list', '{"custom_id":"a","url":"/v1/x","body":[]}', 'body_not_an_object', 'a', /body is a list, not an object/],
  ['a body that is a string', '{"custom_id":"a","url":"/v1/x","body":"{}"}', 'body_not_an_object', 'a', /body is "\{\}", not an object/],
];

for (const [name, line, code, customId, message] of TABLE) {
  test(`a line is invalid: ${name} → ${code}`, (t) => {
    const parsed = parse(line);
    t.like(parsed, { kind: 'invalid', code, customId });
    t.regex((parsed as { message: string }).message, message);
  });
}

test('messages stay short, whatever the line holds', (t) => {
  const long = 'x'.repeat(100_000);
  for (const line of [
    `"${long}"`,
    long,
    JSON.stringify({ custom_id: 'a', url: '/x', body: long }),
    JSON.stringify({ custom_id: 'a', method: long }),
  ]) {
    t.true((parse(line) as { message: string }).message.length < 300);
  }
});

test('a duplicate names the first line, and a long line the limit', (t) => {
  t.like(duplicateCustomId('a', 12), { code: 'duplicate_custom_id', customId: 'a' });
  t.regex(duplicateCustomId('a', 12).message, /on line 12:/);
  t.like(lineTooLong(1024), { code: 'line_too_long', customId: null });
  t.regex(lineTooLong(1024).message, /maxLineBytes \(1024 bytes\).*raise maxLineBytes/);
  t.notRegex(lineTooLong(8 * 2 ** 20).message, /raise/, 'there is nothing to raise');
});

test('in the raw form any JSON value is an item, named by its line', (t) => {
  for (const value of [1, 'x', null, [1, 2], { custom_id: 'mine' }]) {
    const parsed = parseLine(Buffer.from(JSON.stringify(value)), 41, 'raw');
    t.deepEqual(parsed, { kind: 'item', item: { customId: '41', method: 'POST', url: '', body: value } });
  }
  t.like(parseLine(Buffer.from('nonsense'), 1, 'raw'), { kind: 'invalid', code: 'invalid_json' });
});

test('a line that nests too deep for a parser is an invalid request, in either form and at any depth', (t) => {
  const line = (deep: string): string => `{"custom_id":"a","url":"/v1/x","body":{"x":${deep}}}`;
  const lists = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const objects = (levels: number): string => `${'{"y":'.repeat(levels)}1${'}'.repeat(levels)}`;
  for (const levels of [1_000, 20_000, 500_000]) {
    t.like(parse(line(lists(levels))), { kind: 'invalid', code: 'invalid_request', customId: 'a' }, `${levels}`);
    t.like(parseLine(Buffer.from(lists(levels + 1)), 1, 'raw'), { kind: 'invalid', code: 'invalid_request', customId: null });
  }
  t.like(parse(line(objects(20_000))), { kind: 'invalid', code: 'invalid_request', customId: 'a' });
  t.is(parse(line(lists(998))).kind, 'item');
  t.is(parse(line(`[${Array.from({ length: 5_000 }, () => '[]').join()}]`)).kind, 'item', 'many side by side are not deep');
  t.notThrows(() => JSON.stringify(JSON.parse(line(objects(998)))));
});

test('random bytes never throw, in either form', (t) => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 64 }),
      fc.integer({ min: 1, max: 3 }),
      fc.constantFrom('batch' as const, 'raw' as const),
      (bytes, line, form) => {
        t.true(['item', 'blank', 'invalid'].includes(parseLine(bytes, line, form).kind));
      },
    ),
    { numRuns: 2000 },
  );
  t.pass();
});

test('any JSON value in the batch form is an item or is refused with a code', (t) => {
  const member = fc.oneof(fc.jsonValue(), fc.string(), fc.constant('POST'), fc.constant('/v1/x'));
  const line = fc.record({ custom_id: member, method: member, url: member, body: member }, { requiredKeys: [] });
  fc.assert(
    fc.property(line, (value) => {
      const parsed = parse(JSON.stringify(value));
      const isWhole =
        typeof value.custom_id === 'string' && value.custom_id !== '' && (value.method === undefined || value.method === 'POST');
      const isAddressed = typeof value.url === 'string' && value.url.startsWith('/') && requestTargetProblem(value.url) === null;
      const hasBody = typeof value.body === 'object' && value.body !== null && !Array.isArray(value.body);
      t.is(parsed.kind, isWhole && isAddressed && hasBody ? 'item' : 'invalid');
    }),
  );
  t.pass();
});

test('no message holds a character that cannot be seen', (t) => {
  for (const [, line, , , pattern] of TABLE) {
    const parsed = parse(line);
    if (parsed.kind === 'invalid') t.notRegex(parsed.message, /(?! )[\p{Z}\p{C}]/u, String(pattern));
  }
});

test("invisible characters inside of strings are the item's own, and a long line of them is refused like any other", (t) => {
  t.like(parse('{"custom_id":"a\u200b\u00a0","url":"/v1/x","body":{}}'), { kind: 'item' });
  t.like(parse('\u00a0"\\"'.repeat(500_000)), { kind: 'invalid', code: 'invalid_json' });
});

test('names that stand twice in a line without being members twice are nothing wrong, nor are other members', (t) => {
  const lines = [
    '{"custom_id":"a","url":"/v1/x","body":{"url":"body","body":{"custom_id":1},"method":"url"}}',
    '{"custom_id":"\\"body\\"","url":"/v1/x","body":{"model":"a","model":"b"},"more":1,"more":2}',
  ];
  for (const line of lines) t.is(parseLine(Buffer.from(line), 2, 'batch').kind, 'item', line);
  t.is(parseLine(Buffer.from('{"body":1,"body":2}'), 2, 'raw').kind, 'item');
});

test('a name that stands twice is found however it is spelled, and names that stand once are not', (t) => {
  const spelled = (name: string): fc.Arbitrary<string> =>
    fc.tuple(fc.boolean(), fc.nat(name.length - 1)).map(([isEscaped, at]) => {
      const hex = `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`;
      return isEscaped ? `"${name.slice(0, at)}${hex}${name.slice(at + 1)}"` : `"${name}"`;
    });
  const VALUES = { custom_id: '"a \\u0062"', method: '"POST"', url: '"/body"', body: '{"method":"\\"url\\""}', other: '"body"' };
  const member = fc
    .constantFrom(...(Object.keys(VALUES) as (keyof typeof VALUES)[]))
    .chain((name) => spelled(name).map((spelling) => ({ name, text: `${spelling} : ${VALUES[name]}` })));
  fc.assert(
    fc.property(fc.array(member, { maxLength: 6 }), (members) => {
      const names: readonly string[] = members.map(({ name }) => name).filter((name) => name !== 'other');
      const parsed = parse(`{${members.map(({ text }) => text).join(', ')}}`);
      if (!['custom_id', 'url', 'body'].every((name) => names.includes(name))) t.is(parsed.kind, 'invalid');
      else if (new Set(names).size === names.length) t.is(parsed.kind, 'item');
      else t.like(parsed, { kind: 'invalid', code: 'duplicate_member' });
    }),
    { numRuns: 2_000 },
  );
});

test('the character that stands for bytes that are not UTF-8 may stand in a line', (t) => {
  t.like(parse('{"custom_id":"\ufffd","url":"/v1/x","body":{}}'), { kind: 'item', item: { customId: '\ufffd' } });
});
