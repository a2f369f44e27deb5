import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import type { Command } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { type ModelServer, modelServer } from '../support/model-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, type Standalone, standalone } from '../support/standalone.ts';
import { type ProxyManners, type TcpProxy, tcpProxy } from '../support/tcp-proxy.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** One worker reaches its coordinator through a proxy that ill-treats what passes. */

/** Silence is noticed in three to five seconds; the rest is room for a busy machine. */
const NOTICED_MS = 20_000;
const LATENCY_MS = 100;

interface Crossing {
  readonly run: Standalone;
  readonly server: ModelServer;
  readonly proxy: TcpProxy;
  readonly coordinator: Command;
  readonly worker: Command;
  readonly items: number;
}

async function cross(t: ExecutionContext, items: number, manners: ProxyManners = {}, lines = batchLines(items)): Promise<Crossing> {
  t.timeout(300_000);
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const run = standalone(t, { lines, baseUrl: server.url, concurrency: 4 });
  const port = await freePort();
  const coordinator = run.startCoordinator('c', port);
  await leaseEpoch(coordinator, PATIENCE_MS);
  const proxy = await tcpProxy(t, port, manners);
  const worker = run.startWorker('w', [proxy.port]);
  await until('the first item is executed', PATIENCE_MS, () => server.total() > 0);
  return { run, server, proxy, coordinator, worker, items };
}

/** Nothing was lost, nothing was executed twice, and the worker never counted as dead. */
async function checkEnd(t: ExecutionContext, { run, server, coordinator, worker, items }: Crossing): Promise<void> {
  t.is(await exitOf(coordinator, PATIENCE_MS), 0, coordinator.stderr());
  t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  t.deepEqual(invariantBreaks(run), []);
  t.is((await run.verify()).exit, 0);
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(items)],
  );
  t.deepEqual(server.repeated(), [], 'nothing was executed twice');
  t.is(server.total(), items);
  t.deepEqual(
    printedEvents(coordinator).filter((event) => event['kind'] === 'worker_failed'),
    [],
  );
}

/** After the blow a new connection is made in time, and items are handed out over it: more than the worker can have held before. */
async function checkResumed(t: ExecutionContext, crossing: Crossing, blow: (proxy: TcpProxy) => void): Promise<void> {
  const { server, proxy, coordinator } = crossing;
  const [before, connections, startedMs] = [server.total(), proxy.connections(), performance.now()];
  blow(proxy);
  await until('a new connection', PATIENCE_MS, () => proxy.connections() > connections);
  const heldAtMost = 4 + 1;
  await until('items that were handed out since', PATIENCE_MS, () => coordinator.hasExited() || server.total() > before + heldAtMost * 2);
  const tookMs = performance.now() - startedMs;
  t.log(`resumed after ${Math.round(tookMs)} ms`);
  t.true(tookMs < NOTICED_MS, `${tookMs} ms`);
}

test.serial('stream cut: the session is opened again at once, and nothing is executed twice', async (t) => {
  const crossing = await cross(t, 250);
  for (let blow = 0; blow < 4; blow += 1) {
    await checkResumed(t, crossing, (proxy) => proxy.cut());
    await sleep(200);
  }
  await checkEnd(t, crossing);
});

test.serial('stream black-holed: silence both ways is noticed, and the session opened again', async (t) => {
  const crossing = await cross(t, 250);
  await checkResumed(t, crossing, (proxy) => proxy.hole('up', 'down'));
  await checkEnd(t, crossing);
});

for (const direction of ['up', 'down'] as const) {
  test.serial(`stream one-way: nothing passes ${direction} any more; it is noticed, and the session opened again`, async (t) => {
    const crossing = await cross(t, 250);
    await checkResumed(t, crossing, (proxy) => proxy.hole(direction));
    await checkEnd(t, crossing);
  });
}

test.serial('slowed: on a way of 200 kB/s lines of 100 kB arrive, and no session is given up for that', async (t) => {
  const items = 40;
  const padding = 'x'.repeat(100_000);
  const lines = batchLines(items).map((line) => line.replace(/"messages":/, `"padding":"${padding}","messages":`));
  const crossing = await cross(t, items, { bytesPerSecond: 200_000 }, lines);
  await checkEnd(t, crossing);
  t.true(lines[0] !== undefined && lines[0].length > padding.length, 'the lines are long');
  t.log(`${crossing.proxy.connections()} connections`);
});

test.serial('a proxy that closes what is quiet for 2.5 s closes nothing, though the worker has nothing to say for 4 s', async (t) => {
  const crossing = await cross(t, 60, { quietMs: 2_500 });
  crossing.server.answerWith(() => ({ kind: 'ok', afterMs: 4_000 }));
  await sleep(5_000);
  crossing.server.answerWith(() => ({ kind: 'ok', afterMs: LATENCY_MS }));
  t.is(crossing.proxy.closed(), 0);
  await checkEnd(t, crossing);
});

test.serial('a proxy that closes every connection after 2 s costs no execution', async (t) => {
  const crossing = await cross(t, 200, { lifeMs: 2_000 });
  await checkEnd(t, crossing);
  t.true(crossing.proxy.closed() > 2, `${crossing.proxy.closed()} were closed`);
});
