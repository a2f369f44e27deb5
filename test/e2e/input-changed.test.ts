import { readFileSync, renameSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ITEMS = 120;

/** A run whose server answers only its first items, and these slowly: few are held ready, so that most lines are still to be read. */
async function halfRun(t: ExecutionContext): Promise<{ readonly run: Run; readonly server: ModelServer; readonly release: () => void }> {
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = await modelServer(t, async (item) => {
    if (item < 'item-000010') return { kind: 'ok', afterMs: 300 };
    await released;
    return { kind: 'ok' };
  });
  const run = makeRun(t, { lines: batchLines(ITEMS), args: ['--base-url', server.url, '--workers', '1', '--concurrency', '4'] });
  utimesSync(run.input, 1_000, 1_000);
  return { run, server, release };
}

/** The same bytes but for one letter of each line from the middle on, with the same size and time. */
function exchange(run: Run): void {
  const text = readFileSync(run.input, 'utf8');
  const middle = text.length / 2;
  writeFileSync(run.input, text.slice(0, middle) + text.slice(middle).replaceAll('"content":"item', '"content":"ITEM'));
  utimesSync(run.input, 1_000, 1_000);
}

test('an input exchanged for another of the same size and time between two starts is refused at its first other line; nothing of it is sent', async (t) => {
  t.timeout(300_000);
  const { run, server, release } = await halfRun(t);
  const text = readFileSync(run.input);
  const first = run.start();
  await until('items are executed', PATIENCE_MS, () => server.total() >= 12);
  first.signal('SIGINT');
  first.signal('SIGINT');
  t.is(await exitOf(first, PATIENCE_MS), 130, first.stderr());
  exchange(run);
  release();
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 2, second.stderr());
  t.regex(second.stderr(), /line \d+ of the input .*in\.jsonl is not the one that this run has indexed.*put the old file back.*--fresh/);
  t.deepEqual(
    [...server.executions.keys()].filter((item) => item.startsWith('ITEM')),
    [],
  );
  writeFileSync(run.input, text);
  utimesSync(run.input, 1_000, 1_000);
  const third = run.start();
  t.is(await exitOf(third, PATIENCE_MS), 0, third.stderr());
  await checkInvariant(t, run);
});

const HAPPENINGS: readonly (readonly [what: string, happen: (run: Run) => void])[] = [
  ['cut', (run) => truncateSync(run.input, 3_000)],
  ['edited in place, its time set back', exchange],
];

for (const [what, happen] of HAPPENINGS) {
  test(`an input that is ${what} while the run goes on ends it with 2; the file put back, the same command finishes`, async (t) => {
    t.timeout(300_000);
    const { run, server, release } = await halfRun(t);
    const text = readFileSync(run.input);
    const first = run.start();
    await until('items are executed', PATIENCE_MS, () => server.total() >= 12);
    happen(run);
    release();
    t.is(await exitOf(first, PATIENCE_MS), 2, first.stderr());
    t.regex(first.stderr(), /the input .*in\.jsonl (was|is not).*same command.*--fresh/);
    t.deepEqual(
      [...server.executions.keys()].filter((item) => item.startsWith('ITEM')),
      [],
    );
    writeFileSync(run.input, text);
    utimesSync(run.input, 1_000, 1_000);
    const second = run.start();
    t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
    await checkInvariant(t, run);
  });
}

test('an input that is deleted, or replaced by a rename, while the run goes on is read to its end', async (t) => {
  t.timeout(300_000);
  const { run, server, release } = await halfRun(t);
  const text = readFileSync(run.input);
  const command = run.start();
  await until('items are executed', PATIENCE_MS, () => server.total() >= 12);
  writeFileSync(`${run.input}.new`, 'another list\n');
  rmSync(run.input);
  renameSync(`${run.input}.new`, run.input);
  release();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  writeFileSync(run.input, text);
  await checkInvariant(t, run);
});
