import { readFileSync, writeFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, filesBelow, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS } from '../support/until.ts';

const ITEMS = 60;

/** A real finished run: two of its items have failed. */
async function finishedRun(t: ExecutionContext): Promise<Run> {
  const server = await modelServer(t, (item) => (/00000[37]$/.test(item) ? { kind: 'status', status: 400 } : { kind: 'ok' }));
  const run = makeRun(t, { lines: batchLines(ITEMS), args: ['--base-url', server.url, '--workers', '1'] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 1, command.stderr());
  await checkInvariant(t, run);
  return run;
}

/** `rollout verify` finds what `spoil` did to the file, names what `says` asks for, and ends with `undone` when it is undone. */
async function finds(
  t: ExecutionContext,
  run: Run,
  path: string,
  spoil: (bytes: Buffer) => Buffer,
  says: RegExp,
  undone: 0 | 6 = 0,
): Promise<void> {
  const sound = readFileSync(path);
  const spoilt = spoil(Buffer.from(sound));
  t.notDeepEqual(spoilt, sound, 'the test spoils something');
  writeFileSync(path, spoilt);
  const { exit, stdout, stderr } = await run.verb('verify');
  t.is(exit, 6, `${stdout}${stderr}`);
  t.regex(`${stdout}${stderr}`, says);
  writeFileSync(path, sound);
  t.is((await run.verb('verify')).exit, undone);
}

function lines(bytes: Buffer): string[] {
  return bytes.toString('utf8').split('\n').slice(0, -1);
}

function joined(all: readonly string[]): Buffer {
  return Buffer.from(all.map((line) => `${line}\n`).join(''));
}

/** Undone again before the next one, so that one run serves them all. */
test('rollout verify finds a planted duplicate, a missing line, a stranger, a line on the wrong side, and a flipped byte', async (t) => {
  t.timeout(300_000);
  const run = await finishedRun(t);
  const duplicated = lines(readFileSync(run.output))[4] ?? '';
  await finds(t, run, run.output, (bytes) => joined([...lines(bytes), duplicated]), /item-000005|duplicate|twice/i);
  const done = lines(readFileSync(run.output))[0] ?? '';
  await finds(t, run, run.errors, (bytes) => joined([...lines(bytes), done]), /item-000000/);

  await finds(t, run, run.output, (bytes) => joined(lines(bytes).toSpliced(10, 1)), /missing|item-000012|line 13\b/i);
  await finds(t, run, run.errors, (bytes) => joined(lines(bytes).toSpliced(0, 1)), /missing|item-000003|line 4\b/i);

  await finds(t, run, run.output, (bytes) => joined([...lines(bytes), done.replaceAll('item-000000', 'stranger')]), /stranger/);

  const flip = (at: (bytes: Buffer) => number) => (bytes: Buffer) => {
    const position = at(bytes);
    bytes.writeUInt8(bytes.readUInt8(position) ^ 1, position);
    return bytes;
  };
  const inAnswer = flip((bytes) => bytes.indexOf('answer to item-000020') + 2);
  const inName = flip((bytes) => bytes.indexOf('"custom_id"'));
  await finds(t, run, run.output, inAnswer, /item-000020|line 19\b|line 21\b/);
  await finds(t, run, run.output, inName, /\S/);
  const segment = filesBelow(run.state).find(({ path }) => path.endsWith('.seg'))?.path ?? '';
  await finds(t, run, segment, inAnswer, /\S/);

  const moved = lines(readFileSync(run.output)).at(-1) ?? '';
  writeFileSync(run.output, joined(lines(readFileSync(run.output)).slice(0, -1)));
  await finds(t, run, run.errors, (bytes) => joined([...lines(bytes), moved]), /item-000059/, 6);
});
