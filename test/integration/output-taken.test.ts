import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { finished, startCommand } from '../support/command.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { until } from '../support/until.ts';
import { type Ended, verb } from '../support/verb.ts';

const MOCK = ['--backend', 'mock', '--workers', '1'];

function smallRun(t: ExecutionContext, args: readonly string[] = MOCK): Run {
  return makeRun(t, { lines: batchLines(5), args });
}

function other(run: Run, output: string, ...more: readonly string[]): Promise<Ended> {
  return verb(['run', run.input, '--output', output, ...MOCK, ...more], run.dir);
}

test.serial('a file that stands at the output or its errors file is refused before anything is made, with the ways out', async (t) => {
  t.timeout(60_000);
  const run = smallRun(t);
  for (const path of [run.output, run.errors]) {
    writeFileSync(path, 'mine\n');
    const { exit, stderr } = await run.refused();
    t.is(exit, 2, stderr);
    t.regex(stderr, /is there already.*--output.*--overwrite/);
    t.is(readFileSync(path, 'utf8'), 'mine\n');
    t.false(existsSync(run.state));
    rmSync(path);
  }
});

test.serial('after the state was deleted the same command refuses to replace the answers; --overwrite replaces them', async (t) => {
  t.timeout(90_000);
  const run = smallRun(t);
  t.is((await finished(run.start())).exit, 0);
  t.deepEqual(
    readdirSync(run.dir).filter((name) => name.endsWith('.claim') || name.endsWith('.tmp')),
    [],
    'nothing is left beside the output',
  );
  t.is((await finished(run.start(['--fresh']))).exit, 0, 'what an earlier run wrote, whose state is kept aside, is replaced');
  appendFileSync(run.output, '{"mine":1}\n');
  t.is((await run.refused(['--fresh'])).exit, 2, 'not where it was changed since');
  rmSync(run.state, { recursive: true });
  const refused = await run.refused();
  t.is(refused.exit, 2, refused.stderr);
  t.regex(readFileSync(run.output, 'utf8'), /mine/);
  t.is((await finished(run.start(['--overwrite']))).exit, 0);
  t.notRegex(readFileSync(run.output, 'utf8'), /mine/);
  await checkInvariant(t, run);
  t.is((await run.verb('export')).exit, 0, 'its own output is written again without a word');
});

test.serial('a run that is killed at its end goes on and replaces what it had written itself', async (t) => {
  t.timeout(90_000);
  const run = smallRun(t);
  t.is((await finished(run.start())).exit, 0);
  // As after kill -9 between the files and the mark: the output stands, and nobody has noted that the export is whole.
  rmSync(join(run.state, 'exported.json'));
  t.is((await finished(run.start())).exit, 0);
  await checkInvariant(t, run);
});

test.serial('an output of a run that goes on, or was interrupted, is refused to any other, by whatever name', async (t) => {
  t.timeout(120_000);
  let isSlow = true;
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: isSlow ? 60_000 : 0 }));
  const run = smallRun(t, ['--base-url', server.url, '--drain-timeout', '1s']);
  symlinkSync('.', join(run.dir, 'here'));
  const first = run.start();
  await until('items are executed', 60_000, () => server.total() > 0);
  const taken = [run.output, join(run.dir, 'here', 'out.jsonl'), run.errors];
  const refuse = async (): Promise<void> => {
    for (const output of taken) {
      const { exit, stderr } = await other(run, output, '--state', join(run.dir, 'other'));
      t.is(exit, 2, stderr);
      t.regex(stderr, /unfinished run in .*out\.jsonl\.rollout/);
    }
  };
  await refuse();
  first.signal('SIGINT');
  t.is(await exitOf(first, 30_000), 130, first.stderr());
  await refuse();
  isSlow = false;
  t.is(await exitOf(run.start(), 60_000), 0);
  t.is((await other(run, run.output, '--state', join(run.dir, 'other'))).exit, 2, 'and once it is written');
  await checkInvariant(t, run);
});

test.serial('an export replaces its own earlier one, and no other file', async (t) => {
  t.timeout(90_000);
  const run = smallRun(t);
  t.is((await finished(run.start())).exit, 0);
  const path = join(run.dir, 'elsewhere');
  writeFileSync(path, 'mine\n');
  const refused = await run.verb('export', '--output', path);
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /--overwrite/);
  t.is(readFileSync(path, 'utf8'), 'mine\n');
  t.is((await run.verb('export', '--output', path, '--overwrite')).exit, 0);
  t.is((await run.verb('export', '--output', path, '--order', 'completion')).exit, 0);
  t.is((await run.verb('export', '--output', path)).exit, 0);
  t.is(readFileSync(path, 'utf8'), readFileSync(run.output, 'utf8'));
  symlinkSync('/dev/stdout', join(run.dir, 'stdout'));
  for (const device of [join(run.dir, 'stdout'), '/dev/null', run.dir, join(run.state, 'x')])
    t.is((await run.verb('export', '--output', device)).exit, 2, device);
});

test.serial('a state directory that was moved or comes from somebody else does not say where an export is written', async (t) => {
  t.timeout(90_000);
  const run = smallRun(t, [...MOCK, '--state', 'kept']);
  t.is((await finished(run.start())).exit, 0);
  const state = join(run.dir, 'kept');
  rmSync(run.output);
  const named = async (...more: readonly string[]) => verb(['export', '--state', state, ...more], run.dir);
  const { exit, stderr } = await named();
  t.is(exit, 2);
  t.regex(stderr, new RegExp(`--output ${run.output}`));
  t.false(existsSync(run.output));
  t.is((await named('--output', run.output)).exit, 0);
});

test.serial('an output that cannot be written is found before the first request, with its cause', async (t) => {
  t.timeout(60_000);
  const server = await modelServer(t, () => ({ kind: 'ok' }));
  const run = smallRun(t);
  writeFileSync(join(run.dir, 'file'), '');
  for (const [output, why] of [
    [join(run.dir, `${'x'.repeat(232)}.jsonl`), /ENAMETOOLONG.*shorter/],
    [join(run.dir, 'missing', 'out.jsonl'), /there is no directory/],
    [join(run.dir, 'file', 'out.jsonl'), /there is no directory/],
    ['/proc/out.jsonl', /cannot write \/proc\/out\.jsonl/],
  ] as const) {
    const args = ['run', run.input, '--output', output, '--base-url', server.url, '--state', join(run.dir, 'state')];
    const { exit, stderr } = await verb(args, run.dir);
    t.is(exit, 2, stderr);
    t.regex(stderr, why);
    t.notRegex(stderr, /^ {4}at /m);
  }
  t.is(server.total(), 0);
  t.false(existsSync(join(run.dir, 'state')));
  const inProc = await other(run, run.output, '--state', '/proc/state');
  t.is(inProc.exit, 2, inProc.stderr);
  t.regex(inProc.stderr, /cannot keep the run in \/proc\/state.*--state/);
});

/** Paths below `dir` that others than their owner may read. */
function readableByOthers(dir: string): readonly string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  return ['.', ...names].filter((name) => (statSync(join(dir, name)).mode & 0o077) !== 0);
}

for (const [name, inputMode, umask, outputMode] of [
  ['a private input', 0o600, 0o022, 0o600],
  ['a public input', 0o644, 0o022, 0o644],
  ['a strict umask', 0o644, 0o077, 0o600],
] as const) {
  test.serial(`with ${name} the state is its owner's alone, and the output as strict as input and umask`, async (t) => {
    t.timeout(60_000);
    const run = smallRun(t);
    chmodSync(run.input, inputMode);
    const before = process.umask(umask);
    const command = run.startProcess();
    process.umask(before);
    t.is(await exitOf(command, 60_000), 0, command.stderr());
    t.deepEqual(readableByOthers(run.state), []);
    for (const path of [run.output, run.errors]) t.is(statSync(path).mode & 0o777, outputMode);
    t.is((await run.verb('export', '--partial')).exit, 0);
    t.is(statSync(`${run.output}.partial`).mode & 0o777, outputMode);
  });
}

test.serial('the answers to standard input have the umask’s permissions, and its copy is private', async (t) => {
  t.timeout(60_000);
  const run = smallRun(t);
  mkdirSync(join(run.dir, 'piped'));
  const output = join(run.dir, 'piped', 'out.jsonl');
  const command = startCommand('cli', ['run', '-', '--output', output, ...MOCK], { cwd: run.dir, stdin: readFileSync(run.input) });
  t.is(await exitOf(command, 60_000), 0, command.stderr());
  t.deepEqual(readableByOthers(`${output}.rollout`), []);
  t.is(statSync(output).mode & 0o777, 0o666 & ~process.umask());
});
