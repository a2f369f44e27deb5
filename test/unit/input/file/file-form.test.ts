import { Buffer } from 'node:buffer';
import test from 'ava';
import fc from 'fast-check';
import { formProblem } from '../../../../runtime/input/file/file-form.ts';
import { batchLine, batchLines } from '../../../support/batch-lines.ts';

const LINES = batchLines(4);
const OBJECTS = LINES.map((line) => JSON.parse(line) as unknown);
const JSONL = `${LINES.join('\n')}\n`;

type Form = 'batch' | 'raw';
const whatOf = (bytes: string | Buffer, form: Form = 'batch', isWhole = true): string | null =>
  formProblem({ bytes: Buffer.from(bytes as string), isWhole }, form)?.what ?? null;
const commandOf = (bytes: string | Buffer): string => {
  const wayOut = formProblem({ bytes: Buffer.from(bytes as string), isWhole: true }, 'batch')?.wayOut;
  return wayOut?.kind === 'command' ? wayOut.command : '';
};

const swapped = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const utf32 = (text: string, isLittle: boolean): Buffer => {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const bytes = Buffer.alloc(4 * points.length);
  for (const [at, point] of points.entries()) {
    if (isLittle) bytes.writeUInt32LE(point, 4 * at);
    else bytes.writeUInt32BE(point, 4 * at);
  }
  return bytes;
};
const CHINESE = `${batchLine('a', '上下')}\n${batchLine('b', '上')}\n`;

const WIDE: readonly (readonly [name: string, bytes: Buffer, command: string])[] = [
  ['UTF-16 with a mark, little-endian', Buffer.from(`\uFEFF${CHINESE}`, 'utf16le'), 'iconv -f UTF-16 -t UTF-8 {}'],
  ['UTF-16 with a mark, big-endian', swapped(`\uFEFF${CHINESE}`), 'iconv -f UTF-16 -t UTF-8 {}'],
  ['UTF-16LE without a mark', Buffer.from(CHINESE, 'utf16le'), 'iconv -f UTF-16LE -t UTF-8 {}'],
  ['UTF-16BE without a mark', swapped(CHINESE), 'iconv -f UTF-16BE -t UTF-8 {}'],
  ['UTF-16LE of CRLF lines', Buffer.from(`\uFEFF${LINES.join('\r\n')}`, 'utf16le'), 'iconv -f UTF-16 -t UTF-8 {}'],
  ['UTF-32 with a mark, little-endian', utf32(`\uFEFF${CHINESE}`, true), 'iconv -f UTF-32 -t UTF-8 {}'],
  ['UTF-32 with a mark, big-endian', utf32(`\uFEFF${CHINESE}`, false), 'iconv -f UTF-32 -t UTF-8 {}'],
  ['UTF-32LE without a mark', utf32(CHINESE, true), 'iconv -f UTF-32LE -t UTF-8 {}'],
  ['UTF-32BE without a mark', utf32(CHINESE, false), 'iconv -f UTF-32BE -t UTF-8 {}'],
];

for (const [name, bytes, command] of WIDE) {
  test(`${name} is told as one problem, in either form`, (t) => {
    t.is(commandOf(bytes), command);
    t.regex(whatOf(bytes, 'raw') ?? '', /^is UTF-(16|32)/);
  });
}

const FORMS: readonly (readonly [name: string, text: string, what: RegExp, command: string])[] = [
  ['a list on one line', JSON.stringify(OBJECTS), /is one JSON list/, "jq -c '.[]' {}"],
  ['a list on one line, with a line feed', `${JSON.stringify(OBJECTS)}\n`, /list/, "jq -c '.[]' {}"],
  ['a pretty-printed list', JSON.stringify(OBJECTS, null, 2), /list/, "jq -c '.[]' {}"],
  ['a list of one object per line', `[\n${LINES.join(',\n')}\n]\n`, /list/, "jq -c '.[]' {}"],
  ['a list whose first object stands beside the bracket', `[${LINES.join(',\n')}]`, /list/, "jq -c '.[]' {}"],
  ['a list of two, the last without a comma', `[${LINES.slice(0, 2).join(',\n')}\n]`, /list/, "jq -c '.[]' {}"],
  ['a list behind a byte order mark and a blank line', `\uFEFF\n${JSON.stringify(OBJECTS, null, '\t')}`, /list/, "jq -c '.[]' {}"],
  ['a pretty-printed list that was cut', JSON.stringify(OBJECTS, null, 2).slice(0, 300), /list/, "jq -c '.[]' {}"],
  ['one pretty-printed object', JSON.stringify(OBJECTS[0], null, 2), /over several lines/, 'jq -c . {}'],
  ['several pretty-printed objects', OBJECTS.map((one) => JSON.stringify(one, null, 4)).join('\n'), /over several lines/, 'jq -c . {}'],
  ['an object broken after a comma', (LINES[0] ?? '').replace(',"body"', ',\n"body"'), /over several lines/, 'jq -c . {}'],
  ['lines that end in a carriage return alone', `${LINES.join('\r')}\r`, /carriage return/, "tr '\\r' '\\n' < {}"],
  ['a table', 'custom_id,prompt\n1,"hello, you"\n2,bye\n', /table \(CSV\)/, ''],
  ['a table of tabs', 'id\tprompt\n1\thello\n', /table/, ''],
];

for (const [name, text, what, command] of FORMS) {
  test(`${name} is told as one problem`, (t) => {
    t.regex(whatOf(text) ?? '', what);
    t.is(commandOf(text), command);
  });
}

test('what only begins is told by its beginning', (t) => {
  const many = Array.from({ length: 100 }, () => OBJECTS).flat();
  for (const text of [JSON.stringify(many), JSON.stringify(many, null, 2), `[\n${many.map((one) => JSON.stringify(one)).join(',\n')}`])
    t.regex(whatOf(text.slice(0, 5_000), 'batch', false) ?? '', /list/);
  t.regex(whatOf(JSON.stringify({ requests: many }, null, 1).slice(0, 5_000), 'batch', false) ?? '', /over several lines/);
});

const ACCEPTED: readonly (readonly [name: string, text: string | Buffer, form?: Form])[] = [
  ['a list of lines', JSONL],
  ['a list of lines with a mark and CRLF', `\uFEFF${LINES.join('\r\n')}`],
  ['nothing', ''],
  ['blank lines', '\n \r\n\t\n'],
  ['a first line that is a list', `[1,2]\n${JSONL}`],
  ['a first line that is a list of objects', `[{}]\n${JSONL}`],
  ['a first line that is a torn list', `[{"custom_id":"a"\n${JSONL}`],
  ['a first line that is a torn object', `{"custom_id":"a",\n${JSONL}`],
  ['a first line that is a brace', `{\n${JSONL}`],
  ['a first line of words and commas', `custom_id,method\n${JSONL}`],
  ['a first line in UTF-16', Buffer.concat([Buffer.from('\uFEFF{"a":1}', 'utf16le'), Buffer.from(`\n${JSONL}`)])],
  ['a first line with NULs between its letters', `{\0"\0a\0"\0\n${JSONL}`],
  ['a first line that is not UTF-8', Buffer.concat([Buffer.from([0xff, 0xfe, 0x20]), Buffer.from(`\n${JSONL}`)])],
  ['lines that are not JSON at all', 'hello there\nwhat is this, please\n'],
  ['lists as plain items', '[{"a":1},{"b":2}]\n[{"c":3}]\n', 'raw'],
  ['one list as a plain item', '[{"a":1},{"b":2}]\n', 'raw'],
  ['numbers as plain items', '1\n2\n3\n', 'raw'],
  ['text as plain items', '"a,b"\n"c,d"\n', 'raw'],
];

for (const [name, text, form = 'batch'] of ACCEPTED) {
  test(`no problem of the whole file: ${name}`, (t) => t.is(whatOf(text, form), null));
}

test('a good line among the first is never taken for another kind of file', (t) => {
  const bad = fc.constantFrom('', '[', '{', '[{"a":1},', 'a,b', '"x": 1', '}', ']', 'null', '\0', '[1]', '[{}]', ' ');
  fc.assert(
    fc.property(fc.array(bad, { maxLength: 5 }), fc.constantFrom('batch' as const, 'raw' as const), (lines, form) => {
      t.is(whatOf([...lines.filter((line) => line !== '"x": 1'), JSONL].join('\n'), form), null);
    }),
  );
  t.pass();
});

test('random bytes never throw', (t) => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), fc.boolean(), (bytes, isWhole) => {
      formProblem({ bytes: Buffer.from(bytes), isWhole }, 'batch');
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});

test('a head without anything of JSON that holds NUL bytes is that of a binary file; a bad first line alone is not', (t) => {
  const head = (bytes: Buffer): string | null => formProblem({ bytes, isWhole: false }, 'batch')?.what ?? null;
  t.is(head(Buffer.alloc(2 ** 16)), 'is no text');
  t.is(head(Buffer.concat([Buffer.from('\x7fELF\x02\x01\0\n'), Buffer.alloc(1_000, 'ab\n')])), 'is no text');
  t.is(head(Buffer.from(`\0\n${JSONL}`)), null);
  t.is(head(Buffer.from(`{"custom_id": "\0${'x'.repeat(2 ** 16)}`)), null);
});
