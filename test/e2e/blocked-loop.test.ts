import { fileURLToPath } from 'node:url';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const BLOCK_MS = 5_000;
/** The block is longer than anybody may be silent. A beat may be late by half an interval, also on a machine under load. */
const TIMING = { heartbeatInterval: '1600ms', coordinatorFailureTimeout: '3s', workerSelfFenceTimeout: '2500ms' };

test('a worker whose main loop is blocked for longer than the failure timeout beats on: it is not suspected, and keeps its items (C1)', async (t) => {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: 100 }));
  const ports = [await freePort()] as const;
  const preload = fileURLToPath(new URL('../support/block-on-signal.ts', import.meta.url));
  const run = standalone(t, {
    lines: batchLines(400),
    baseUrl: server.url,
    concurrency: 4,
    timing: TIMING,
    coordinator: { logLevel: 'debug' },
    workerEnv: { NODE_OPTIONS: `--import=${preload}` },
  });
  const coordinator = run.startCoordinator('c1', ports[0]);
  await leaseEpoch(coordinator, PATIENCE_MS);
  const workers = ['w1', 'w2'].map((name) => run.startWorker(name, ports));
  const [blocked] = workers;
  const registered = (): number => printedEvents(coordinator).filter((event) => event['kind'] === 'worker_registered').length;
  await until('both workers work', PATIENCE_MS, () => registered() === 2 && server.total() >= 40);
  blocked?.signal('SIGUSR2');
  t.is(await exitOf(coordinator, PATIENCE_MS), 0, coordinator.stderr());
  for (const worker of workers) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.true(blocked?.stderr().includes('the main loop was blocked'));
  const events = printedEvents(coordinator);
  const worstLagMs = Math.max(...events.filter(({ workerId }) => workerId === 'w1').map((event) => Number(event['loopLagMs'] ?? 0)));
  t.log(`${events.filter(({ kind }) => kind === 'worker_heartbeat').length} beats, worst lag ${Math.round(worstLagMs)} ms`);
  t.true(worstLagMs > BLOCK_MS / 2, `the beats told of a lag of ${worstLagMs} ms`);
  t.deepEqual(
    events.filter(({ kind }) => kind === 'worker_suspected' || kind === 'worker_failed'),
    [],
  );
  t.deepEqual(server.repeated(), []);
  t.deepEqual(invariantBreaks(run), []);
});
