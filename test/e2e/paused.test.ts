import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { signal } from '../support/process-table.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/**
 * A process that stands still while nobody takes its place, or while others go on without it: a suspended machine, a long garbage
 * collection. A coordinator that is deposed meanwhile is in split-brain.test.ts.
 */

const CONCURRENCY = 4;
/** concurrency / 4, the default. */
const PREFETCH = 1;
const TIMEOUT_MS = 3_000;
const SHORT = [
  'heartbeatInterval=250ms',
  `coordinatorFailureTimeout=${TIMEOUT_MS}ms`,
  'workerSelfFenceTimeout=2500ms',
  'clockSkewBudget=100ms',
];

const timing = (settings: readonly string[]): readonly string[] => settings.flatMap((one) => ['--timing', one]);
const eventsOf = (run: Run, kind: string): readonly Readonly<Record<string, unknown>>[] =>
  run.events().filter((event) => event['kind'] === kind);

test('a worker stopped for three timeouts is failed, its items run elsewhere, and it comes back: one record of each (L15, L26, L31)', async (t) => {
  t.timeout(300_000);
  let isBack = false;
  // Until the stopped one is back there is always an item left, and few enough are executed meanwhile.
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: isBack ? 20 : 400 }));
  const run = makeRun(t, {
    lines: batchLines(200),
    args: ['--base-url', server.url, '--workers', '2', '--concurrency', String(CONCURRENCY), ...timing(SHORT)],
  });
  const command = run.start();
  await until('both workers work', PATIENCE_MS, () => server.inFlight() === 2 * CONCURRENCY && run.workers().length === 2);
  const [stopped = 0] = run.workers();
  signal(stopped, 'SIGSTOP');
  const stoppedMs = performance.now();
  await until('the worker is failed', PATIENCE_MS, () => eventsOf(run, 'worker_failed').length > 0);
  const failed = eventsOf(run, 'worker_failed');
  t.log(`failed after ${Math.round(performance.now() - stoppedMs)} ms, timeout ${TIMEOUT_MS} ms`);
  t.like(failed, [{ reason: 'timeout' }]);
  await until('its items are executed again', PATIENCE_MS, () => server.repeated().length > 0);
  await sleep(Math.max(0, 3 * TIMEOUT_MS - (performance.now() - stoppedMs)));
  t.false(command.hasExited());

  signal(stopped, 'SIGCONT');
  isBack = true;
  const ofStopped = (): number =>
    eventsOf(run, 'worker_registered').filter((event) => event['workerId'] === failed[0]?.['workerId']).length;
  await until('it is registered again', PATIENCE_MS, () => ofStopped() === 2);
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.is(eventsOf(run, 'worker_failed').length, 1, 'it was failed once');
  t.is(ofStopped(), 2, 'it is the same process that came back');
  const again = server.total() - 200;
  t.log(`${again} executions again`);
  t.true(again <= CONCURRENCY + PREFETCH, `${again} executions again`);
});

for (const { label, stopMs, settings } of [
  { label: 'C2: a coordinator stopped for two seconds', stopMs: 2_000, settings: [] },
  { label: 'C2: a coordinator stopped for two of its leases, with nobody to follow it,', stopMs: 2 * TIMEOUT_MS, settings: SHORT },
]) {
  test(`${label} goes on under its epoch, fails no worker, and has nothing executed again`, async (t) => {
    t.timeout(300_000);
    const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 250 }));
    const run = makeRun(t, {
      lines: batchLines(160),
      args: ['--base-url', server.url, '--workers', '2', '--concurrency', String(CONCURRENCY), ...timing(settings)],
    });
    const command = run.start();
    await until('the run is under way', PATIENCE_MS, () => server.total() >= 24);
    const stopped = run.coordinator() ?? 0;
    signal(stopped, 'SIGSTOP');
    await sleep(stopMs);
    signal(stopped, 'SIGCONT');
    t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
    await checkInvariant(t, run);
    t.deepEqual(eventsOf(run, 'worker_failed'), []);
    t.deepEqual(server.repeated(), []);
    t.like(eventsOf(run, 'run_finished'), [{ epoch: 0, state: 'completed' }]);
    t.is(eventsOf(run, 'run_started').length, 1, 'it is the same process that went on');
  });
}
