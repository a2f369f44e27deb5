import { join } from 'node:path';
import test from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import type { Command } from '../support/command.ts';
import { fakeClock } from '../support/fake-clock.ts';
import { freePort } from '../support/free-port.ts';
import { invariantBreaks } from '../support/invariant.ts';
import { modelServer } from '../support/model-server.ts';
import { redisServer } from '../support/redis-server.ts';
import { exitOf } from '../support/run.ts';
import { leaseEpoch, printedEvents, standalone } from '../support/standalone.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const HOUR_MS = 3_600_000;
/** A coordinator that was running takes over in this time, whatever the server's clock says: the lease time, and as much for the rest. */
const GOES_ON_MS = 20_000;
const FEW = 20;
/** A part of libc6. The allocator of redis-server asks for the time before libfaketime is ready, and neither comes to an end. */
const LIBC_MALLOC = 'libc_malloc_debug.so.0';

/** How the coordinators have won the run, in order. */
function wins(coordinators: readonly Command[]): readonly { readonly epoch: number; readonly kind: string }[] {
  const won = coordinators.flatMap((one) => printedEvents(one).filter(({ kind }) => kind === 'lease_acquired' || kind === 'lease_stolen'));
  return won.map(({ epoch, kind }) => ({ epoch: epoch as number, kind: String(kind) })).toSorted((a, b) => a.epoch - b.epoch);
}

test('the clock of the Redis server steps an hour forward, then two hours back: the run goes on, no epoch is won twice, each item has one record', async (t) => {
  t.timeout(300_000);
  const clock = fakeClock(join(temporaryDir(t), 'clock'));
  const redis = await redisServer(t, [], { ...clock.env, LD_PRELOAD: `${LIBC_MALLOC}:${clock.env['LD_PRELOAD']}` });
  const admin = redis.client();
  const serverMs = async (): Promise<number> => Number((await admin.time())[0]) * 1_000;
  let isSlow = true;
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: isSlow ? 200 : 10 }));
  const ports = [await freePort(), await freePort()] as const;
  const store = { kind: 'redis', args: [], settings: { redis: redis.url } } as const;
  const run = standalone(t, { lines: batchLines(1_500), baseUrl: server.url, concurrency: 4, store });
  const coordinators = [run.startCoordinator('c1', ports[0])];
  t.is(await leaseEpoch(coordinators[0] as Command, PATIENCE_MS), 0);
  coordinators.push(run.startCoordinator('c2', ports[1]));
  const worker = run.startWorker('w1', ports);
  const goesOn = async (what: string): Promise<void> => {
    const [before, sinceMs] = [server.total(), performance.now()];
    await until(what, PATIENCE_MS, () => server.total() > before + FEW);
    const tookMs = Math.round(performance.now() - sinceMs);
    t.log(`${what} after ${tookMs} ms; wins: ${wins(coordinators).length}`);
    t.true(tookMs < GOES_ON_MS, `${what}: ${tookMs} ms`);
  };
  await goesOn('the run is under way');
  for (const offsetMs of [HOUR_MS, -HOUR_MS]) {
    clock.stepTo(offsetMs);
    await until(
      'the server has the new time',
      PATIENCE_MS,
      async () => Math.abs((await serverMs()) - Date.now() - offsetMs) < HOUR_MS / 12,
    );
    await goesOn(`the run goes on with a clock that is off by ${offsetMs} ms`);
  }
  // By the clock that went forward the lease of the first one was over: it was deposed, and has ended.
  const [first, leader] = coordinators as [Command, Command];
  t.is(await exitOf(first, PATIENCE_MS), 3, first.stderr());
  const next = run.startCoordinator('c1', ports[0]);
  coordinators.push(next);
  leader.signal('SIGKILL');
  await leader.exited;
  await goesOn('the run goes on without its leader');
  isSlow = false;
  t.is(await exitOf(next, PATIENCE_MS), 0, next.stderr());
  t.is(await exitOf(worker, PATIENCE_MS), 0, worker.stderr());
  const epochs = wins(coordinators).map(({ epoch }) => epoch);
  t.deepEqual(epochs, [0, 1, 2], 'no epoch is won twice');
  t.deepEqual(invariantBreaks(run), []);
  t.is((await run.verify()).exit, 0);
  t.deepEqual(server.repeated(), []);
});
