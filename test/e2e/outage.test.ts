import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { countWaiting } from '../../runtime/worker/outbox/found.ts';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { signal } from '../support/process-table.ts';
import { checkInvariant, exitOf, makeRun } from '../support/run.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** An answer that waits until the test lets it go. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

/** What was answered is an outcome that a death does not take away once it is in the store of its worker. */
async function outcomesStored(dir: string, workers: readonly string[], count: number): Promise<void> {
  const counts = (): Promise<readonly number[]> => Promise.all(workers.map((name) => countWaiting(join(dir, 'workers', name, 'store'))));
  await until(`${count} outcomes are stored`, PATIENCE_MS, async () => (await counts()).reduce((sum, one) => sum + one, 0) === count);
}

test('worker restart with unacknowledged outcomes: they are recorded, not executed again (L34)', async (t) => {
  t.timeout(300_000);
  const { open, opened } = gate();
  const server = await modelServer(t, async () => {
    await opened;
    return { kind: 'ok' };
  });
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(8), baseUrl: server.url, concurrency: 8 });
  const coordinator = run.startCoordinator('c1', port);
  t.is(await leaseEpoch(coordinator, PATIENCE_MS), 0);
  const worker = run.startWorker('w1', [port]);
  await until('all items are at the server', PATIENCE_MS, () => server.inFlight() === 8);
  coordinator.signal('SIGKILL');
  await coordinator.exited;
  open();
  await until('all items are answered', PATIENCE_MS, () => server.inFlight() === 0);
  await outcomesStored(run.dir, ['w1'], 8);
  worker.signal('SIGKILL');
  await worker.exited;
  const again = run.startCoordinator('c1', port);
  const restarted = run.startWorker('w1', [port]);
  t.is(await exitOf(again, PATIENCE_MS), 0, again.stderr());
  t.is(await exitOf(restarted, PATIENCE_MS), 0, restarted.stderr());
  t.deepEqual(invariantBreaks(run), []);
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(8)],
  );
  t.is(server.total(), 8, 'every item was executed once');
  t.is((await run.verify()).exit, 0);
});

test('everything killed while outcomes were unacknowledged: the same command records them and executes nothing again (L34)', async (t) => {
  t.timeout(300_000);
  const { open, opened } = gate();
  const server = await modelServer(t, async () => {
    await opened;
    return { kind: 'ok' };
  });
  const run = makeRun(t, { lines: batchLines(20), args: ['--base-url', server.url, '--workers', '2', '--concurrency', '8'] });
  const first = run.startProcess();
  await until('all items are at the server', PATIENCE_MS, () => server.inFlight() === 16);
  const coordinator = run.coordinator();
  t.truthy(coordinator);
  signal(coordinator ?? 0, 'SIGSTOP');
  open();
  // Those that were prefetched are executed too.
  await until('all items are answered', PATIENCE_MS, () => server.total() === 20 && server.inFlight() === 0);
  await outcomesStored(run.state, ['w1', 'w2'], 20);
  run.killEverything();
  await first.exited;
  await until('all of them dead', PATIENCE_MS, () => run.processes().length === 0);
  const second = run.start();
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await checkInvariant(t, run);
  t.is(server.total(), 20, 'every item was executed once');
});

test('outcomes in the store of a slot that is no longer wanted are recorded all the same', async (t) => {
  t.timeout(300_000);
  const { open, opened } = gate();
  const server = await modelServer(t, async () => {
    await opened;
    return { kind: 'ok' };
  });
  const lines = batchLines(15);
  const args = ['--base-url', server.url, '--concurrency', '4'];
  const run = makeRun(t, { lines, args });
  const first = run.startProcess(['--workers', '3']);
  await until('all items are at the server', PATIENCE_MS, () => server.inFlight() === 12);
  signal(run.coordinator() ?? 0, 'SIGSTOP');
  open();
  await until('all items are answered', PATIENCE_MS, () => server.total() === 15 && server.inFlight() === 0);
  await outcomesStored(run.state, ['w1', 'w2', 'w3'], 15);
  run.killEverything();
  await first.exited;
  await until('all of them dead', PATIENCE_MS, () => run.processes().length === 0);
  const second = run.start(['--workers', '1']);
  t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
  await checkInvariant(t, run);
  t.is(server.total(), 15, 'every item was executed once');
});

test('coordinator down for 10 s with live workers: none is failed on its return, nothing is executed again (L25, L37)', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 500 }));
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(240), baseUrl: server.url, concurrency: 8 });
  const coordinator = run.startCoordinator('c1', port);
  await leaseEpoch(coordinator, PATIENCE_MS);
  const workers = ['w1', 'w2'].map((name) => run.startWorker(name, [port]));
  await until('the run is under way', PATIENCE_MS, () => server.total() >= 40);
  coordinator.signal('SIGKILL');
  await coordinator.exited;
  await sleep(10_000);
  t.true(
    workers.every((worker) => !worker.hasExited()),
    'the workers wait',
  );
  const executedBefore = server.total();
  t.true(executedBefore < 240);
  const again = run.startCoordinator('c1', port);
  t.is(await leaseEpoch(again, PATIENCE_MS), 1);
  t.is(await exitOf(again, PATIENCE_MS), 0, again.stderr());
  for (const worker of workers) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.deepEqual(
    printedEvents(again).filter((event) => event['kind'] === 'worker_failed'),
    [],
  );
  t.deepEqual(server.repeated(), []);
  t.is(server.total(), 240);
  t.deepEqual(invariantBreaks(run), []);
  t.is((await run.verify()).exit, 0);
});
