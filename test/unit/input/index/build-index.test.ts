import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import test from 'ava';
import fc from 'fast-check';
import { parseLine } from '../../../../runtime/format/line.ts';
import { buildIndex } from '../../../../runtime/input/index/build-index.ts';
import { ENTRY_BYTES } from '../../../../runtime/input/index/entry.ts';
import { indexFiles } from '../../../../runtime/input/index/index-files.ts';
import { BAD_LINES, MAX_LINE_BYTES, mixedLines } from '../../../support/bad-lines.ts';
import { batchLine } from '../../../support/batch-lines.ts';
import { indexed, inputFile, invalidItems } from '../../../support/indexed-input.ts';

const MIB = 2 ** 20;

test('items that ask for a stream of events are counted, bad lines are not', async (t) => {
  const line = (id: string, stream: unknown): string => JSON.stringify({ custom_id: id, url: '/v1/x', body: { stream } });
  const lines = [line('a', true), line('b', false), line('c', 'true'), line('d', true), line('a', true)];
  t.like((await indexed(t, `${lines.join('\n')}\n`)).summary, { items: 5, invalid: 1, streamed: 2 });
});

for (const good of [1, 20_000]) {
  test(`each kind of bad line is an item with its code and line number, ${good} good lines apart`, async (t) => {
    const { contents, lineOf } = mixedLines(good);
    const { summary, reader } = await indexed(t, contents, { maxLineBytes: MAX_LINE_BYTES });
    const found = await invalidItems(reader);
    t.deepEqual(new Map(found.map(({ code, line }) => [code, line])), lineOf);
    t.is(found.length, BAD_LINES.length);
    t.like(summary, {
      items: good * (BAD_LINES.length + 1) + BAD_LINES.length,
      invalid: BAD_LINES.length,
      blankLines: 0,
      hashedBytes: contents.length,
    });
    t.deepEqual(new Map(summary.kinds.map(({ code, firstLine }) => [code, firstLine])), lineOf);
    t.regex(found.find(({ code }) => code === 'duplicate_custom_id')?.message ?? '', /on line 1:/);
    t.is(summary.sha256, createHash('sha256').update(contents).digest('hex'));
  });
}

test('bad lines side by side are told apart', async (t) => {
  const contents = Buffer.concat([Buffer.from(`${batchLine('good-0')}\n`), ...BAD_LINES.flatMap(([, line]) => [line, Buffer.from('\n')])]);
  const { reader } = await indexed(t, contents, { maxLineBytes: MAX_LINE_BYTES });
  t.deepEqual(
    (await invalidItems(reader)).map(({ code, line }) => ({ code, line })),
    BAD_LINES.map(([code], at) => ({ code, line: at + 2 })),
  );
});

test('a byte order mark, CRLF and a missing final line feed are accepted, and are no part of the lines', async (t) => {
  const lines = [batchLine('a'), batchLine('b'), batchLine('c')];
  const { summary, reader } = await indexed(t, `\uFEFF${lines.join('\r\n')}`);
  t.like(summary, { items: 3, invalid: 0 });
  t.deepEqual(
    (await reader.lines([0, 1, 2])).map(({ line, lineNumber }) => [Buffer.from(line).toString(), lineNumber]),
    lines.map((line, at) => [line, at + 1]),
  );
});

test('blank lines are counted and are no items; line numbers count them', async (t) => {
  const { summary, reader } = await indexed(t, `\n${batchLine('a')}\n\r\n  \t\n${batchLine('b')}\n\n`);
  t.like(summary, { items: 2, invalid: 0, blankLines: 4 });
  t.deepEqual(
    (await reader.entries(0, 9)).map((entry) => entry.lineNumber),
    [2, 5],
  );
});

test('an empty input and one of blank lines have no items', async (t) => {
  t.like((await indexed(t, '')).summary, { items: 0, blankLines: 0, hashedBytes: 0 });
  t.like((await indexed(t, '\n\n')).summary, { items: 0, blankLines: 2 });
});

test('a line of exactly maxLineBytes is an item, CR or not, and one byte more is too long', async (t) => {
  const line = batchLine('a');
  const exact = { maxLineBytes: line.length };
  t.is((await indexed(t, `${line}\r\n`, exact)).summary.invalid, 0);
  t.is((await indexed(t, `\uFEFF${line}\r\n`, exact)).summary.invalid, 0);
  t.is((await indexed(t, `${line} \n`, exact)).summary.invalid, 1);
});

test('a line of 16 MB is too long, and its neighbours are items', async (t) => {
  const contents = Buffer.concat([Buffer.from(`${batchLine('a')}\n`), Buffer.alloc(16 * MIB, 'x'), Buffer.from(`\n${batchLine('b')}\n`)]);
  const { summary, reader } = await indexed(t, contents);
  t.like(summary, { items: 3, invalid: 1 });
  t.like((await invalidItems(reader))[0], { line: 2, code: 'line_too_long' });
  t.deepEqual(
    (await reader.lines([0, 2])).map(({ lineNumber }) => lineNumber),
    [1, 3],
  );
  t.is((await reader.entries(1, 1))[0]?.length, 16 * MIB);
});

test('equal custom_ids 200,000 lines apart: the first wins, later ones name its line', async (t) => {
  const lines = Array.from({ length: 200_000 }, (_, at) => batchLine(`r${at}`, ''));
  const { summary, reader } = await indexed(t, [...lines, batchLine('r0'), batchLine('r123456'), batchLine('r0'), ''].join('\n'));
  t.like(summary, { items: 200_003, invalid: 3 });
  t.deepEqual(
    (await invalidItems(reader)).map(({ line, customId, message }) => [line, customId, message.match(/on line (\d+)/)?.[1]]),
    [
      [200_001, 'r0', '1'],
      [200_002, 'r123456', '123457'],
      [200_003, 'r0', '1'],
    ],
  );
});

test('an invalid line does not take its custom_id', async (t) => {
  const { reader } = await indexed(t, `{"custom_id":"a","url":"/v1/x"}\n${batchLine('a')}\n`);
  t.deepEqual(
    (await invalidItems(reader)).map(({ code }) => code),
    ['missing_body'],
  );
});

test('bad lines of a kind are counted, and the first of them is known', async (t) => {
  const { summary } = await indexed(t, `bad\n${batchLine('a')}\n\n[]\n${batchLine('a')}\nworse\n[1]\n{}x\n`);
  t.is(summary.invalid, 6);
  t.deepEqual(summary.kinds, [
    { code: 'invalid_json', count: 3, firstLine: 1 },
    { code: 'not_an_object', count: 2, firstLine: 4 },
    { code: 'duplicate_custom_id', count: 1, firstLine: 5 },
  ]);
});

test('in the raw form equal lines are items of their own', async (t) => {
  const { summary } = await indexed(t, '1\n1\n"x"\n{"custom_id":"a"}\n{"custom_id":"a"}\nnonsense\n', { form: 'raw' });
  t.like(summary, { items: 6, invalid: 1 });
});

test('a limit ends the index after so many items, invalid ones included, and the hash with them', async (t) => {
  const head = `${batchLine('a')}\n\nbad\n${batchLine('b')}\n`;
  const { summary } = await indexed(t, `${head}${batchLine('c')}\n`, { limit: 3 });
  t.like(summary, {
    items: 3,
    invalid: 1,
    blankLines: 1,
    streamed: 0,
    hashedBytes: head.length,
    sha256: createHash('sha256').update(head).digest('hex'),
  });
  t.like((await indexed(t, `${batchLine('a')}\n`, { limit: 9 })).summary, { items: 1 });
  t.like((await indexed(t, `${batchLine('a')}\n`, { limit: 0 })).summary, { items: 0, hashedBytes: 0 });
});

test('random bytes are indexed without a crash, and every entry is the line as parseLine sees it', async (t) => {
  const line = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom('', '\r', '\uFEFF', batchLine('a'), batchLine('b'), '{}', '[', '\0').map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 20 }), fc.constantFrom('batch' as const, 'raw' as const), async (lines, form) => {
      const contents = Buffer.concat(lines.flatMap((bytes) => [bytes, Buffer.from('\n')]));
      const { summary, reader } = await indexed(t, contents, { form });
      const raw = contents
        .toString('latin1')
        .split('\n')
        .slice(0, -1)
        .map((text) => Buffer.from(text, 'latin1'));
      const kept = raw
        .map((bytes, at) => ({ lineNumber: at + 1, parsed: parseLine(bytes, at + 1, form) }))
        .filter(({ parsed }) => parsed.kind !== 'blank');
      const entries = await reader.entries(0, kept.length + 1);
      t.deepEqual(
        entries.map(({ lineNumber }) => lineNumber),
        kept.map(({ lineNumber }) => lineNumber),
      );
      t.is(summary.items + summary.blankLines, raw.length);
      for (const [at, { offset, length, lineNumber, reasonAt }] of entries.entries()) {
        const parsed = parseLine(contents.subarray(offset, offset + length), lineNumber, form);
        if (reasonAt === null) t.deepEqual(parsed, kept[at]?.parsed);
        else t.true(parsed.kind === 'invalid' || (await reader.invalidReason(at)).code === 'duplicate_custom_id');
      }
    }),
    { numRuns: 25 },
  );
});

test('entries are in the file before they are announced, and the first long before the last', async (t) => {
  const request = inputFile(t, Array.from({ length: 30_000 }, (_, at) => `${batchLine(`r${at}`, 'x'.repeat(200))}\n`).join(''));
  const files = indexFiles(request.dir);
  mkdirSync(request.dir);
  for (const path of [files.offsets, files.reasons, files.source]) writeFileSync(path, '');
  const { size, mtimeMs } = statSync(request.inputPath);
  const counts: number[] = [];
  const summary = await buildIndex({ ...request, limit: null, stamp: { size, mtimeMs } }, (count) => {
    t.true(statSync(files.offsets).size >= count * ENTRY_BYTES);
    counts.push(count);
  });
  t.is(summary.items, 30_000);
  t.true((counts[0] ?? 0) > 0 && (counts[0] ?? 0) < 10_000, 'after the first piece of the file');
  t.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
  );
  t.is(counts.at(-1), 30_000);
});
