import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { PATIENCE_MS } from '../support/until.ts';

const TIMEOUT_MS = 2_000;
const ITEM_MS = 5 * TIMEOUT_MS;

test('an item that takes five times as long as the failure timeout, the lease and a poll is executed once', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, (item) => ({ kind: 'ok', afterMs: item === 'item-000000' ? ITEM_MS : 1 }));
  const short = { coordinatorFailureTimeout: '2s', workerSelfFenceTimeout: '1500ms', pollWait: '1s' };
  const timing = Object.entries(short).flatMap(([name, time]) => ['--timing', `${name}=${time}`]);
  const run = makeRun(t, { lines: batchLines(20), args: ['--base-url', server.url, '--workers', '2', '--concurrency', '2', ...timing] });
  const command = run.start();
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.is(server.executions.get('item-000000'), 1);
  t.is(run.results().length, 20);
});
