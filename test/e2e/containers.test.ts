import { join } from 'node:path';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { CONTAINER, finished, startCommand } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { until } from '../support/until.ts';

/** Processes that are pid 1 of their containers, on volumes that outlive those. */

const ITEMS = 60;

test('a worker whose container was killed starts again on its volume in another one; while it lives a second is refused', async (t) => {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(ITEMS), baseUrl: server.url, concurrency: 2 });
  const coordinator = run.startCoordinator('c1', port);
  await leaseEpoch(coordinator, 60_000);
  const config = run.workerConfig('w1', [port]);
  const start = (): ReturnType<typeof startCommand> => startCommand('worker', ['--config', config], { cwd: run.dir, launch: CONTAINER });
  const first = start();
  await until('it works', 60_000, () => server.executions.size > 4);
  const twin = await finished(start());
  t.is(twin.exit, 2, twin.stderr);
  t.regex(twin.stderr, /process 1 of another container runs a worker on the store/);
  first.signal('SIGKILL');
  await first.exited;
  const second = start();
  t.is(await exitOf(coordinator, 60_000), 0, coordinator.stderr());
  t.is(await exitOf(second, 30_000), 0, second.stderr());
  t.is(run.results().length, ITEMS);
});

test('`rollout run` whose container was killed goes on in another one; while it lives a second is refused', async (t) => {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const run = standalone(t, { lines: batchLines(ITEMS), baseUrl: server.url, concurrency: 2 });
  const args = ['run', run.input, '--output', run.output, '--base-url', server.url, '--concurrency', '2', '--state', run.state];
  const start = (): ReturnType<typeof startCommand> => startCommand('cli', args, { cwd: run.dir, launch: CONTAINER });
  const first = start();
  await until('it works', 60_000, () => server.executions.size > 4);
  const twin = await finished(start());
  t.is(twin.exit, 2, twin.stderr);
  t.regex(twin.stderr, /another `rollout run` \(process 1 of another container\)/);
  t.notRegex(twin.stderr, /kill 1/);
  first.signal('SIGKILL');
  await first.exited;
  const second = start();
  t.is(await exitOf(second, 90_000), 0, second.stderr());
  t.is(run.results().length, ITEMS);
});

test('a command with the pid of the living coordinator is refused with what to do, and does the coordinator no harm', async (t) => {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 20 }));
  const port = await freePort();
  const run = standalone(t, { lines: batchLines(ITEMS), baseUrl: server.url, concurrency: 4 });
  const config = run.coordinatorConfig('c1', port);
  const coordinator = startCommand('coordinator', ['--config', config], { cwd: run.dir, launch: CONTAINER });
  await leaseEpoch(coordinator, 60_000);
  const asPidOne = (...args: readonly string[]): ReturnType<typeof finished> =>
    finished(startCommand('cli', [...args, '--state', run.state], { cwd: run.dir, launch: CONTAINER }));
  const exported = await asPidOne('export', '--partial', '--output', join(run.dir, 'partial.jsonl'));
  t.is(exported.exit, 2, exported.stderr);
  t.regex(exported.stderr, /has the same pid as this one, 1; .*docker exec/);
  const beside = run.coordinatorConfig('c2', 0);
  const passive = await finished(startCommand('coordinator', ['--config', beside], { cwd: run.dir, launch: CONTAINER }));
  t.is(passive.exit, 2, passive.stderr);
  t.regex(passive.stderr, /same pid as this one, 1; /);
  run.startWorker('w1', [port]);
  t.is(await exitOf(coordinator, 60_000), 0, coordinator.stderr());
  t.false(printedEvents(coordinator).some((event) => event['kind'] === 'coordinator_fenced'));
  t.is(run.results().length, ITEMS);
});
