import { Buffer } from 'node:buffer';
import { appendFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { startIndexing } from '../../../../runtime/input/index/indexer.ts';
import { openInput, STAMP_CHECK_MS } from '../../../../runtime/input/index/reader.ts';
import { batchLine } from '../../../support/batch-lines.ts';
import { indexed } from '../../../support/indexed-input.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const LINES = Array.from({ length: 30 }, (_, at) => batchLine(`r${at}`, 'x'.repeat(at)));

test('lines come in the order asked for, wherever they lie', async (t) => {
  const { reader } = await indexed(t, `${LINES.join('\n\n')}\n`);
  const wanted = [5, 6, 7, 29, 0, 1, 7, 12];
  const lines = await reader.lines(wanted);
  t.deepEqual(
    lines.map(({ index, line, lineNumber }) => [index, Buffer.from(line).toString(), lineNumber]),
    wanted.map((index) => [index, LINES[index], 2 * index + 1]),
  );
  t.deepEqual(await reader.lines([]), []);
});

test('lines are read up to a bound of bytes, one at least', async (t) => {
  const { reader } = await indexed(t, `${LINES.join('\n')}\n`);
  const bytes = Buffer.byteLength(LINES.slice(3, 6).join(''));
  const count = async (maxBytes: number): Promise<number> => (await reader.lines([3, 4, 5, 6, 7], maxBytes)).length;
  t.deepEqual([await count(bytes), await count(bytes - 1), await count(1), await count(1e9)], [3, 2, 1, 5]);
});

test('a survey tells the invalid items of a range, as far as entries are written', async (t) => {
  const { reader } = await indexed(t, ['bad', LINES[0], 'bad', LINES[1], LINES[2], 'bad'].join('\n'));
  t.deepEqual(await reader.survey(0, 100), { upTo: 6, invalid: [0, 2, 5] });
  t.deepEqual(await reader.survey(1, 3), { upTo: 4, invalid: [2] });
  t.deepEqual(await reader.survey(6, 3), { upTo: 6, invalid: [] });
});

test('the reason of an invalid item has its line, and its custom_id where there is one', async (t) => {
  const { reader } = await indexed(t, `${LINES[0]}\n\n{"custom_id":"ä","url":"/v1/x"}\n`);
  const { message, ...reason } = await reader.invalidReason(1);
  t.deepEqual(reason, { code: 'missing_body', customId: 'ä', lineNumber: 3 });
  t.regex(message, /body is missing/);
});

test('the line of an invalid item, and the reason of a valid one, are never asked for', async (t) => {
  const { reader } = await indexed(t, `${LINES[0]}\nbad\n`);
  await t.throwsAsync(reader.lines([1]), { instanceOf: AssertionFailed });
  await t.throwsAsync(reader.invalidReason(0), { instanceOf: AssertionFailed });
  await t.throwsAsync(reader.lines([2]), { instanceOf: AssertionFailed });
});

test('a line of another file with the same size and time is never read as the one that was indexed', async (t) => {
  const { request } = await indexed(t, `${LINES.join('\n')}\n`);
  utimesSync(request.inputPath, 5, 5);
  await startIndexing(request).done;
  writeFileSync(request.inputPath, `${LINES.map((line, at) => (at === 20 ? line.replace('r20', 'R20') : line)).join('\n')}\n`);
  utimesSync(request.inputPath, 5, 5);
  const opened = await openInput(request);
  t.teardown(async () => await opened.close());
  t.is((await opened.lines([19])).length, 1);
  for (const wanted of [[20], [18, 19, 20, 21]]) {
    const failure = await t.throwsAsync(opened.lines(wanted), { instanceOf: RolloutError });
    t.is(failure?.code, 'INPUT_CHANGED');
    t.regex(failure?.message ?? '', /^line 21 of the input .*in\.jsonl is not the one/);
  }
});

test('an input that was cut, extended, overwritten or replaced is noticed within a second, and when it is opened', async (t) => {
  const changes: readonly ((path: string) => void)[] = [
    (path) => truncateSync(path, 10),
    (path) => appendFileSync(path, 'more'),
    (path) => writeFileSync(path, `${LINES.join('\n')} `),
  ];
  for (const change of changes) {
    const { request } = await indexed(t, `${LINES.join('\n')}\n`);
    const clock = new ManualClock();
    const reader = await openInput({ ...request, clock });
    t.teardown(async () => await reader.close());
    utimesSync(request.inputPath, 5, 5);
    change(request.inputPath);
    await clock.advance(STAMP_CHECK_MS);
    const whileOpen = await t.throwsAsync(reader.lines([29]), { instanceOf: RolloutError });
    t.is(whileOpen?.code, 'INPUT_CHANGED');
    const opened = await t.throwsAsync(openInput(request), { instanceOf: RolloutError });
    t.is(opened?.code, 'INPUT_CHANGED');
    t.regex(opened?.message ?? '', /in\.jsonl was changed/);
  }
});

test('a file of the index that is gone or cut is named, with what to do', async (t) => {
  for (const name of ['source.json', 'offsets', 'reasons']) {
    const { request } = await indexed(t, `${LINES[0]}\n`);
    const path = join(request.dir, name);
    const refused = { instanceOf: RolloutError, code: 'STATE_UNREADABLE', message: new RegExp(path) };
    if (name === 'source.json') {
      truncateSync(path, 10);
      await t.throwsAsync(openInput(request), refused);
    }
    rmSync(path);
    await t.throwsAsync(openInput(request), refused);
  }
});
