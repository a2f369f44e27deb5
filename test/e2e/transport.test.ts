import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import type { Command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, type Standalone, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** What holds over a stream holds over single calls too. */
const ITEMS = 500;
/** About sixty a second. */
const LATENCY_MS = 250;
const WORKERS = ['w1', 'w2'] as const;

interface Begun {
  readonly server: ModelServer;
  readonly run: Standalone;
  readonly port: number;
  readonly coordinator: Command;
  startWorker(name: string): Command;
}

async function begin(t: ExecutionContext, mode: 'stream' | 'poll'): Promise<Begun> {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const run = standalone(t, { lines: batchLines(ITEMS), baseUrl: server.url, concurrency: 8 });
  const port = await freePort();
  const coordinator = run.startCoordinator('c0', port);
  await leaseEpoch(coordinator, PATIENCE_MS);
  return { server, run, port, coordinator, startWorker: (name) => run.startWorker(name, [port], { transport: { mode } }) };
}

async function checkResults(t: ExecutionContext, run: Standalone): Promise<void> {
  t.deepEqual(invariantBreaks(run), []);
  t.is((await run.verify()).exit, 0);
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(ITEMS)],
  );
}

for (const mode of ['stream', 'poll'] as const) {
  test.serial(`transport ${mode}: a coordinator that dies again and again costs no execution of a living worker (L37)`, async (t) => {
    const { server, run, port, coordinator, startWorker } = await begin(t, mode);
    const workers = WORKERS.map(startWorker);
    let present = coordinator;
    for (let kills = 1; kills <= 3; kills += 1) {
      const before = server.total();
      await until('items are executed', PATIENCE_MS, () => server.total() > before + 60);
      t.false(present.hasExited(), 'the run was killed mid-run, not at its end');
      present.signal('SIGKILL');
      await present.exited;
      await sleep(200);
      present = run.startCoordinator(`c${kills}`, port);
      t.is(await leaseEpoch(present, PATIENCE_MS), kills);
    }
    t.is(await exitOf(present, PATIENCE_MS), 0, present.stderr());
    for (const worker of workers) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
    await checkResults(t, run);
    t.deepEqual(server.repeated(), []);
    t.deepEqual(
      printedEvents(present).filter((event) => event['kind'] === 'worker_failed'),
      [],
    );
  });

  test.serial(
    `transport ${mode}: a worker that is killed and comes back hands over what it had, and the rest runs elsewhere (L27, L34)`,
    async (t) => {
      const { server, run, coordinator, startWorker } = await begin(t, mode);
      const other = startWorker('w2');
      let victim = startWorker('w1');
      for (let kills = 0; kills < 3; kills += 1) {
        const before = server.total();
        await until('items are executed', PATIENCE_MS, () => server.total() > before + 60);
        victim.signal('SIGKILL');
        await victim.exited;
        victim = startWorker('w1');
      }
      t.is(await exitOf(coordinator, PATIENCE_MS), 0, coordinator.stderr());
      for (const worker of [other, victim]) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
      await checkResults(t, run);
      // What was in flight at a kill may be executed again: its slots, and what had ended but was not durable yet.
      t.true(server.repeated().length <= 3 * 2 * 8, `${server.repeated().length} were executed again`);
    },
  );
}
