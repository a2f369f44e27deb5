import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { contentId } from '../../runtime/format/content-id.ts';
import { badLineId, errorLine, resultLine } from '../../runtime/format/output-line.ts';
import type { Item } from '../../runtime/model/item.ts';
import { exportResults } from '../../runtime/results/export/export.ts';
import type { Frame, OutputOrder } from '../../runtime/results/log/contract.ts';
import type { Verification, VerifyOptions } from '../../runtime/results/verify/verify.ts';
import { RecordedRun } from './recorded-run.ts';

/** A finished run with everything that a real one leaves: input, ledger, result log, both outputs. */
export interface FinishedRun {
  readonly run: RecordedRun;
  readonly options: VerifyOptions;
}

export const MAX_LINE_BYTES = 300;

/** The input, line by line, and the record that a right run makes of each; null for a blank line. */
export function inputWithRecords(): readonly (readonly [string, Omit<Frame, 'index'> | null])[] {
  return [
    item('a', 'result'),
    item('b', 'http_400'),
    ['', null],
    item('c', 'result'),
    bad('{"custom_id": "half"', 4 + 1, 'invalid_json', null),
    item('d', 'result'),
    bad(batchLine('a'), 7, 'duplicate_custom_id', 'a'),
    item('e', 'result'),
    bad(JSON.stringify({ custom_id: 'f', url: '/v1/x' }), 9, 'missing_body', 'f'),
    ['  \t', null],
    bad(batchLine('g'.repeat(MAX_LINE_BYTES)), 11, 'line_too_long', null),
    item('h', 'result'),
    item('i', 'result'),
  ];

  function item(customId: string, outcome: string): readonly [string, Omit<Frame, 'index'>] {
    const value: Item = { customId, method: 'POST', url: '/v1/chat/completions', body: { prompt: customId } };
    const id = contentId(value);
    const response = { statusCode: 200, requestId: `req-${customId}`, body: `{"answer":"to ${customId}"}` };
    if (outcome === 'result') return [batchLine(customId), { attempt: 1, kind: 'result', line: resultLine({ item: value, id, response }) }];
    const line = errorLine({ id, customId, code: outcome, message: 'refused', line: 2, response: { ...response, statusCode: 400 } });
    return [batchLine(customId), { attempt: 1, kind: 'error', line }];
  }

  function bad(text: string, line: number, code: string, customId: string | null): readonly [string, Omit<Frame, 'index'>] {
    const id = badLineId(line);
    return [text, { attempt: 1, kind: 'error', line: errorLine({ id, customId, code, message: 'bad', line, response: null }) }];
  }
}

function batchLine(customId: string): string {
  return JSON.stringify({ custom_id: customId, method: 'POST', url: '/v1/chat/completions', body: { prompt: customId } });
}

export interface FinishedRunOptions {
  readonly order?: OutputOrder;
  /** What is recorded instead of the right records. */
  readonly changeFrames?: (frames: Frame[]) => Frame[];
  /** Indexes that are settled without a frame. */
  readonly withoutFrame?: readonly number[];
  readonly isExported?: boolean;
}

/** Recorded over two epochs, not in the order of the input, with a lost outcome in between. */
export async function finishedRun(dir: string, how: FinishedRunOptions = {}): Promise<FinishedRun> {
  const lines = inputWithRecords();
  const inputPath = join(dir, 'in.jsonl');
  writeFileSync(inputPath, `\ufeff${lines.map(([text]) => text).join('\r\n')}`);
  const right = lines.flatMap(([, record]) => (record === null ? [] : [record])).map((record, index): Frame => ({ ...record, index }));
  const frames = how.changeFrames?.(right) ?? right;
  const run = await RecordedRun.start(dir, frames.length);
  const half = Math.floor(frames.length / 2);
  const shuffled = [...frames.slice(0, half).reverse(), ...frames.slice(half)];
  await record(run, shuffled.slice(0, half), how);
  await run.append([{ index: frames.length - 1, attempt: 1, kind: 'error', line: Buffer.from('lost') }]);
  await run.failOver();
  await record(run, shuffled.slice(half), how);
  await run.finish(frames.length);
  await run.close();
  const options = optionsOf(dir, inputPath, run, how.order ?? 'input');
  const { ledger, place, outputPath, errorsPath, order, tempDir } = options;
  const whole = { ledger, place, outputPath, errorsPath, order, tempDir, items: frames.length, isPartial: false };
  if (how.isExported !== false) await exportResults(whole);
  return { run, options };
}

async function record(run: RecordedRun, frames: readonly Frame[], how: FinishedRunOptions): Promise<void> {
  await run.append(frames.filter((frame) => !how.withoutFrame?.includes(frame.index)));
  await run.settle(frames);
}

function optionsOf(dir: string, inputPath: string, run: RecordedRun, order: OutputOrder): VerifyOptions {
  return {
    ledger: run.ledger,
    place: run.place,
    inputPath,
    outputPath: join(dir, 'out.jsonl'),
    errorsPath: join(dir, 'out.errors.jsonl'),
    order,
    form: 'batch',
    maxLineBytes: MAX_LINE_BYTES,
    limit: null,
    tempDir: join(dir, 'temp'),
    expectedSha256: createHash('sha256').update(readFileSync(inputPath)).digest('hex'),
  };
}

/** The breaks as a person reads them, with the names of the files alone. */
export function told({ violations, violationCount, isProven }: Verification, dir: string): readonly string[] {
  if (isProven !== (violationCount === 0)) return ['isProven and violationCount contradict one another'];
  return violations.map(({ file, line, what }) =>
    `${basename(file)}${line === null ? '' : ` line ${line}`} ${what}`.replaceAll(`${dir}/`, ''),
  );
}

/** Changes a file of lines. */
export function editLines(path: string, change: (lines: string[]) => string[]): void {
  const lines = readFileSync(path, 'utf8').slice(0, -1).split('\n');
  writeFileSync(path, `${change(lines).join('\n')}\n`);
}
