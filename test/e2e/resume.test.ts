import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { batchLine, batchLines, itemIds } from '../support/batch-lines.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** So many that a machine with much else to do cannot be through them before the interruption arrives. */
const ITEMS = 160;

/** A run that was stopped by Ctrl-C somewhere in its middle. */
async function interrupted(t: ExecutionContext): Promise<{ readonly run: Run; readonly server: ModelServer }> {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const run = makeRun(t, { lines: batchLines(ITEMS), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4'] });
  const command = run.start();
  await until('items are executed', PATIENCE_MS, () => server.total() >= 20);
  command.signal('SIGINT');
  t.is(await exitOf(command, PATIENCE_MS), 130, command.stderr());
  server.answerWith(() => ({ kind: 'ok' }));
  return { run, server };
}

test('the same command after Ctrl-C says first what it found, then goes on', async (t) => {
  t.timeout(300_000);
  const { run, server } = await interrupted(t);
  const recorded = server.total();
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.regex(command.stderr(), new RegExp(`\\b${recorded}\\b`), 'how many are recorded already');
  await checkInvariant(t, run);
  t.is(server.total(), ITEMS);
});

test('a changed input is refused with a table of what differs; --fresh starts over and keeps the old directory aside', async (t) => {
  t.timeout(300_000);
  const { run, server } = await interrupted(t);
  const before = server.total();
  appendFileSync(run.input, `${batchLine('one-more')}\n`);
  const refused = await run.refused();
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /input/i);
  t.regex(refused.stderr, /--fresh/);
  t.regex(refused.stderr, /--force/);
  t.is(server.total(), before);
  const fresh = run.start(['--fresh']);
  t.is(await exitOf(fresh, PATIENCE_MS), 0, fresh.stderr());
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(ITEMS), 'one-more'],
  );
  t.is(server.total(), before + ITEMS + 1, 'everything was executed again');
  await checkInvariant(t, run);
  t.is(readdirSync(run.dir).filter((name) => name.startsWith('out.jsonl.rollout')).length, 2, 'the old directory is still there');
});

test('another model is another run: refused with both values named; --force goes on with what is there', async (t) => {
  t.timeout(300_000);
  const { run, server } = await interrupted(t);
  const before = server.total();
  const refused = await run.refused(['--override-model', 'other-model']);
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /model/);
  t.regex(refused.stderr, /other-model/);
  t.is(server.total(), before);
  const forced = run.start(['--override-model', 'other-model', '--force']);
  t.is(await exitOf(forced, PATIENCE_MS), 0, forced.stderr());
  t.is(server.total(), ITEMS, 'what was recorded stays');
  t.is(server.lastBody()['model'], 'other-model');
  await checkInvariant(t, run);
});

test('workers, concurrency and address are not what a run is: the same run goes on with others', async (t) => {
  t.timeout(300_000);
  const { run } = await interrupted(t);
  const elsewhere = await modelServer(t);
  const command = run.start(['--workers', '2', '--concurrency', '16', '--base-url', elsewhere.url]);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  t.true(elsewhere.total() > 0);
  await checkInvariant(t, run);
});

test('a finished run says so, executes nothing and ends with the same code', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, (item) => (item === 'item-000003' ? { kind: 'status', status: 400 } : { kind: 'ok' }));
  const run = makeRun(t, { lines: batchLines(20), args: ['--base-url', server.url, '--workers', '1'] });
  const first = run.start();
  t.is(await exitOf(first, PATIENCE_MS), 1, first.stderr());
  const output = readFileSync(run.output, 'utf8');
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 1, second.stderr());
  t.regex(second.stderr(), /finished|complete/i);
  t.is(server.total(), 20);
  t.is(readFileSync(run.output, 'utf8'), output);
  await checkInvariant(t, run);
});
