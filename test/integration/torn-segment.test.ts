import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { RolloutError } from '../../runtime/base/errors.ts';
import { exportResults } from '../../runtime/results/export/export.ts';
import type { Frame } from '../../runtime/results/log/contract.ts';
import { FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES } from '../../runtime/results/log/segment.ts';
import { segmentPath } from '../../runtime/results/place/segment-name.ts';
import { verifyRun } from '../../runtime/results/verify/verify.ts';
import { RecordedRun } from '../support/recorded-run.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { finishedRun } from '../support/verified-run.ts';

function frame(index: number, text: string): Frame {
  return { index, attempt: 1, kind: 'result', line: Buffer.from(text) };
}

/** Where the nth frame of a segment begins. */
function frameAt(bytes: Buffer, nth: number): number {
  let at = SEGMENT_HEADER_BYTES;
  for (let n = 0; n < nth; n += 1) at += FRAME_HEADER_BYTES + bytes.readUInt32LE(at + 4);
  return at;
}

/** What a crash may leave from byte `from` on of a write that was never synced; the file may have kept its length. */
const TAILS: Readonly<Record<string, (bytes: Buffer, from: number) => Buffer>> = {
  'cut off': (bytes, from) => bytes.subarray(0, from),
  zeros: (bytes, from) => Buffer.concat([bytes.subarray(0, from), Buffer.alloc(bytes.length - from)]),
  'zeros far beyond its end': (bytes, from) => Buffer.concat([bytes.subarray(0, from), Buffer.alloc(10_000)]),
  garbage: (bytes, from) => Buffer.concat([bytes.subarray(0, from), Buffer.alloc(bytes.length - from + 50, 0xa7)]),
};

for (const [name, tear] of Object.entries(TAILS)) {
  test(`L17: a tail of ${name}, from any byte of the last frame on: the rest is read, and the successor's segment counts`, async (t) => {
    const dir = temporaryDir(t);
    const { options } = await finishedRun(dir);
    const path = segmentPath(options.place, 0);
    const whole = readFileSync(path);
    const [results, errors] = [readFileSync(options.outputPath), readFileSync(options.errorsPath)];
    const last = lastFrameOf(whole);
    t.true(last > SEGMENT_HEADER_BYTES && last < whole.length);
    for (let from = last; from <= whole.length; from += 1) {
      writeFileSync(path, tear(whole, from));
      const { isProven, violations } = await verifyRun(options);
      t.true(isProven, `byte ${from}: ${violations[0]?.what}`);
      await exportResults({ ...options, items: null, isPartial: true });
      t.true(readFileSync(options.outputPath).equals(results) && readFileSync(options.errorsPath).equals(errors), `byte ${from}`);
    }
  });
}

function lastFrameOf(bytes: Buffer): number {
  let last = SEGMENT_HEADER_BYTES;
  for (let nth = 0; frameAt(bytes, nth) < bytes.length; nth += 1) last = frameAt(bytes, nth);
  return last;
}

interface TwoEpochs {
  readonly run: RecordedRun;
  readonly path: string;
  readonly export: () => Promise<string>;
}

/** Items 0 and 1 have a lost outcome of epoch 0 each; what epoch 1 recorded, in this order, is what counts. */
async function twoEpochs(dir: string, recorded: readonly Frame[]): Promise<TwoEpochs> {
  const run = await RecordedRun.start(dir, 2);
  await run.append([frame(0, 'old-0'), frame(1, 'old-1')]);
  await run.failOver();
  for (const one of recorded) await run.record([one]);
  const outputPath = join(dir, 'out.jsonl');
  const files = { outputPath, errorsPath: join(dir, 'errors.jsonl'), tempDir: join(dir, 'temp') };
  return {
    run,
    path: segmentPath(run.place, 1),
    export: async () => {
      await exportResults({ ledger: run.ledger, place: run.place, ...files, order: 'input', items: 2, isPartial: false });
      return readFileSync(outputPath, 'utf8');
    },
  };
}

test('L21: a damaged frame that hides an accepted record is told, although every item has an older frame', async (t) => {
  const made = await twoEpochs(temporaryDir(t), [frame(1, 'new-1'), frame(0, 'new-0')]);
  t.is(await made.export(), 'new-0\nnew-1\n');
  const whole = readFileSync(made.path);
  for (let at = frameAt(whole, 0); at < frameAt(whole, 1); at += 1) {
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 0x04, at);
    writeFileSync(made.path, flipped);
    const error = await t.throwsAsync<RolloutError>(made.export(), { instanceOf: RolloutError, code: 'RESULTS_DAMAGED' });
    t.true(error?.message.includes(`${made.path} cannot be read from byte ${frameAt(whole, 0)}`), `byte ${at}: ${error?.message}`);
    t.true(error?.message.includes('item indexes (from 0): 0, 1\n'), `byte ${at}: ${error?.message}`);
  }
  const { run } = made;
  const verified = await verifyRun({
    ledger: run.ledger,
    place: run.place,
    outputPath: join(run.segments, 'none'),
    errorsPath: join(run.segments, 'none'),
    order: 'input',
    expectedSha256: null,
    inputPath: made.path,
    form: 'raw',
    limit: null,
    maxLineBytes: 1_000,
    tempDir: join(run.segments, 'temp'),
  });
  t.true(verified.violations.some(({ file, what }) => file === made.path && what.startsWith('hides a record: item index 0')));
  await run.close();
});

test('L39: the loss of a last frame is told, by any of its bits or bytes, although its item has an older frame', async (t) => {
  const made = await twoEpochs(temporaryDir(t), [frame(1, 'new-1'), frame(0, 'new-0')]);
  const whole = readFileSync(made.path);
  const tellsItem0 = async (bytes: Buffer, what: string): Promise<void> => {
    writeFileSync(made.path, bytes);
    const error = await t.throwsAsync<RolloutError>(made.export(), { instanceOf: RolloutError, code: 'RESULTS_DAMAGED' }, what);
    t.regex(error?.message ?? '', /1 recorded outcome is damaged or gone:[\s\S]*item index \(from 0\): 0\n/, what);
  };
  for (let at = frameAt(whole, 1); at < whole.length; at += 1) {
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 0x04, at);
    await tellsItem0(flipped, `a flipped bit at ${at}`);
    await tellsItem0(whole.subarray(0, at), `cut off at ${at}`);
  }
  await made.run.close();
});

test('L39: of two outcomes of one epoch the refused one does not take the place of a lost one', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 1);
  await run.append([{ ...frame(0, 'refused'), attempt: 7 }]);
  await run.record([frame(0, 'accepted')]);
  await run.close();
  const path = segmentPath(run.place, 0);
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.subarray(0, frameAt(bytes, 1)));
  const files = { outputPath: join(dir, 'out'), errorsPath: join(dir, 'errors'), tempDir: join(dir, 'temp') };
  const exported = exportResults({ ledger: run.ledger, place: run.place, ...files, order: 'input', items: 1, isPartial: false });
  await t.throwsAsync(exported, { code: 'RESULTS_DAMAGED' });
});

test('L17: whole frames behind a hole in a write that was never synced are no records, and nobody is alarmed', async (t) => {
  const dir = temporaryDir(t);
  const run = await RecordedRun.start(dir, 3);
  await run.record([frame(2, 'kept-2')]);
  // One write; the power fails, and the page of its first frame is not on disk.
  await run.append([frame(0, 'unsynced-0'), frame(1, 'unsynced-1')]);
  await run.failOver();
  await run.record([frame(0, 'new-0'), frame(1, 'new-1')]);
  const path = segmentPath(run.place, 0);
  const holed = readFileSync(path);
  holed.fill(0, frameAt(holed, 1), frameAt(holed, 2));
  writeFileSync(path, holed);
  const outputPath = join(dir, 'out.jsonl');
  const files = { outputPath, errorsPath: join(dir, 'errors.jsonl'), tempDir: join(dir, 'temp') };
  await exportResults({ ledger: run.ledger, place: run.place, ...files, order: 'input', items: 3, isPartial: false });
  t.is(readFileSync(outputPath, 'utf8'), 'new-0\nnew-1\nkept-2\n');
  await run.close();
});

test('L21: a hidden record is found behind much damage, across the windows in which it is looked for, whatever its size', async (t) => {
  const large = 'n'.repeat(5 * 2 ** 20);
  const made = await twoEpochs(temporaryDir(t), [frame(1, large), frame(0, large)]);
  const whole = readFileSync(made.path);
  whole.fill(0x5c, frameAt(whole, 0), frameAt(whole, 1));
  writeFileSync(made.path, whole);
  const error = await t.throwsAsync<RolloutError>(made.export(), { instanceOf: RolloutError, code: 'RESULTS_DAMAGED' });
  t.regex(error?.message ?? '', /item indexes \(from 0\): 0, 1\n/);
  await made.run.close();
});
