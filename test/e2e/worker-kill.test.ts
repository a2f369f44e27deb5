import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { signal } from '../support/process-table.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const WORKERS = 3;
const CONCURRENCY = 8;
/** concurrency / 4, the default. */
const PREFETCH = 2;
const KILLS_PER_RUN = 25;
/** About forty a second. */
const ITEMS = 1_000;

for (const round of [1, 2]) {
  test(`kill -9 of a worker at ${KILLS_PER_RUN} random points, round ${round} of 2: nothing lost, only what it held runs again`, async (t) => {
    t.timeout(300_000);
    const random = testRandom(t);
    const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 600 }));
    const run = makeRun(t, {
      lines: batchLines(ITEMS),
      args: ['--base-url', server.url, '--workers', String(WORKERS), '--concurrency', String(CONCURRENCY)],
    });
    const command = run.start();
    await until('the first item is executed', PATIENCE_MS, () => server.total() > 0);
    let kills = 0;
    while (kills < KILLS_PER_RUN) {
      // Every other time while items are being executed, else whatever the processes are doing.
      if (kills % 2 === 0)
        await until('items are being executed', PATIENCE_MS, () => server.inFlight() > CONCURRENCY || command.hasExited());
      await sleep(between(random, 0, 800));
      t.false(command.hasExited(), 'the worker was killed mid-run');
      await run.killWorker(between(random, 0, WORKERS - 1));
      kills += 1;
    }
    t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
    await checkInvariant(t, run);
    const again = server.total() - ITEMS;
    t.log(`${kills} kills, ${again} executions again`);
    t.true(again <= kills * (CONCURRENCY + PREFETCH), `${again} executions again after ${kills} kills`);
    t.is(run.results().length, ITEMS);
  });
}

test('the items of a killed worker run again at once, long before it would be failed for its silence', async (t) => {
  t.timeout(300_000);
  let isHolding = true;
  const held: string[] = [];
  const server = await modelServer(t, (item, nth) => {
    if (!isHolding || nth > 1) return { kind: 'ok' };
    held.push(item);
    return { kind: 'hang' };
  });
  const timing = ['--timing', 'coordinatorFailureTimeout=120s', '--timing', 'workerSelfFenceTimeout=100s'];
  const run = makeRun(t, { lines: batchLines(10), args: ['--base-url', server.url, '--workers', '2', '--concurrency', '4', ...timing] });
  const command = run.start();
  await until('both workers are full', PATIENCE_MS, () => held.length === 8);
  isHolding = false;
  await run.killWorker(0);
  const killedAtMs = performance.now();
  await until('four items run again', PATIENCE_MS, () => server.repeated().length >= 4);
  const elsewhereMs = performance.now() - killedAtMs;
  t.log(`running again after ${Math.round(elsewhereMs)} ms`);
  t.deepEqual(
    run
      .events()
      .filter((event) => event['kind'] === 'worker_failed')
      .map((event) => event['reason']),
    ['exited'],
  );
  // The items of the worker that lives hang for ever: it has to go too.
  for (const pid of run.workers()) signal(pid, 'SIGKILL');
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  const log = readFileSync(join(run.state, 'logs', 'coordinator.log'), 'utf8');
  t.deepEqual(
    log.split('\n').filter((line) => line.includes('"level":50')),
    [],
    'a lost worker is no error of the coordinator',
  );
});
