import { Buffer } from 'node:buffer';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../../runtime/base/errors.ts';
import { startIndexing } from '../../../runtime/input/indexer.ts';
import { openInput } from '../../../runtime/input/reader.ts';
import { MAX_LINE_BYTES, mixedLines } from '../../support/bad-lines.ts';
import { batchLine } from '../../support/batch-lines.ts';
import { indexed, inputFile } from '../../support/indexed-input.ts';

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

test('the index is made anew, and comes out the same, when it was not whole or the file was touched', async (t) => {
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

test('other settings make the index anew', async (t) => {
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

test('stopping ends the thread, rejects who waits, and leaves an index that is made anew', async (t) => {
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
