import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { midRun } from '../support/mid-run.ts';
import { modelServer } from '../support/model-server.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { testRandom } from '../support/seed.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const STOPS_PER_RUN = 5;
/** About thirty a second, far more than are executed between the stops. */
const ITEMS = 240;

for (const name of ['SIGINT', 'SIGTERM'] as const) {
  for (const round of [1, 2]) {
    test(`${name === 'SIGINT' ? 'Ctrl-C' : name} at ${STOPS_PER_RUN} random times, round ${round} of 2: progress is kept and nothing runs twice`, async (t) => {
      t.timeout(300_000);
      const random = testRandom(t);
      const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 500 }));
      const run = makeRun(t, {
        lines: batchLines(ITEMS),
        args: ['--base-url', server.url, '--workers', String(round), '--concurrency', '8'],
      });
      for (let stops = 0; stops < STOPS_PER_RUN; stops += 1) {
        const command = run.startProcess();
        await midRun(run, server, random, stops);
        if (name === 'SIGINT') command.signalGroup(name);
        else command.signal(name);
        t.is(await exitOf(command, PATIENCE_MS), 130, command.stderr());
        t.deepEqual(run.processes(), [], 'no process is left');
      }
      const executedBefore = server.executions.size;
      const command = run.start();
      t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
      await checkInvariant(t, run);
      t.log(
        `${executedBefore} of ${ITEMS} executed before the last start, ${server.total() - ITEMS} executions again after ${STOPS_PER_RUN} stops`,
      );
      t.true(executedBefore > 0 && executedBefore < ITEMS);
      t.deepEqual(server.repeated(), [], 'what was started was finished or recorded before the end');
    });
  }
}

test('Ctrl-C twice ends the run at once, and what was recorded stays', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 3_000 }));
  const run = makeRun(t, { lines: batchLines(40), args: ['--base-url', server.url, '--workers', '2', '--concurrency', '4'] });
  const first = run.startProcess();
  await until('items are at the server', PATIENCE_MS, () => server.inFlight() === 8);
  first.signal('SIGINT');
  await sleep(300);
  first.signal('SIGINT');
  const stoppedAtMs = performance.now();
  t.is(await exitOf(first, PATIENCE_MS), 130, first.stderr());
  t.true(performance.now() - stoppedAtMs < 15_000, 'it did not wait for the items in flight');
  await until('no process is left', PATIENCE_MS, () => run.processes().length === 0);
  server.answerWith(() => ({ kind: 'ok' }));
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await checkInvariant(t, run);
});
