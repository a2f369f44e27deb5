import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { mustGet } from '../../runtime/base/assert.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { longestTemporaryName, temporaryName } from '../../runtime/base/fs/temporary-file.ts';
import { type ExportOptions, exportResults } from '../../runtime/results/export/export.ts';
import type { Frame } from '../../runtime/results/log/contract.ts';
import { directoryPlace } from '../../runtime/results/place/directory.ts';
import { segmentPath } from '../../runtime/results/place/segment-name.ts';
import { RecordedRun } from '../support/recorded-run.ts';
import { temporaryDir } from '../support/temporary-dir.ts';

function result(index: number, text = `r${index}`): Frame {
  return { index, attempt: 1, kind: 'result', line: Buffer.from(text) };
}

function error(index: number, text = `e${index}`): Frame {
  return { index, attempt: 1, kind: 'error', line: Buffer.from(text) };
}

function options(dir: string, run: RecordedRun, more: Partial<ExportOptions> = {}): ExportOptions {
  return {
    ledger: run.ledger,
    place: run.place,
    outputPath: join(dir, 'out.jsonl'),
    errorsPath: join(dir, 'out.errors.jsonl'),
    order: 'input',
    items: null,
    isPartial: true,
    tempDir: join(dir, 'temp'),
    ...more,
  };
}

function lines(path: string): readonly string[] {
  const text = readFileSync(path, 'utf8');
  if (text === '') return [];
  return text.slice(0, -1).split('\n');
}

function outputs(dir: string): { readonly results: readonly string[]; readonly errors: readonly string[] } {
  return { results: lines(join(dir, 'out.jsonl')), errors: lines(join(dir, 'out.errors.jsonl')) };
}

async function refusal(t: ExecutionContext, run: Promise<unknown>): Promise<RolloutError> {
  const error = await t.throwsAsync<RolloutError>(run, { instanceOf: RolloutError });
  return mustGet(error, 'the error');
}

/** Recorded out of order, over three epochs, some indexes twice: O1 of an epoch lost its settle, and a later one was accepted. */
async function tangled(dir: string): Promise<RecordedRun> {
  const run = await RecordedRun.start(dir, 8);
  await run.record([result(3), error(1)]);
  await run.append([result(0, 'r0-lost'), result(5, 'r5-lost'), result(6, 'r6-lost')]);
  await run.failOver();
  await run.append([result(0, 'r0-lost-again'), error(5, 'e5-lost')]);
  await run.record([result(7)]);
  await run.append([result(5, 'r5-lost-again')]);
  await run.failOver();
  await run.append([error(2, 'e2-lost')]);
  await run.record([result(2)]);
  await run.record([error(5), result(0), result(4)]);
  await run.record([result(6)]);
  return run;
}

test('L21: the record is the frame of the highest epoch, the last in it; by input order', async (t) => {
  const dir = temporaryDir(t);
  const run = await tangled(dir);
  t.like(await exportResults(options(dir, run, { items: 8, isPartial: false })), { done: 6, failed: 2, damage: null });
  t.deepEqual(outputs(dir), { results: ['r0', 'r2', 'r3', 'r4', 'r6', 'r7'], errors: ['e1', 'e5'] });
  await run.close();
});

test('L21: the same by completion order, which is the order of the accepted frames in the log', async (t) => {
  const dir = temporaryDir(t);
  const run = await tangled(dir);
  await exportResults(options(dir, run, { items: 8, isPartial: false, order: 'completion' }));
  t.deepEqual(outputs(dir), { results: ['r3', 'r7', 'r2', 'r0', 'r4', 'r6'], errors: ['e1', 'e5'] });
  await run.close();
});

test('L21: frames without a bit mean nothing, and a partial export has what is recorded so far', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 4);
  await run.record([result(2)]);
  await run.append([result(0)]);
  t.like(await exportResults(options(dir, run)), { done: 1, failed: 0, damage: null });
  t.deepEqual(outputs(dir), { results: ['r2'], errors: [] });
  await run.settle([result(0)]);
  await run.record([error(1)]);
  t.like(await exportResults(options(dir, run)), { done: 2, failed: 1, damage: null });
  t.deepEqual(outputs(dir), { results: ['r0', 'r2'], errors: ['e1'] });
  t.deepEqual(readdirSync(dir).sort(), ['out.errors.jsonl', 'out.jsonl', 'segments', 'temp']);
  t.deepEqual(readdirSync(join(dir, 'temp')), []);
  await run.close();
});

test('a partial export works while the log grows, and each one holds all that was settled before it', async (t) => {
  const dir = temporaryDir(t);
  const items = 2000;
  const run = await RecordedRun.start(dir, items);
  let settled = 0;
  const writing = (async () => {
    for (let index = items - 1; index >= 0; index--) {
      await run.record([index % 7 === 0 ? error(index) : result(index)]);
      settled += 1;
    }
  })();
  while (settled < items) {
    const before = settled;
    const { done, failed } = await exportResults(options(dir, run));
    const { results, errors } = outputs(dir);
    t.true(done + failed >= before);
    t.deepEqual([results.length, errors.length], [done, failed]);
    t.deepEqual(
      [...results].sort((a, b) => Number(a.slice(1)) - Number(b.slice(1))),
      [...results],
    );
  }
  await writing;
  t.like(await exportResults(options(dir, run, { items, isPartial: false })), { done: 1714, failed: 286, damage: null });
  await run.close();
});

test('L21: a bit without a frame names its item, and what stood at the path still does', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 2);
  await run.record([result(0)]);
  await run.settle([result(1)]);
  writeFileSync(join(dir, 'out.jsonl'), 'before');
  const { code, message } = await refusal(t, exportResults(options(dir, run, { items: 2, isPartial: false })));
  t.is(code, 'RESULTS_DAMAGED');
  t.regex(message, /1 recorded outcome is damaged or gone:[\s\S]*1 of its 2 outcomes are left[\s\S]*item index \(from 0\): 1\n/);
  t.is(readFileSync(join(dir, 'out.jsonl'), 'utf8'), 'before');
  t.deepEqual(readdirSync(dir).sort(), ['out.jsonl', 'segments', 'temp']);
  await run.close();
});

test('L21: a bit with a frame of the other kind names its item', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 1);
  await run.append([error(0)]);
  await run.settle([result(0)]);
  const { code, message } = await refusal(t, exportResults(options(dir, run, { items: 1, isPartial: false })));
  t.is(code, 'RESULTS_DAMAGED');
  t.regex(message, /item index \(from 0\): 0\n/);
  await run.close();
});

test('L22: a place without the segment of an epoch that accepted something is refused', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 1);
  await run.record([result(0)]);
  await run.close();
  const nowhere = { place: directoryPlace(join(dir, 'empty')), items: 1, isPartial: false };
  const { code, message } = await refusal(t, exportResults(options(dir, run, nowhere)));
  t.is(code, 'RESULTS_DAMAGED');
  t.regex(message, /empty\/0000000000\.seg is missing; 0 of its 1 outcomes are left/);
});

test('L17: a torn tail is not read, and what is before it is exported', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 2);
  await run.record([result(0), result(1)]);
  await run.close();
  await appendFile(segmentPath(run.place, 0), Buffer.alloc(500));
  t.like(await exportResults(options(dir, run)), { done: 2, failed: 0, damage: null });
  t.deepEqual(outputs(dir), { results: ['r0', 'r1'], errors: [] });
});

test('L39: a partial export leaves out what is damaged, and says what that is', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 3);
  await run.record([result(0), result(1)]);
  await run.settle([result(2)]);
  const { done, damage } = await exportResults(options(dir, run));
  t.is(done, 2);
  t.like(damage, { lost: 1, indexes: [2], segments: [{ accepted: 3, left: 2 }] });
  t.deepEqual(outputs(dir), { results: ['r0', 'r1'], errors: [] });
  await run.close();
});

test('a whole export of an unfinished run is refused, with what to do', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 3);
  await run.record([result(0)]);
  const { code, message } = await refusal(t, exportResults(options(dir, run, { items: 3, isPartial: false })));
  t.is(code, 'USAGE');
  t.regex(message, /2 of 3 items are open.*--partial/);
  await run.close();
});

test('an output that is a directory, or whose directory is missing, is refused by name', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 1);
  await run.record([result(0)]);
  mkdirSync(join(dir, 'folder'));
  for (const [outputPath, expected] of [
    [join(dir, 'folder'), /folder is a directory/],
    [join(dir, 'nowhere', 'out.jsonl'), /nowhere.*make the directory/],
  ] as const) {
    const { code, message } = await refusal(t, exportResults(options(dir, run, { outputPath })));
    t.is(code, 'OUTPUT_UNWRITABLE');
    t.regex(message, expected);
  }
  const late = await refusal(t, exportResults(options(dir, run, { errorsPath: join(dir, 'folder') })));
  t.is(late.code, 'OUTPUT_UNWRITABLE');
  t.deepEqual(readdirSync(dir).sort(), ['folder', 'segments', 'temp']);
  await run.close();
});

test('what a killed export left beside its output is removed by the next, and nothing else', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 0);
  const mine = await temporaryName('.out.jsonl.');
  for (const name of [await longestTemporaryName('.out.jsonl.'), mine, '.out.jsonl.old.tmp']) writeFileSync(join(dir, name), 'x');
  await exportResults(options(dir, run, { items: 0, isPartial: false }));
  t.deepEqual(readdirSync(dir).sort(), [mine, '.out.jsonl.old.tmp', 'out.errors.jsonl', 'out.jsonl', 'segments', 'temp']);
  t.deepEqual(outputs(dir), { results: [], errors: [] });
  await run.close();
});

test('lines of any length come out whole', async (t) => {
  const dir = temporaryDir(t);
  const sizes = [0, 1, 2 ** 20 - 1, 2 ** 20, 2 ** 20 + 1, 5 * 2 ** 20, 10];
  const run = await RecordedRun.start(dir, sizes.length);
  const texts = sizes.map((size, index) => `${index}`.repeat(size));
  await run.record(texts.map((text, index) => result(index, text)).reverse());
  for (const order of ['input', 'completion'] as const) {
    await exportResults(options(dir, run, { items: sizes.length, isPartial: false, order }));
    t.deepEqual(lines(join(dir, 'out.jsonl')), order === 'input' ? texts : texts.toReversed());
  }
  await run.close();
});
