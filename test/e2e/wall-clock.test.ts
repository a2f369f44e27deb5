import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import type { Command } from '../support/command.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { scratch } from '../support/scratch.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
/** A clock that was stepped differs from the true one by about an hour, on whatever machine. */
const NEARLY_MS = 5 * 60_000;
/** A process hears of a step within a second; then it has time to do everything that it does regularly. */
const SETTLE_MS = 2_500;

const isNear = (ms: number, offsetMs: number): boolean => Math.abs(ms - Date.now() - offsetMs) < NEARLY_MS;

/** The wall clock of a worker, as its last log line tells it. */
function lastLoggedMs(worker: Command): number {
  const line = worker.stderr().split('\n').at(-2) ?? '{}';
  return (JSON.parse(line) as { readonly time?: number }).time ?? 0;
}

for (const offsetMs of [HOUR_MS, -HOUR_MS]) {
  const [there, elsewhere] = offsetMs > 0 ? ['forward', 'back'] : ['back', 'forward'];
  test(`the coordinators' wall clock steps an hour ${there} and the workers' an hour ${elsewhere}: no lease is lost, nobody is failed, new connections are made (L4, C1)`, async (t) => {
    t.timeout(300_000);
    const dir = scratch(t);
    const [clockOfCoordinators, clockOfWorkers] = [fakeClock(join(dir, 'clock-c')), fakeClock(join(dir, 'clock-w'))];
    let isSlow = true;
    const server = await modelServer(t, () => ({ kind: 'ok', afterMs: isSlow ? 300 : 10 }));
    const ports = [await freePort(), await freePort()] as const;
    const run = standalone(t, {
      lines: batchLines(240),
      baseUrl: server.url,
      concurrency: 4,
      coordinatorEnv: clockOfCoordinators.env,
      workerEnv: clockOfWorkers.env,
    });
    const first = run.startCoordinator('c1', ports[0]);
    t.is(await leaseEpoch(first, PATIENCE_MS), 0);
    const second = run.startCoordinator('c2', ports[1]);
    const worker = run.startWorker('w1', ports);
    await until('the run is under way', PATIENCE_MS, () => server.total() >= 8);

    clockOfCoordinators.stepTo(offsetMs);
    clockOfWorkers.stepTo(-offsetMs);
    await sleep(SETTLE_MS);
    // It makes its certificate by its own clock, two hours off the clock of the coordinator that has to accept it.
    const late = run.startWorker('w2', ports);
    const isRegistered = (): boolean => printedEvents(first).some((event) => event['workerId'] === 'w2');
    await until('a worker that comes later is accepted', PATIENCE_MS, isRegistered);
    t.true(isNear(Date.parse(String(printedEvents(first).at(-1)?.['ts'])), offsetMs), 'the coordinator has the new time');
    await until('the worker has the new time', PATIENCE_MS, () => isNear(lastLoggedMs(late), -offsetMs));
    t.false(second.hasExited());
    t.deepEqual(printedEvents(second), [], 'the lease was not lost');

    first.signal('SIGTERM');
    t.is(await leaseEpoch(second, PATIENCE_MS), 1);
    isSlow = false;
    t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
    for (const one of [worker, late]) t.is(await exitOf(one, PATIENCE_MS), 0, one.stderr());
    t.deepEqual(invariantBreaks(run), []);
    t.is((await run.verify()).exit, 0);
    const kinds = [first, second].flatMap((one) => printedEvents(one).map((event) => String(event['kind'])));
    t.deepEqual(
      kinds.filter((kind) => kind === 'worker_failed' || kind === 'lease_stolen' || kind === 'coordinator_fenced'),
      [],
    );
    t.deepEqual(server.repeated(), []);
  });
}
