import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { Candidate } from '../support/candidate.ts';
import type { Command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { gateProxy } from '../support/gate-proxy.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** The lease is renewed so seldom that the old coordinator does not find out by itself, and answers on. */
const SELDOM = { heartbeatInterval: '250ms', coordinatorFailureTimeout: '90s', workerSelfFenceTimeout: '80s', clockSkewBudget: '100ms' };
const CONCURRENCY = 4;
const FREELY_ANSWERED = 20;
const RIVAL_PATIENCE_MS = 500;
/** Several tries of the worker to find a coordinator, each as long as a beat waits for its answer. */
const ASTRAY_MS = 5_000;

/** The coordinators with which the worker has counted itself as registered, in order. */
function registrations(worker: Command): readonly string[] {
  const lines = worker.stderr().split('\n').slice(0, -1);
  const said = lines.map((line) => JSON.parse(line) as { readonly msg: string; readonly address?: string });
  return said.filter(({ msg }) => msg === 'registered with the coordinator').map(({ address }) => address ?? '');
}

test('split_brain_old_coord_self_fences: a worker that has seen the new epoch ignores what the old coordinator answers, which thereby learns of its end (L5, L30, L34)', async (t) => {
  t.timeout(300_000);
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let arrived = 0;
  const server = await modelServer(t, async () => {
    arrived += 1;
    if (arrived > FREELY_ANSWERED) await gate;
    return { kind: 'ok' };
  });
  const ports = [await freePort(), await freePort()] as const;
  const way = await gateProxy(t, ports[0]);
  const run = standalone(t, {
    lines: batchLines(60),
    baseUrl: server.url,
    concurrency: CONCURRENCY,
    timing: SELDOM,
    coordinatorTiming: { leaseRenewInterval: '60s' },
  });
  const old = run.startCoordinator('c1', ports[0]);
  t.is(await leaseEpoch(old, PATIENCE_MS), 0);
  const worker = run.startWorker('w1', [way.port, ports[1]]);
  await until('every slot holds an item that waits', PATIENCE_MS, () => server.inFlight() === CONCURRENCY);
  await sleep(500);
  t.deepEqual(registrations(worker), [`localhost:${way.port}`]);

  // Somebody who waits for less than the lease's time takes it, and gives it up for the successor.
  const rival = new Candidate(t, join(run.state, 'store'), 'rival', RIVAL_PATIENCE_MS);
  t.like(await rival.hears('won', PATIENCE_MS), { epoch: 1 });
  rival.tell('resign');
  await rival.hears('resigned', PATIENCE_MS);
  const successor = run.startCoordinator('c2', ports[1]);
  t.is(await leaseEpoch(successor, PATIENCE_MS), 2);
  t.false(old.hasExited(), 'it has not found out');
  way.shut();
  await until('the worker has found the successor', PATIENCE_MS, () => registrations(worker).at(-1)?.endsWith(`:${ports[1]}`));
  await sleep(1_000);
  t.false(old.hasExited(), 'it has still not found out');

  // The worker looks for another coordinator, and comes to the old one, which answers as if nothing had happened: it has to look at
  // its lease, but somebody else is just writing.
  rival.tell('stop-inside');
  await rival.hears('stopping', PATIENCE_MS);
  successor.signal('SIGSTOP');
  way.open();
  await sleep(ASTRAY_MS);
  t.false(old.hasExited(), 'it has still not found out');
  t.true(registrations(worker).at(-1)?.endsWith(`:${ports[1]}`), `registered with ${registrations(worker).join(', ')}`);
  rival.child.kill('SIGCONT');
  t.is(await exitOf(old, PATIENCE_MS), 3, old.stderr());
  t.like(
    printedEvents(old).filter((event) => event['kind'] === 'coordinator_fenced'),
    [{ epoch: 0, byEpoch: 2 }],
  );
  successor.signal('SIGCONT');
  open();
  t.is(await exitOf(successor, PATIENCE_MS), 0, successor.stderr());
  t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.deepEqual(invariantBreaks(run), []);
  t.is((await run.verify()).exit, 0);
  t.deepEqual(server.repeated(), []);
});
