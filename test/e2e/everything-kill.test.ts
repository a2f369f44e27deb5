import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { midRun } from '../support/mid-run.ts';
import { modelServer } from '../support/model-server.ts';
import { isAlive } from '../support/process-table.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { testRandom } from '../support/seed.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const CONCURRENCY = 8;
const PREFETCH = 2;
const KILLS_PER_RUN = 10;
/** About thirty a second, far more than are executed between the kills. */
const ITEMS = 500;

for (const round of [1, 2]) {
  test(`kill -9 of everything at once at ${KILLS_PER_RUN} random points, round ${round} of 2: the same command goes on`, async (t) => {
    t.timeout(300_000);
    const random = testRandom(t);
    const workers = 1 + (round % 2);
    const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 500 }));
    const run = makeRun(t, {
      lines: batchLines(ITEMS),
      args: ['--base-url', server.url, '--workers', String(workers), '--concurrency', String(CONCURRENCY)],
    });
    for (let kills = 0; kills < KILLS_PER_RUN; kills += 1) {
      const command = run.startProcess();
      await midRun(run, server, random, kills);
      t.false(command.hasExited(), 'killed mid-run');
      const killed = run.killEverything();
      await until('all of them dead', PATIENCE_MS, () => killed.every((pid) => !isAlive(pid)));
    }
    const executedBefore = server.executions.size;
    t.true(executedBefore > 0 && executedBefore < ITEMS);
    const command = run.start();
    t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
    await checkInvariant(t, run);
    const again = server.total() - ITEMS;
    t.log(`${executedBefore} of ${ITEMS} were executed before the last start, ${again} executions again after ${KILLS_PER_RUN} kills`);
    t.true(again <= KILLS_PER_RUN * workers * (CONCURRENCY + PREFETCH), `${again} executions again`);
    t.is(run.results().length, ITEMS);
  });
}

test('kill -9 of the supervisor: its children are gone within seconds, the lease is free, and the same command goes on', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 250 }));
  const run = makeRun(t, { lines: batchLines(250), args: ['--base-url', server.url, '--workers', '2', '--concurrency', '8'] });
  const first = run.startProcess();
  await until('items are executed', PATIENCE_MS, () => server.total() > 30);
  const children = run.processes().filter((one) => one.role !== 'cli');
  t.is(children.length, 3);
  first.signal('SIGKILL');
  const killedAtMs = performance.now();
  await until('the children are gone', PATIENCE_MS, () => children.every((one) => !isAlive(one.pid)));
  const goneMs = performance.now() - killedAtMs;
  t.log(`children gone after ${Math.round(goneMs)} ms`);
  t.true(goneMs < 15_000);
  const executed = server.total();
  const second = run.start();
  const startedAtMs = performance.now();
  await until('items are executed again', PATIENCE_MS, () => server.total() > executed);
  t.log(`first new item ${Math.round(performance.now() - startedAtMs)} ms after the same command`);
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await checkInvariant(t, run);
  const epochs = run
    .events()
    .filter((event) => event['kind'] === 'lease_acquired' || event['kind'] === 'lease_stolen')
    .map((event) => event['epoch']);
  t.deepEqual(epochs, [0, 1]);
  t.is(run.events().filter((event) => event['kind'] === 'lease_stolen').length, 0, 'the lease was given up, not stolen');
});
