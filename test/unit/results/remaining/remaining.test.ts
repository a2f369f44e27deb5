import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ITEM_BIT } from '../../../../runtime/ledger/contract.ts';
import { type Remaining, type RemainingOptions, writeRemaining } from '../../../../runtime/results/remaining/remaining.ts';
import { batchLines } from '../../../support/batch-lines.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const { open, done, failed } = ITEM_BIT;
const LINES = batchLines(5);
const OPEN = { open: true, failed: false };

/** Of items that were handed out, in their order; all others are open. */
async function remainingOf(
  t: ExecutionContext,
  lines: readonly string[],
  bits: readonly number[],
  more: Partial<RemainingOptions> = {},
): Promise<Remaining & { readonly written: readonly string[] }> {
  const dir = temporaryDir(t);
  const [inputPath, outputPath] = [join(dir, 'input.jsonl'), join(dir, 'left.jsonl')];
  writeFileSync(inputPath, `${lines.join('\n')}\n`);
  const remaining = await writeRemaining({
    ledger: { bits: async (from, count) => Uint8Array.from(bits.slice(from, from + count)) },
    ...{ inputPath, outputPath, form: 'batch', maxLineBytes: 4_096, limit: null, tempDir: join(dir, 'temp'), mode: 0o600 },
    wanted: OPEN,
    expectedSha256: null,
    ...more,
  });
  return { ...remaining, written: readFileSync(outputPath, 'utf8').split('\n').slice(0, -1) };
}

test('lines without a record are written as they are, in their order, those that were never handed out too', async (t) => {
  const found = await remainingOf(t, LINES, [done, open, failed]);
  t.deepEqual(found, { lines: 3, notItems: 0, written: [LINES[1], LINES[3], LINES[4]] as string[] });
});

test('failed lines instead, or as well', async (t) => {
  const bits = [done, open, failed, done, failed];
  t.deepEqual((await remainingOf(t, LINES, bits, { wanted: { open: false, failed: true } })).written, [LINES[2], LINES[4]]);
  t.deepEqual((await remainingOf(t, LINES, bits, { wanted: { open: true, failed: true } })).written, [LINES[1], LINES[2], LINES[4]]);
});

test('nothing is left of a run in which each line has a record', async (t) => {
  t.deepEqual(
    await remainingOf(
      t,
      LINES,
      LINES.map(() => done),
    ),
    { lines: 0, notItems: 0, written: [] },
  );
});

test('a line that is no item is counted and left out; a blank one is none', async (t) => {
  const [one = '', two = ''] = LINES;
  const found = await remainingOf(t, [one, '', 'not json', one, 'x'.repeat(5_000), two], []);
  t.deepEqual(found, { lines: 2, notItems: 3, written: [one, two] });
});

test('with a limit no line beyond it is left', async (t) => {
  t.deepEqual((await remainingOf(t, LINES, [done], { limit: 3 })).written, [LINES[1], LINES[2]]);
});

test('values of a raw list are written as they are', async (t) => {
  t.deepEqual((await remainingOf(t, ['1e400', '"a"', '[ ]'], [done], { form: 'raw' })).written, ['"a"', '[ ]']);
});

test('a list that has changed since the run is refused, and nothing is written', async (t) => {
  const sha256 = createHash('sha256')
    .update(`${LINES.join('\n')}\n`)
    .digest('hex');
  t.is((await remainingOf(t, LINES, [], { expectedSha256: sha256 })).lines, 5);
  const outputPath = join(temporaryDir(t), 'left.jsonl');
  const changed = remainingOf(t, [...LINES].reverse(), [], { expectedSha256: sha256, outputPath });
  await t.throwsAsync(changed, { code: 'INPUT_CHANGED', message: /has changed since the run/ });
  t.false(existsSync(outputPath));
});

test('a list of a run that has changed meanwhile is put nowhere', async (t) => {
  const outputPath = join(temporaryDir(t), 'left.jsonl');
  const confirm = async (): Promise<void> => {
    t.false(existsSync(outputPath), 'asked before the list is in its place');
    throw new Error('a coordinator works on the run');
  };
  await t.throwsAsync(remainingOf(t, LINES, [done], { outputPath, confirm }), { message: 'a coordinator works on the run' });
  t.false(existsSync(outputPath));
});
