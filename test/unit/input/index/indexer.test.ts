import { Buffer } from 'node:buffer';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { ENTRY_BYTES } from '../../../../runtime/input/index/entry.ts';
import { entriesBefore, type IndexRequest, removeIndex, startIndexing } from '../../../../runtime/input/index/indexer.ts';
import { openInput } from '../../../../runtime/input/index/reader.ts';
import { MAX_LINE_BYTES, mixedLines } from '../../../support/bad-lines.ts';
import { batchLine } from '../../../support/batch-lines.ts';
import { indexed, inputFile } from '../../../support/indexed-input.ts';

test('a whole index of the same file is used again, and tells the same', async (t) => {
  const { request, summary } = await indexed(t, `${batchLine('a')}\nbad\n`);
  const before = statSync(join(request.dir, 'offsets')).ino;
  const again = startIndexing(request);
  t.true(again.isComplete());
  t.is(again.count(), 2);
  await again.waitFor(99);
  t.deepEqual(await again.done, summary);
  t.is(statSync(join(request.dir, 'offsets')).ino, before);
  await again.stop();
});

test('the index is made again, and comes out the same, when it was not whole or the file was touched', async (t) => {
  const { request, summary } = await indexed(t, mixedLines(50).contents, { maxLineBytes: MAX_LINE_BYTES });
  const files = ['offsets', 'reasons'].map((name) => join(request.dir, name));
  const bytes = files.map((path) => readFileSync(path));
  const spoil = [
    () => writeFileSync(join(request.dir, 'complete.json'), '{"version":1'),
    () => writeFileSync(join(request.dir, 'complete.json'), 'null'),
    () => writeFileSync(files[0] as string, 'short'),
    () => utimesSync(request.inputPath, 1, 1),
  ];
  for (const spoilIt of spoil) {
    spoilIt();
    const again = startIndexing(request);
    t.false(again.isComplete());
    t.like(await again.done, { items: summary.items, invalid: summary.invalid, sha256: summary.sha256 });
    t.deepEqual(
      files.map((path) => readFileSync(path)),
      bytes,
    );
  }
});

test('source.json beside a whole index is written again where it is gone, cut, or of another file', async (t) => {
  const { request } = await indexed(t, `${batchLine('a')}\nbad\n`);
  const path = join(request.dir, 'source.json');
  const whole = readFileSync(path, 'utf8');
  for (const contents of [null, '', whole.slice(0, 20), 'null', '{}', whole.replace('"size":', '"size":1')]) {
    rmSync(path);
    if (contents !== null) writeFileSync(path, contents);
    t.true(startIndexing(request).isComplete());
    t.is(readFileSync(path, 'utf8'), whole);
    const reader = await openInput(request);
    t.is((await reader.lines([0])).length, 1);
    await reader.close();
  }
});

test('source.json of an index that is not whole is made again with it', async (t) => {
  for (const contents of [null, '', 'null']) {
    const { request, summary } = await indexed(t, `${batchLine('a')}\nbad\n`);
    rmSync(join(request.dir, 'complete.json'));
    rmSync(join(request.dir, 'source.json'));
    if (contents !== null) writeFileSync(join(request.dir, 'source.json'), contents);
    t.like(await startIndexing(request).done, { items: summary.items, invalid: summary.invalid });
    await (await openInput(request)).close();
  }
});

/** A list of so many items, some of them bad, whose index was not made whole: the sign of completeness is gone. */
async function begunIndex(t: ExecutionContext, lines: readonly string[]): Promise<IndexRequest> {
  const { request } = await indexed(t, lines.map((line) => `${line}\n`).join(''));
  rmSync(join(request.dir, 'complete.json'));
  return request;
}

const BEGUN = [batchLine('a'), 'bad', '', batchLine('b'), batchLine('a'), batchLine('c')];

test('an index is made again of the same lines and more, and its old entries are as they were', async (t) => {
  const request = await begunIndex(t, BEGUN);
  const before = readFileSync(join(request.dir, 'offsets'));
  appendFileSync(request.inputPath, `${batchLine('d')}\nbad too\n`);
  t.like(await startIndexing(request).done, { items: 7, invalid: 3, blankLines: 1 });
  t.deepEqual(readFileSync(join(request.dir, 'offsets')).subarray(0, before.length), before);
  const reader = await openInput(request);
  t.teardown(async () => await reader.close());
  t.deepEqual((await reader.survey(0, 100)).invalid, [1, 3, 6]);
  t.is((await reader.invalidReason(3)).code, 'duplicate_custom_id');
});

const CHANGES: readonly (readonly [what: string, lines: readonly string[], line: number])[] = [
  ['an item', [batchLine('a'), 'bad', '', batchLine('B'), batchLine('a'), batchLine('c')], 4],
  ['a bad line', [batchLine('a'), 'BAD', '', batchLine('b'), batchLine('a'), batchLine('c')], 2],
  ['a blank line that is gone', [batchLine('a'), 'bad', batchLine('b'), batchLine('a'), batchLine('c')], 4],
  ['a last line that goes on', [batchLine('a'), 'bad', '', batchLine('b'), batchLine('a'), `${batchLine('c')}${batchLine('d')}`], 6],
  ['a line that is missing at the end', [batchLine('a'), 'bad', '', batchLine('b'), batchLine('a')], 6],
  ['an empty file', [], 1],
];

for (const [what, lines, line] of CHANGES) {
  test(`an index that was begun fails on the first line that is another one: ${what}`, async (t) => {
    const request = await begunIndex(t, BEGUN);
    writeFileSync(request.inputPath, lines.map((text) => `${text}\n`).join(''));
    const failure = await t.throwsAsync(startIndexing(request).done, { instanceOf: RolloutError });
    t.is(failure?.code, 'INPUT_CHANGED');
    t.regex(failure?.message ?? '', new RegExp(`^line ${line} of the input .*put the old file back.*--fresh`));
    writeFileSync(request.inputPath, BEGUN.map((text) => `${text}\n`).join(''));
    t.like(await startIndexing(request).done, { items: 5, invalid: 2 }, 'the file that was put back is indexed');
  });
}

test('a last line without a line feed may get one, and lines after it', async (t) => {
  const { request } = await indexed(t, batchLine('a'));
  appendFileSync(request.inputPath, `\r\n${batchLine('b')}`);
  t.like(await startIndexing(request).done, { items: 2, invalid: 0 });
});

test('entries that a crash of the machine has lost are written again', async (t) => {
  const request = await begunIndex(t, BEGUN);
  const offsets = join(request.dir, 'offsets');
  const whole = readFileSync(offsets);
  writeFileSync(offsets, Buffer.concat([Buffer.from(whole).fill(0, ENTRY_BYTES, 2 * ENTRY_BYTES), Buffer.alloc(3 * ENTRY_BYTES + 5)]));
  t.like(await startIndexing(request).done, { items: 5 });
  t.deepEqual(readFileSync(offsets), whole);
  t.true(startIndexing(request).isComplete());
});

test('how many earlier entries there are to compare with is known, by the settings that they were made with', async (t) => {
  const request = await begunIndex(t, BEGUN);
  const settings = { form: 'batch', maxLineBytes: 8 * 2 ** 20, limit: null } as const;
  t.is(entriesBefore(request.dir, settings), 5);
  t.is(entriesBefore(request.dir, { ...settings, form: 'raw' }), 0);
  t.is(entriesBefore(request.dir, { ...settings, limit: 3 }), 0);
  t.is(entriesBefore(join(request.dir, 'absent'), settings), 0);
});

test('a higher limit goes on with the index, and a removed index is begun with any list', async (t) => {
  const { request } = await indexed(t, `${batchLine('a')}\n${batchLine('b')}\n`, { limit: 1 });
  t.like(await startIndexing({ ...request, limit: null }).done, { items: 2 });
  writeFileSync(request.inputPath, `${batchLine('z')}\n`);
  removeIndex(request.dir);
  t.like(await startIndexing(request).done, { items: 1 });
});

test('other settings make the index again', async (t) => {
  const { request } = await indexed(t, `${batchLine('a')}\n${batchLine('b')}\n`);
  for (const more of [{ limit: 1 }, { form: 'raw' as const }, { maxLineBytes: 10 }]) {
    const again = startIndexing({ ...request, ...more });
    t.false(again.isComplete());
    await again.done;
  }
});

test('what an indexing that was killed left behind is removed, and the finished index leaves no scratch files', async (t) => {
  const request = inputFile(t, `${batchLine('a')}\n`);
  mkdirSync(request.dir);
  writeFileSync(join(request.dir, 'seen.7'), 'scratch');
  writeFileSync(join(request.dir, 'offsets'), 'x'.repeat(1000));
  t.like(await startIndexing(request).done, { items: 1 });
  t.deepEqual(readdirSync(request.dir).sort(), ['complete.json', 'offsets', 'reasons', 'source.json']);
});

test('a missing input, and a directory, are refused at once by name', (t) => {
  const request = inputFile(t, '');
  const missing = t.throws(() => startIndexing({ ...request, inputPath: `${request.inputPath}.no` }), { instanceOf: RolloutError });
  t.is(missing.code, 'INPUT_UNREADABLE');
  t.regex(missing.message, /in\.jsonl\.no: there is no such file/);
  t.is(
    t.throws(() => startIndexing({ ...request, inputPath: request.dir.slice(0, -6) }), { instanceOf: RolloutError }).code,
    'INPUT_UNREADABLE',
  );
});

test('what is announced while the index grows can be read at once', async (t) => {
  const lines = Array.from({ length: 60_000 }, (_, at) => batchLine(`r${at}`, 'x'.repeat(200)));
  const request = inputFile(t, `${lines.join('\n')}\n`);
  const indexing = startIndexing(request);
  t.is(indexing.count(), 0);
  await indexing.waitFor(1);
  const reader = await openInput(request);
  t.teardown(async () => await reader.close());
  let checked = 0;
  let isWholeBefore = false;
  while (!isWholeBefore) {
    isWholeBefore = indexing.isComplete();
    const count = indexing.count();
    const indexes = Array.from({ length: Math.min(50, count - checked) }, (_, at) => count - 1 - at).reverse();
    for (const { index, line } of await reader.lines(indexes)) if (Buffer.from(line).toString() !== lines[index]) t.fail(`item ${index}`);
    checked = count;
    await indexing.waitFor(count + 1);
  }
  t.is(checked, lines.length);
  t.is((await indexing.done).items, lines.length);
});

test('stopping ends the thread, rejects who waits, and leaves an index that is made again', async (t) => {
  const request = inputFile(t, `${Array.from({ length: 200_000 }, (_, at) => batchLine(`r${at}`)).join('\n')}\n`);
  const indexing = startIndexing(request);
  const waiting = t.throwsAsync(indexing.waitFor(10_000_000), { message: /stopped/ });
  await indexing.waitFor(1);
  await indexing.stop();
  await waiting;
  await t.throwsAsync(indexing.done, { message: /stopped/ });
  await t.throwsAsync(indexing.waitFor(1), { message: /stopped/ });
  t.false(existsSync(join(request.dir, 'complete.json')));
  t.like(await startIndexing(request).done, { items: 200_000 });
});

test('an input that grows while it is indexed is refused, whoever waits', async (t) => {
  const request = inputFile(t, `${Array.from({ length: 100_000 }, (_, at) => batchLine(`r${at}`)).join('\n')}\n`);
  const indexing = startIndexing(request);
  const waiting = t.throwsAsync(indexing.waitFor(10_000_000), { instanceOf: RolloutError });
  appendFileSync(request.inputPath, `${batchLine('more')}\n`);
  const failure = await t.throwsAsync(indexing.done, { instanceOf: RolloutError });
  t.is(failure?.code, 'INPUT_CHANGED');
  t.regex(failure?.message ?? '', /in\.jsonl was changed .*--fresh/);
  t.is((await waiting)?.code, 'INPUT_CHANGED');
  t.false(existsSync(join(request.dir, 'complete.json')));
});
