import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { type VerifyOptions, verifyRun } from '../../runtime/results/verify/verify.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { editLines, finishedRun, told } from '../support/verified-run.ts';

/** A right run whose output file is then changed; what verify says of it. */
async function afterEdit(
  t: ExecutionContext,
  change: (lines: string[]) => string[],
  more: Partial<VerifyOptions> = {},
): Promise<readonly string[]> {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir, { order: more.order ?? 'input' });
  editLines(options.outputPath, change);
  return told(await verifyRun({ ...options, ...more }), dir);
}

for (const order of ['input', 'completion'] as const) {
  test(`a right run is proven, in ${order} order, and nothing is left behind`, async (t) => {
    const dir = temporaryDir(t);
    const { options } = await finishedRun(dir, { order });
    const verification = await verifyRun(options);
    t.deepEqual(verification, { isProven: true, items: 11, done: 6, failed: 5, blankLines: 2, violations: [], violationCount: 0 });
    t.deepEqual(readdirSync(options.tempDir), []);
  });

  test(`L21: swapped lines are found, in ${order} order`, async (t) => {
    const violations = await afterEdit(t, ([a, b, c, ...rest]) => [a, c, b, ...rest] as string[], { order });
    const expected = {
      input: 'out.jsonl line 3 (custom_id "c") stands after line 2 (custom_id "d"), but comes before it in the input',
      completion: 'out.jsonl line 3 (custom_id "c") stands after line 2 (custom_id "a"), but was recorded before it',
    };
    t.deepEqual(violations, [expected[order]]);
  });
}

test('a planted duplicate line is found with the line that it repeats', async (t) => {
  t.deepEqual(await afterEdit(t, (lines) => [...lines, lines[2] as string]), [
    'out.jsonl line 7 repeats custom_id "d" of line 3',
    'out.jsonl has 7 lines, but the ledger counts 6 items as done',
  ]);
});

test('a record that stands in both files is found', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  const first = readFileSync(options.outputPath, 'utf8').split('\n')[0] as string;
  editLines(options.errorsPath, (lines) => [first, ...lines]);
  t.deepEqual(told(await verifyRun(options), dir), [
    'out.errors.jsonl line 1 repeats custom_id "a" of out.jsonl line 1',
    'out.errors.jsonl has 6 lines, but the ledger counts 5 items as failed',
  ]);
});

test('a record that was moved to the wrong file is found', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  const first = readFileSync(options.outputPath, 'utf8').split('\n')[0] as string;
  editLines(options.outputPath, (lines) => lines.slice(1));
  editLines(options.errorsPath, (lines) => [first, ...lines]);
  t.deepEqual(told(await verifyRun(options), dir), [
    'out.jsonl has 5 lines, but the ledger counts 6 items as done',
    'out.errors.jsonl line 1 (custom_id "a") is in the wrong file: the ledger has the item as done',
    'out.errors.jsonl has 6 lines, but the ledger counts 5 items as failed',
  ]);
});

test('a missing line is found with its input line', async (t) => {
  t.deepEqual(await afterEdit(t, (lines) => lines.filter((_, at) => at !== 2)), [
    'out.jsonl has 5 lines, but the ledger counts 6 items as done',
    'in.jsonl line 6 (custom_id "d") is in neither out.jsonl nor out.errors.jsonl',
  ]);
});

test('a missing last line, a missing file and an empty one are found', async (t) => {
  t.deepEqual(await afterEdit(t, (lines) => lines.slice(0, -1)), [
    'out.jsonl has 5 lines, but the ledger counts 6 items as done',
    'in.jsonl line 13 (custom_id "i") is in neither out.jsonl nor out.errors.jsonl',
  ]);
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  writeFileSync(options.outputPath, '');
  t.is((await verifyRun(options)).violationCount, 7);
  rmSync(options.outputPath);
  const missing = await verifyRun(options);
  t.deepEqual(told(missing, dir), ['out.jsonl is missing; `rollout export` writes it again from what is recorded']);
});

test('lines that no input line has are found, also twice', async (t) => {
  const stranger = '{"id":"batch_req_0","custom_id":"z","response":{},"error":null}';
  t.deepEqual(await afterEdit(t, (lines) => [stranger, ...lines, 'not json', stranger]), [
    'out.jsonl line 1 (custom_id "z") belongs to no input line: none has its id batch_req_0',
    'out.jsonl line 8 is not an output line: it was damaged, or is not ours',
    'out.jsonl line 9 repeats custom_id "z" of line 1, which belongs to no input line',
    'out.jsonl has 9 lines, but the ledger counts 6 items as done',
  ]);
});

test('a last line without its end is found', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  writeFileSync(options.outputPath, readFileSync(options.outputPath, 'utf8').slice(0, -1));
  t.deepEqual(told(await verifyRun(options), dir), ['out.jsonl line 6 has no line end: the file was cut off, or written to']);
});

test('a flipped bit of a body is found with its byte, in both files', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  editLines(options.outputPath, (lines) => lines.map((line) => line.replace('to c', 'to b')));
  editLines(options.errorsPath, (lines) => lines.map((line) => line.replace('refused', 'rEfused')));
  const [inOutput, inErrors, ...rest] = told(await verifyRun(options), dir);
  t.regex(inOutput ?? '', /^out\.jsonl line 2 \(custom_id "c"\) differs from its record in the result log, first at byte \d+ of the line$/);
  t.regex(
    inErrors ?? '',
    /^out\.errors\.jsonl line 1 \(custom_id "b"\) differs from its record in the result log, first at byte \d+ of the line$/,
  );
  t.deepEqual(rest, []);
});

for (const file of ['outputPath', 'errorsPath'] as const) {
  test(`any flipped byte of the file at ${file} is found, wherever it is`, async (t) => {
    const dir = temporaryDir(t);
    const { options } = await finishedRun(dir);
    const right = readFileSync(options[file]);
    for (let at = 0; at < right.length; at += 29) {
      const flipped = Buffer.from(right);
      flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
      writeFileSync(options[file], flipped);
      const { isProven, violations } = await verifyRun(options);
      t.false(isProven, `byte ${at}`);
      t.true(
        violations.some((one) => one.file === options[file]),
        `byte ${at}`,
      );
    }
  });
}

test('a shifted file breaks on every line: the first twenty are kept, all are counted', async (t) => {
  const dir = temporaryDir(t);
  const { options } = await finishedRun(dir);
  editLines(options.outputPath, (lines) => [...lines, ...lines, ...lines, ...lines, ...lines]);
  const { violations, violationCount } = await verifyRun(options);
  t.is(violations.length, 20);
  t.is(violationCount, 25);
});

for (const which of ['outputPath', 'errorsPath'] as const) {
  test(`a file that is short at its end is found, wherever it was cut: ${which}`, async (t) => {
    const dir = temporaryDir(t);
    const { options } = await finishedRun(dir);
    const whole = readFileSync(options[which]);
    // Everywhere about an end of a line, and at every place that a line has.
    const lengths = Array.from(whole.keys()).filter((at) => at % 7 === 0 || whole.subarray(Math.max(0, at - 2), at + 2).includes('\n'));
    for (const length of lengths) {
      writeFileSync(options[which], whole.subarray(0, length));
      t.false((await verifyRun(options)).isProven, `${length} of ${whole.length} bytes`);
    }
    writeFileSync(options[which], whole);
    t.true((await verifyRun(options)).isProven);
  });
}
