import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { finished } from '../support/command.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { startVerb, verb } from '../support/verb.ts';

const MOCK = ['--backend', 'mock', '--workers', '1'];

async function finishedRun(t: ExecutionContext): Promise<Run> {
  const run = makeRun(t, { lines: batchLines(20), args: MOCK });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  return run;
}

test.serial('a second run on the same state directory is refused while the first lives, naming its pid; --fresh too', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 200 }));
  const run = makeRun(t, { lines: batchLines(2_000), args: ['--base-url', server.url, '--concurrency', '2'] });
  const first = run.startProcess();
  await until('items are executed', PATIENCE_MS, () => server.total() > 5);
  for (const extra of [[], ['--fresh']]) {
    const second = await run.refused(extra);
    t.is(second.exit, 2);
    t.regex(second.stderr, new RegExp(`process ${first.pid}\\b`));
  }
  t.false(first.hasExited());
  first.signal('SIGINT');
  t.is(await exitOf(first, PATIENCE_MS), 130, first.stderr());
});

test.serial(
  'status is told by the live coordinator, and read from the store when there is none; export --partial works in both',
  async (t) => {
    t.timeout(300_000);
    const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 200 }));
    const run = makeRun(t, { lines: batchLines(400), args: ['--base-url', server.url, '--concurrency', '4'] });
    const command = run.start();
    await until('items are executed', PATIENCE_MS, () => server.total() > 20);
    const live = await run.verb('status');
    t.is(live.exit, 0, live.stderr);
    t.regex(live.stdout, /state: running/);
    t.regex(live.stdout, /worker w1: ready/);
    const partial = join(run.dir, 'partial.jsonl');
    t.is((await run.verb('export', '--partial', '--output', partial)).exit, 0);
    t.true(readFileSync(partial, 'utf8').split('\n').length > 1);
    const byDefault = await run.verb('export', '--partial');
    t.regex(byDefault.stdout, /partial export/);
    t.false(existsSync(run.output), 'what is partial never stands in the place of the whole');
    t.true(existsSync(`${run.output}.partial`) && existsSync(`${run.output}.partial.errors.jsonl`));
    t.is((await run.verb('export', '--output', partial)).exit, 2, 'without --partial an unfinished run is refused');
    const unproven = await run.verb('verify');
    t.is(unproven.exit, 2, 'an unfinished run is no break');
    t.regex(
      unproven.stderr,
      /^rollout: the run is not finished: \d+ (of 400 items are recorded|items are recorded so far);.*then verify\n$/,
    );
    const list = join(run.dir, 'left.jsonl');
    const early = await run.verb('export', '--remaining', '--output', list);
    t.is(early.exit, 2, 'what is recorded meanwhile would be in the list too');
    t.regex(early.stderr, /a coordinator \(pid \d+, .*\) works on the run/);
    command.signal('SIGINT');
    t.is(await exitOf(command, PATIENCE_MS), 130);
    t.regex(command.stderr(), /progress is kept/);
    const stored = await run.verb('status', '--json');
    const seen = JSON.parse(stored.stdout) as {
      readonly isLive: boolean;
      readonly done: number;
      readonly state: { readonly kind: string };
    };
    t.is(seen.isLive, false);
    t.is(seen.done, server.total());
    t.regex((await run.verb('status')).stdout, /No coordinator is running/);
    const again = await run.verb('export', '--partial', '--output', partial, '--json');
    t.like(JSON.parse(again.stdout), { done: seen.done, output: partial, isPartial: true });
    const left = await run.verb('export', '--remaining', '--output', list, '--json');
    t.deepEqual(JSON.parse(left.stdout), { lines: 400 - seen.done, notItems: 0, output: list, remaining: true, failed: false });
    const idOf = (line: string): string => (JSON.parse(line) as { readonly custom_id: string }).custom_id;
    const ids = [partial, list].flatMap((path) => readFileSync(path, 'utf8').split('\n').slice(0, -1).map(idOf));
    t.deepEqual(ids.toSorted(), batchLines(400).map(idOf).toSorted(), 'each line is in one of the two');
    t.is((await run.verb('export', '--remaining')).exit, 2, 'a list for another run has no name of its own');
    t.is((await run.verb('export', '--remaining', '--partial', '--output', list)).exit, 2);
  },
);

test.serial(
  '--json prints JSON lines only, --order completion has the same lines, and settings are written for their owner alone',
  async (t) => {
    t.timeout(300_000);
    const args = [...MOCK, '--order', 'completion', '--concurrency', '8'];
    const run = makeRun(t, { lines: [...batchLines(20), 'not json'], args });
    const { exit, stdout, stderr } = await finished(run.start(['--json']));
    t.is(exit, 1, stderr);
    const lines = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    t.like(lines.at(-1), { kind: 'ended', exit: 1, done: 20, failed: 1, output: run.output, errors: run.errors });
    t.true(lines.slice(0, -1).every((line) => line['kind'] === 'progress'));
    t.is(run.results().length, 20);
    await checkInvariant(t, run);
    for (const path of ['coordinator.yaml', 'workers/w1/worker.yaml']) t.is(statSync(join(run.state, path)).mode & 0o777, 0o600, path);
  },
);

test.serial('a finished run makes its output again where it is missing, or where its writing may have been cut short', async (t) => {
  t.timeout(300_000);
  const run = await finishedRun(t);
  const output = readFileSync(run.output, 'utf8');
  rmSync(run.output);
  t.is((await finished(run.start())).exit, 0);
  t.is(readFileSync(run.output, 'utf8'), output);
  writeFileSync(join(run.state, 'exported.json'), '{"outp');
  t.is((await finished(run.start())).exit, 0, 'a damaged mark counts as a missing one');
  t.is(readFileSync(run.output, 'utf8'), output);
  rmSync(join(run.state, 'exported.json'));
  writeFileSync(run.output, 'of an earlier run\n');
  const refused = await run.refused();
  t.is(refused.exit, 2, 'nobody can tell whose this file is');
  t.regex(refused.stderr, /--overwrite/);
  t.is((await finished(run.start(['--overwrite']))).exit, 0);
  t.is(readFileSync(run.output, 'utf8'), output);
  await checkInvariant(t, run);
  t.regex((await run.verb('export', '--order', 'completion')).stderr, /own order is input: `rollout verify` accepts .* without --order/);
  t.is((await run.verb('export')).stderr, '');
});

test.serial('a finished run that is written to another output is proven there', async (t) => {
  t.timeout(300_000);
  const run = await finishedRun(t);
  const other = join(run.dir, 'other.jsonl');
  const args = ['run', run.input, '--output', other, '--state', run.state, ...MOCK];
  t.is((await finished(startVerb(args, run.dir))).exit, 0);
  t.is((await run.verb('verify')).exit, 0);
  writeFileSync(other, '');
  t.is((await run.verb('verify')).exit, 6);
});

test.serial('what the system refuses ends with 4 and without a stack, never with the code for failed items', async (t) => {
  const run = makeRun(t, { lines: batchLines(3), args: MOCK });
  writeFileSync(`${run.state}x`, '');
  const { exit, stderr } = await run.refused(['--state', join(`${run.state}x`, 'below')]);
  t.true(exit === 2 || exit === 4, `${exit}`);
  t.notRegex(stderr, /^ {4}at /m);
});

test.serial('--fresh on a finished run runs it again and keeps the old directory', async (t) => {
  t.timeout(300_000);
  const run = await finishedRun(t);
  const before = JSON.parse(readFileSync(join(run.state, 'run.json'), 'utf8')) as { readonly runId: string };
  const { exit, stderr } = await finished(run.start(['--fresh']));
  t.is(exit, 0, stderr);
  const aside = /is now (\S+)/.exec(stderr)?.[1] ?? '';
  t.like(JSON.parse(readFileSync(join(run.dir, aside, 'run.json'), 'utf8')), before);
  t.not((JSON.parse(readFileSync(join(run.state, 'run.json'), 'utf8')) as { readonly runId: string }).runId, before.runId);
});

test.serial('what the coordinator refuses is shown with its reason, and nothing is started again', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 200 }));
  const run = makeRun(t, { lines: batchLines(200), args: ['--base-url', server.url, '--concurrency', '2'] });
  const first = run.start();
  await until('items are executed', PATIENCE_MS, () => server.total() > 5);
  first.signal('SIGINT');
  t.is(await exitOf(first, PATIENCE_MS), 130);
  rmSync(join(run.state, 'epochs'), { recursive: true });
  writeFileSync(join(run.state, 'epochs'), 'no folder');
  const second = await finished(run.start());
  t.is(second.exit, 2, second.stderr);
  t.regex(second.stderr, /cannot read \S+epochs \(ENOTDIR/);
  t.deepEqual(run.processes(), []);
});

test.serial('a damaged mark of the coordinator is told by the verbs, and the run goes on over it', async (t) => {
  t.timeout(300_000);
  const run = await finishedRun(t);
  writeFileSync(join(run.state, 'coordinator.json'), 'xx');
  const told = await run.verb('verify');
  t.is(told.exit, 2);
  t.regex(told.stderr, /give the run's command again/);
  t.is((await finished(run.start())).exit, 0);
  await checkInvariant(t, run);
});

test.serial('an input that is not there is refused before anything is made', async (t) => {
  const dir = scratch(t);
  const { exit, stderr } = await verb(['run', 'none.jsonl', '--output', 'out.jsonl', ...MOCK], dir);
  t.is(exit, 2);
  t.regex(stderr, /none\.jsonl/);
  t.false(existsSync(join(dir, 'out.jsonl.rollout')));
});

test.serial('mistaken commands end with 2 and the nearest right one; help and version end with 0', async (t) => {
  const dir = scratch(t);
  const cli = async (...args: readonly string[]): ReturnType<typeof verb> => verb(args, dir);
  const mistaken = await cli('run', 'in.jsonl', '--output', 'out.jsonl', '--workrs', '3');
  t.is(mistaken.exit, 2);
  t.regex(mistaken.stderr, /--workers/);
  t.regex((await cli('statsu')).stderr, /status/);
  t.is((await cli('verify')).exit, 2, 'there is no run below the folder');
  const help = await cli('run', '--help');
  t.is(help.exit, 0);
  for (const part of ['--base-url', 'Examples:', 'Exit codes:', '130']) t.true(help.stdout.includes(part), part);
  t.false(help.stdout.includes('--timing'));
  t.regex((await cli('version')).stdout, /^rollout \d+\.\d+\.\d+$/m);
  for (const flag of ['--version', '-V']) t.like(await cli(flag), { exit: 0, stdout: (await cli('version')).stdout });
  t.like(JSON.parse((await cli('version', '--json')).stdout), { version: (await cli('version')).stdout.trim().split(' ')[1] });
});
