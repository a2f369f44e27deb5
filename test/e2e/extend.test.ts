import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { batchLine, batchLines, itemIds } from '../support/batch-lines.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { until } from '../support/until.ts';

const ITEMS = 40;
const OLD = [...batchLines(ITEMS), 'not json'];
const LIMIT_MS = 300_000;

async function begun(t: ExecutionContext, afterMs = 0): Promise<{ readonly run: Run; readonly server: ModelServer }> {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs }));
  const run = makeRun(t, { lines: OLD, args: ['--base-url', server.url, '--concurrency', '4'] });
  return { run, server };
}

async function finishedRun(t: ExecutionContext): Promise<{ readonly run: Run; readonly server: ModelServer }> {
  const { run, server } = await begun(t);
  const command = run.start();
  t.is(await exitOf(command, 120_000), 1, command.stderr());
  return { run, server };
}

const ids = (run: Run): readonly (string | null)[] => run.results().map((line) => line.custom_id);

test('lines added to the input of a finished run are run with --extend; nothing is executed twice, output and proof have the new count', async (t) => {
  t.timeout(LIMIT_MS);
  const { run, server } = await finishedRun(t);
  const before = run.results();
  appendFileSync(run.input, `${batchLine('new-1')}\n${batchLine('item-000003')}\n${batchLine('new-2')}`);
  const refused = await run.refused();
  t.is(refused.exit, 2);
  t.regex(refused.stderr, /Lines were added to the list: add --extend/);
  const extended = run.start(['--extend']);
  t.is(await exitOf(extended, 120_000), 1, extended.stderr());
  t.regex(extended.stderr(), /41 recorded \(40 done, 1 failed\), 3 to do/);
  t.deepEqual(ids(run), [...itemIds(ITEMS), 'new-1', 'new-2']);
  t.deepEqual(run.results().slice(0, ITEMS), before, 'what was recorded stays as it is');
  t.deepEqual(
    run.failures().map((line) => [line.error?.code, line.error?.line]),
    [
      ['invalid_json', 41],
      ['duplicate_custom_id', 43],
    ],
  );
  t.deepEqual(server.repeated(), []);
  t.is(server.total(), ITEMS + 2);
  await checkInvariant(t, run);
  const again = await run.refused(['--extend']);
  t.is(again.exit, 1, again.stderr);
  t.regex(again.stderr, /is finished: 42 done, 2 failed\. Nothing was executed/);
  appendFileSync(run.input, `\n${batchLine('new-3')}\n`);
  const further = run.start(['--extend']);
  t.is(await exitOf(further, 120_000), 1, further.stderr());
  t.deepEqual(ids(run), [...itemIds(ITEMS), 'new-1', 'new-2', 'new-3'], 'the last line had no line feed, and may get one');
  await checkInvariant(t, run);
});

test('lines added to the input of a run that was interrupted are run with --extend, and so is a higher limit', async (t) => {
  t.timeout(LIMIT_MS);
  const { run, server } = await begun(t, 100);
  const first = run.start(['--limit', '30']);
  await until('items are executed', 60_000, () => server.total() >= 10);
  first.signal('SIGINT');
  t.is(await exitOf(first, 120_000), 130, first.stderr());
  server.answerWith(() => ({ kind: 'ok' }));
  appendFileSync(run.input, `${batchLine('new')}\n`);
  const second = run.start(['--extend']);
  t.is(await exitOf(second, 120_000), 1, second.stderr());
  t.deepEqual(ids(run), [...itemIds(ITEMS), 'new']);
  await checkInvariant(t, run);
});

test('with --extend an old line that is another one is refused by its number, and the run is as it was', async (t) => {
  t.timeout(LIMIT_MS);
  const { run, server } = await finishedRun(t);
  const old = readFileSync(run.input, 'utf8');
  const changed: readonly (readonly [contents: string, told: RegExp])[] = [
    [
      `${old.replace('"item-000007"', '"item-00000x"')}${batchLine('new')}\n`,
      /line 8 of the input .*is not the one that this run has indexed/,
    ],
    [`${old.slice(0, -1)}${batchLine('new')}\n`, /line 41 of the input/],
    [`${batchLine('new')}\n${old}`, /line 1 of the input/],
    [old.split('\n').slice(0, 30).join('\n'), /line 31 of the input/],
  ];
  for (const [contents, told] of changed) {
    writeFileSync(run.input, contents);
    const refused = await run.refused(['--extend']);
    t.is(refused.exit, 2, refused.stderr);
    t.regex(refused.stderr, told);
  }
  t.is(server.total(), ITEMS);
  writeFileSync(run.input, `${old}${batchLine('new')}\n`);
  const extended = run.start(['--extend']);
  t.is(await exitOf(extended, 120_000), 1, extended.stderr());
  t.deepEqual(ids(run), [...itemIds(ITEMS), 'new']);
  await checkInvariant(t, run);
});

test('--force never mixes two lists: refused once items were handed out, whether the other list is longer or shorter', async (t) => {
  t.timeout(LIMIT_MS);
  const { run, server } = await finishedRun(t);
  for (const contents of [`${batchLine('other')}\n`, `${batchLines(90).join('\n')}\n`]) {
    writeFileSync(run.input, contents);
    const refused = await run.refused(['--force']);
    t.is(refused.exit, 2, refused.stderr);
    t.regex(refused.stderr, /were handed out, and --force does not mix two lists/);
  }
  t.is(server.total(), ITEMS);
});
