import test from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { type Behaviour, modelServer, OK } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const HANGS: Behaviour = { kind: 'hang' };
const FORBIDDEN: Behaviour = { kind: 'status', status: 403, error: { message: 'this key may not use this model' } };

/** The run is killed when all lines but these have a result. */
async function killedBeforeItsEnd(run: Run, left: number, lines: number): Promise<void> {
  const command = run.startProcess();
  await until('all but the last have a result', PATIENCE_MS, async () => {
    const { stdout } = await run.verb('status', '--json');
    return new RegExp(`"done": ?${lines - left}\\b`).test(stdout);
  });
  run.killEverything();
  await command.exited;
}

test('lines that the server refuses, and that are the only ones left at a start, are recorded as failed', async (t) => {
  t.timeout(300_000);
  const refused = itemIds(3);
  const server = await modelServer(t, (item) => (refused.includes(item) ? HANGS : OK));
  const run = makeRun(t, { lines: batchLines(12), args: ['--base-url', server.url, '--concurrency', '4'] });
  await killedBeforeItsEnd(run, 3, 12);
  const before = server.total();
  server.answerWith((item) => (refused.includes(item) ? FORBIDDEN : OK));
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 1, second.stderr());
  t.deepEqual(
    run.failures().map((line) => [line.custom_id, line.error?.code, line.response?.status_code]),
    refused.map((item) => [item, 'http_403', 403]),
  );
  await checkInvariant(t, run);
  t.log(`${server.total() - before} requests`);
  const again = itemIds(12).filter((item) => !refused.includes(item) && (server.executions.get(item) ?? 0) > 1);
  t.is(again.length, 1, 'one that had a result shows that the server answers others');
});

test('a key that has expired when a few lines are left costs none of them: the run pauses, and goes on with another key', async (t) => {
  t.timeout(300_000);
  const last = itemIds(2);
  const server = await modelServer(t, (item) => (last.includes(item) ? HANGS : OK));
  const run = makeRun(t, { lines: batchLines(12), args: ['--base-url', server.url, '--concurrency', '4', '--max-attempts', '1'] });
  await killedBeforeItsEnd(run, 2, 12);
  server.answerWith(() => ({ kind: 'status', status: 401, error: { message: 'the key has expired' } }));
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 5, second.stderr());
  t.regex(second.stderr(), /the endpoint refuses every item: .*the key has expired/);
  server.answerWith(() => OK);
  const third = run.start();
  t.is(await exitOf(third, PATIENCE_MS), 0, third.stderr());
  t.is(run.results().length, 12);
  await checkInvariant(t, run);
});
