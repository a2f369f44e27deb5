import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import type { Begun } from '../support/command.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { redisServer } from '../support/redis-server.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const KILLS = 20;
const ITEMS = 2_600;
const LATENCY_MS = 60;
/** Executed before each kill; what is left after the last one ends the run. */
const BETWEEN = 110;
/** With every fifth kill the power fails too. */
const POWER_FAILS_EVERY = 5;
/** Some calls. */
const LEAST_LOST_BYTES = 500;
const MOST_LOST_BYTES = 3_000;

interface Loaded {
  readonly run: Run;
  readonly server: ModelServer;
  readonly command: Begun;
}

/** A run at whose server `kill` is called twenty times, each time in the middle of work. */
async function killed(t: ExecutionContext, url: string, kill: (nth: number) => Promise<void>): Promise<Loaded> {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '6', '--redis', url];
  const run = makeRun(t, { lines: batchLines(ITEMS), args });
  const command = run.start();
  for (let nth = 1; nth <= KILLS; nth += 1) {
    const before = server.executions.size;
    await until('work goes on', PATIENCE_MS, () => server.executions.size >= before + BETWEEN || command.hasExited());
    t.false(command.hasExited(), `kill ${nth}: the run was hit on its way`);
    await kill(nth);
  }
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.is(run.results().length, ITEMS);
  t.log(`${server.total()} executions of ${ITEMS} items`);
  return { run, server, command };
}

test('redis-server killed twenty times during a run loses nothing that it has answered (appendfsync always): no item is executed again', async (t) => {
  t.timeout(400_000);
  const redis = await redisServer(t);
  const { run, server } = await killed(t, redis.url, async () => {
    await redis.kill();
    await redis.start();
  });
  t.deepEqual(server.repeated(), [], 'what was acknowledged is never executed again');
  t.is(
    run.events().filter(({ kind }) => kind === 'lease_acquired' || kind === 'lease_stolen').length,
    1,
    'one coordinator waits all of them out',
  );
});

test('redis-server killed twenty times with everysec, now and then with the power: what was lost is executed again, and each item has one record', async (t) => {
  t.timeout(400_000);
  const random = testRandom(t);
  const redis = await redisServer(t, ['--appendfsync', 'everysec']);
  const { run, server } = await killed(t, redis.url, async (nth) => {
    await redis.kill();
    if (nth % POWER_FAILS_EVERY === 0) await redis.loseTail(between(random, LEAST_LOST_BYTES, MOST_LOST_BYTES));
    await redis.start();
  });
  t.true(server.repeated().length > 0, 'what was lost is executed again');
  const wins = run.events().filter(({ kind }) => kind === 'lease_acquired' || kind === 'lease_stolen');
  t.is(new Set(wins.map(({ epoch }) => epoch)).size, wins.length, 'no epoch is won twice');
  t.true(wins.length > 1, 'each loss that is noticed ends a coordinator');
});
