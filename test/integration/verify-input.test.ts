import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import test from 'ava';
import type { Frame } from '../../runtime/results/log/contract.ts';
import { FRAME_HEADER_BYTES, SEGMENT_HEADER_BYTES } from '../../runtime/results/log/segment.ts';
import { segmentPath } from '../../runtime/results/place/segment-name.ts';
import { verifyRun } from '../../runtime/results/verify/verify.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { finishedRun, MAX_LINE_BYTES, told } from '../support/verified-run.ts';

test('L17: any flipped byte of an accepted frame, or of the header, is found, and the segment named', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  const path = segmentPath(options.place, 0);
  const right = readFileSync(path);
  const lost = FRAME_HEADER_BYTES + 'lost'.length;
  for (let at = 0; at < right.length - lost; at += 17) {
    const flipped = Buffer.from(right);
    flipped.writeUInt8(flipped.readUInt8(at) ^ 0x10, at);
    writeFileSync(path, flipped);
    const { violations, isProven } = await verifyRun(options);
    t.false(isProven, `byte ${at}`);
    const [first, second] = violations;
    t.is(first?.file, path);
    if (at >= SEGMENT_HEADER_BYTES)
      t.regex(first?.what ?? '', /^cannot be read from byte \d+ of \d+ on: (a checksum is wrong|a length there is absurd|it is cut off)/);
    t.regex(second?.what ?? '', /the ledger has it as (done|failed), but the result log holds no record of it/);
  }
});

test('L22: a missing segment is found by its name', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  rmSync(segmentPath(options.place, 1));
  const [first, second] = told(await verifyRun(options), dir);
  t.is(first, '0000000001.seg is missing, but the ledger accepted results that were written to it');
  t.regex(second ?? '', /^in\.jsonl line \d+ .*the result log holds no record of it$/);
});

test('L21: an item with its bit but without its frame is found', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir, { withoutFrame: [5], isExported: false });
  writeFileSync(options.outputPath, '');
  writeFileSync(options.errorsPath, '');
  const violations = told(await verifyRun(options), dir);
  t.is(violations[0], 'in.jsonl line 7 (custom_id "a"): the ledger has it as failed, but the result log holds no record of it');
});

test('L6: a wrong count of the ledger is found', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  const progress = await options.ledger.progress();
  const ledger = {
    progress: async () => ({ ...progress, done: progress.done + 1 }),
    bits: options.ledger.bits.bind(options.ledger),
    tallies: options.ledger.tallies.bind(options.ledger),
  };
  t.deepEqual(told(await verifyRun({ ...options, ledger }), dir), [
    'ledger 11 items were handed out, but 0 running + 0 handed back + 7 done + 5 failed are counted',
    'ledger 7 items are counted as done, but 6 are marked so',
  ]);
});

test('L6: a run that is not finished is not proven', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  const progress = await options.ledger.progress();
  const ledger = {
    progress: async () => ({ ...progress, state: { kind: 'running' as const } }),
    bits: options.ledger.bits.bind(options.ledger),
    tallies: options.ledger.tallies.bind(options.ledger),
  };
  t.deepEqual(told(await verifyRun({ ...options, ledger }), dir), ['ledger the run is not finished, it is running']);
});

test('an input that was changed after the run is found, as a whole and by line', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  const input = readFileSync(options.inputPath, 'utf8');
  const changes: readonly (readonly [(text: string) => string, RegExp])[] = [
    [
      (text) => text.replace('"prompt":"c"', '"prompt":"C"'),
      /^in\.jsonl line 4 \(custom_id "c"\): its record was made from other contents/,
    ],
    [(text) => text.replace('"custom_id":"d"', '"custom_id":"D"'), /^in\.jsonl line 6 \(custom_id "D"\): its record has custom_id "d"/],
    [(text) => text.replace('"half"', '"half"}'), /^in\.jsonl line 5 \(without a custom_id\)|line 5 \(custom_id "half"\)/],
    [(text) => `${text}\r\n{"custom_id":"new"}`, /^in\.jsonl line 14 .*the ledger never handed it out/],
    [(text) => text.slice(0, text.lastIndexOf('\r\n')), /^in\.jsonl has 10 input lines, but the ledger handed out 11 items/],
  ];
  for (const [change, expected] of changes) {
    writeFileSync(options.inputPath, change(input));
    const violations = told(await verifyRun(options), dir);
    t.regex(violations[0] ?? '', expected);
    t.true(
      violations.some((text) => /^in\.jsonl has changed since the run: its SHA-256 is [0-9a-f]{64}, the run read [0-9a-f]{64}$/.test(text)),
    );
  }
  writeFileSync(options.inputPath, `${input}\r\n`);
  t.is((await verifyRun(options)).violationCount, 1, 'a byte that changes no line is a change');
});

test('a record that is not of its input line is found although output and log agree', async (t) => {
  const swap = (frames: Frame[]): Frame[] => {
    const [a, , c] = frames as [Frame, Frame, Frame];
    return frames.map((frame) => {
      if (frame.index === 0) return { ...c, index: 0 };
      return frame.index === 2 ? { ...a, index: 2 } : frame;
    });
  };
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir, { changeFrames: swap });
  t.deepEqual(told(await verifyRun(options), dir), [
    'in.jsonl line 1 (custom_id "a"): its record has custom_id "c": the input is not the one that was run',
    'in.jsonl line 4 (custom_id "c"): its record has custom_id "a": the input is not the one that was run',
  ]);
});

test('a limit ends the input, and so its digest', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  const { violations, items, blankLines } = await verifyRun({ ...options, limit: 3 });
  t.deepEqual([items, blankLines], [3, 1]);
  t.true(violations.some((one) => one.what.startsWith('has 3 input lines')));
});

test('the longest line that is allowed is an item', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  const longest = Math.max(
    ...readFileSync(options.inputPath, 'utf8')
      .split('\r\n')
      .filter((line) => line.length < MAX_LINE_BYTES)
      .map((line) => Buffer.byteLength(line.replace('\ufeff', ''))),
  );
  t.true((await verifyRun({ ...options, maxLineBytes: longest })).isProven);
  t.false((await verifyRun({ ...options, maxLineBytes: longest - 1 })).isProven);
});
