import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { freePort, modelServer } from '../support/model-server.ts';
import { signal } from '../support/process-table.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/** A process that stands still for longer than anybody waits for it: a suspended machine, a long garbage collection. */

const CONCURRENCY = 4;
/** concurrency / 4, the default. */
const PREFETCH = 1;

test('a coordinator that stood still for longer than its lease is deposed: it says so once, ends with 3, and no record is doubled (L4, L5, L17)', async (t) => {
  t.timeout(180_000);
  const random = testRandom(t);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const ports = [await freePort(), await freePort()] as const;
  const run = standalone(t, { lines: batchLines(1_200), baseUrl: server.url, concurrency: CONCURRENCY });
  const first = run.startCoordinator('c1', ports[0]);
  await leaseEpoch(first, 30_000);
  const second = run.startCoordinator('c2', ports[1]);
  const workers = ['w1', 'w2'].map((name) => run.startWorker(name, ports));
  await until('the run is under way', 30_000, () => server.total() >= 60);
  await sleep(between(random, 0, 1_000));
  first.signal('SIGSTOP');
  t.is(await leaseEpoch(second, 60_000), 1);
  await sleep(between(random, 0, 1_000));
  first.signal('SIGCONT');
  const exit = await exitOf(first, 20_000);
  const stolen = printedEvents(second).find((event) => event['kind'] === 'lease_stolen');
  // Where it was stopped within a transaction it held the store's lock, and its successor had to kill it.
  const wasKilled = stolen?.['killedPid'] === first.pid;
  t.is(exit, wasKilled ? 'SIGKILL' : 3, first.stderr());
  t.is(printedEvents(first).filter((event) => event['kind'] === 'coordinator_fenced').length, wasKilled ? 0 : 1);
  t.is(await exitOf(second, 90_000), 0, second.stderr());
  for (const worker of workers) t.is(await exitOf(worker, 20_000), 0, worker.stderr());
  t.deepEqual(invariantBreaks(run), []);
  t.is((await run.verify()).exit, 0);
  t.deepEqual(server.repeated(), [], 'the workers lived, so nothing was executed again');
});

test('a worker that stood still for longer than its timeout: its items run elsewhere, and what it says late doubles nothing (L15, L31)', async (t) => {
  t.timeout(180_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 200 }));
  const run = makeRun(t, {
    lines: batchLines(800),
    args: ['--base-url', server.url, '--workers', '2', '--concurrency', String(CONCURRENCY)],
  });
  const failed = (): readonly Readonly<Record<string, unknown>>[] => run.events().filter((event) => event['kind'] === 'worker_failed');
  const command = run.start();
  await until('the run is under way', 30_000, () => server.total() >= 60);
  const [stopped] = run.workers();
  signal(stopped ?? 0, 'SIGSTOP');
  await until('the worker is failed', 30_000, () => failed().length > 0);
  t.deepEqual(
    failed().map((event) => event['reason']),
    ['timeout'],
  );
  await until('its items are executed again', 30_000, () => server.repeated().length > 0);
  signal(stopped ?? 0, 'SIGCONT');
  t.is(await exitOf(command, 120_000), 0, command.stderr());
  await checkInvariant(t, run);
  t.is(failed().length, 1, 'it was failed once, and came back');
  const again = server.total() - 800;
  t.log(`${again} executions again`);
  t.true(again <= CONCURRENCY + PREFETCH, `${again} executions again`);
});
