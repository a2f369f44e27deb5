import { kill } from 'node:process';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { workerPid } from '../support/worker-pid.ts';

const statusOf = async (run: Run): Promise<{ readonly redone: number; readonly running: number }> =>
  JSON.parse((await run.verb('status', '--json')).stdout) as { readonly redone: number; readonly running: number };

test('items that a killed worker had begun are counted when they are handed out again, and the count outlives the coordinator', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 2_000 }));
  const run = makeRun(t, { lines: batchLines(200), args: ['--base-url', server.url, '--workers', '2', '--concurrency', '4'] });
  const command = run.start();
  await until('both workers execute', PATIENCE_MS, () => server.total() >= 12);
  t.is((await statusOf(run)).redone, 0);
  kill(workerPid(run, 'w1') ?? 0, 'SIGKILL');
  await until('what it had begun is handed out again', PATIENCE_MS, async () => (await statusOf(run)).redone > 0);
  command.signal('SIGINT');
  t.is(await exitOf(command, PATIENCE_MS), 130, command.stderr());
  const { redone } = await statusOf(run);
  t.true(redone >= 1 && redone <= 8, `${redone} of the items that two workers had, four each`);
  t.regex((await run.verb('status')).stdout, new RegExp(`executed again: ${redone}\n`));
});
