import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import type { Command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { justRenewed } from '../support/quiet-lease.ts';
import { exitOf } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { STORES, testStore } from '../support/test-store.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/**
 * Two coordinators on one state directory, of which the older one stands still until the other has taken the run over. What a
 * deposed coordinator may still do is shown here on real processes; that it ends in time is test/integration/fence.test.ts.
 */

const TTL_MS = 3_000;
const TIMING = {
  heartbeatInterval: '250ms',
  coordinatorFailureTimeout: `${TTL_MS}ms`,
  workerSelfFenceTimeout: '2500ms',
  clockSkewBudget: '100ms',
};
/** From the moment at which the holder was stopped; its lease may have been renewed just before. */
const TAKEOVER_MS = TTL_MS + 12_000;
const FENCED_MS = 5_000;

const CONCURRENCY = 4;
const HELD = 2 * CONCURRENCY;

const eventsOf = (command: Command, kind: string): readonly Readonly<Record<string, unknown>>[] =>
  printedEvents(command).filter((event) => event['kind'] === kind);

/** L37: a worker that lives and finds the successor in time repeats nothing; on a machine under load one may be too late. */
function nothingRepeatedButWhatWasHandedBack(t: ExecutionContext, server: ModelServer, successor: Command): void {
  const handedBack = eventsOf(successor, 'worker_failed').map((event) => Number(event['handedBack']));
  const most = handedBack.reduce((sum, count) => sum + count, 0);
  t.true(server.repeated().length <= most, `${server.repeated().length} executed again, ${most} handed back`);
}

for (const kind of STORES) {
  test(`split_brain_old_coord_self_fences (${kind}): stopped between its writes, the old one says once that it is fenced, ends with 3, and none of its late writes counts (L5, L17, L19)`, async (t) => {
    t.timeout(300_000);
    const store = await testStore(t, kind);
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    let answered = 0;
    const server = await modelServer(t, async () => {
      answered += 1;
      if (answered > 40) await gate;
      return { kind: 'ok', afterMs: 20 };
    });
    const ports = [await freePort(), await freePort()] as const;
    const run = standalone(t, { lines: batchLines(400), baseUrl: server.url, concurrency: CONCURRENCY, timing: TIMING, store });
    const segment = join(run.state, 'segments', '0000000000.seg');
    const first = run.startCoordinator('c1', ports[0]);
    t.is(await leaseEpoch(first, PATIENCE_MS), 0);
    const second = run.startCoordinator('c2', ports[1]);
    const workers = ['w1', 'w2'].map((name) => run.startWorker(name, ports));
    await until('every slot holds an item that waits', PATIENCE_MS, () => server.inFlight() === HELD);
    await sleep(500);
    await justRenewed(run.state, PATIENCE_MS);

    first.signal('SIGSTOP');
    const stoppedMs = performance.now();
    const before = readFileSync(segment);
    t.true(before.length > 0);
    // These outcomes go to the one that is stopped: it has them before it when it goes on.
    open();
    t.is(await leaseEpoch(second, PATIENCE_MS), 1);
    const tookMs = performance.now() - stoppedMs;
    t.log(`taken over ${Math.round(tookMs)} ms after the stop, lease ${TTL_MS} ms`);
    t.true(tookMs < TAKEOVER_MS, `${tookMs} ms`);
    t.is(eventsOf(second, 'lease_stolen')[0]?.['killedPid'], null);
    await until('the run goes on under the successor', PATIENCE_MS, () => server.total() >= 100);

    first.signal('SIGCONT');
    const resumedMs = performance.now();
    t.is(await exitOf(first, PATIENCE_MS), 3, first.stderr());
    const endedAfterMs = performance.now() - resumedMs;
    t.log(`ended ${Math.round(endedAfterMs)} ms after it went on`);
    t.true(endedAfterMs < FENCED_MS, `${endedAfterMs} ms`);
    t.like(eventsOf(first, 'coordinator_fenced'), [{ epoch: 0, byEpoch: 1 }]);
    t.is(eventsOf(first, 'coordinator_fenced').length, 1);
    t.is(eventsOf(second, 'coordinator_fenced').length, 0);
    t.is(printedEvents(first).at(-1)?.['kind'], 'coordinator_fenced', 'nothing is said after it');
    t.deepEqual(readFileSync(segment), before, 'not even its own segment has grown');

    t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
    for (const worker of workers) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
    t.deepEqual(readFileSync(segment), before);
    t.deepEqual(invariantBreaks(run), [], 'exactly one record of each item');
    t.is((await run.verify()).exit, 0);
    nothingRepeatedButWhatWasHandedBack(t, server, second);
  });
}

for (const [round, kind] of (['embedded', 'embedded', 'embedded', 'embedded', 'redis'] as const).entries()) {
  test(`split_brain_old_coord_self_fences (${kind}): stopped under full load, perhaps within a transaction, it holds nobody up, round ${round + 1} (L4)`, async (t) => {
    t.timeout(300_000);
    const random = testRandom(t);
    const store = await testStore(t, kind);
    const server = await modelServer(t);
    const ports = [await freePort(), await freePort()] as const;
    const run = standalone(t, { lines: batchLines(3_000), baseUrl: server.url, concurrency: 32, timing: TIMING, store });
    const first = run.startCoordinator('c1', ports[0]);
    await leaseEpoch(first, PATIENCE_MS);
    const second = run.startCoordinator('c2', ports[1]);
    const workers = ['w1', 'w2'].map((name) => run.startWorker(name, ports));
    await until('the run is under way', PATIENCE_MS, () => server.total() >= 300);
    await sleep(between(random, 0, 700));
    first.signal('SIGSTOP');
    const stoppedMs = performance.now();
    t.is(await leaseEpoch(second, PATIENCE_MS), 1);
    const tookMs = performance.now() - stoppedMs;
    const killedPid = eventsOf(second, 'lease_stolen')[0]?.['killedPid'];
    t.log(`taken over ${Math.round(tookMs)} ms after the stop, lease ${TTL_MS} ms, killed ${String(killedPid)}`);
    t.true(tookMs < TAKEOVER_MS, `${tookMs} ms`);
    await sleep(between(random, 0, 300));
    first.signal('SIGCONT');
    const wasKilled = killedPid === first.pid;
    t.is(killedPid, wasKilled ? first.pid : null, 'nobody else is killed');
    t.is(await exitOf(first, PATIENCE_MS), wasKilled ? 'SIGKILL' : 3, first.stderr());
    t.is(eventsOf(first, 'coordinator_fenced').length, wasKilled ? 0 : 1);
    t.is(await exitOf(second, PATIENCE_MS), 0, second.stderr());
    for (const worker of workers) t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
    t.deepEqual(invariantBreaks(run), []);
    t.is((await run.verify()).exit, 0);
    nothingRepeatedButWhatWasHandedBack(t, server, second);
  });
}
