import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { redisCluster } from '../support/redis-cluster.ts';
import { type RedisSentinels, redisSentinels } from '../support/redis-sentinels.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ITEMS = 2_000;
const LATENCY_MS = 40;

async function underLoad(t: ExecutionContext, url: string) {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '6', '--redis', url];
  const run = makeRun(t, { lines: batchLines(ITEMS), args });
  const command = run.start();
  await until('the first items are executed', PATIENCE_MS, () => server.total() > ITEMS / 10);
  return { run, command, server };
}

/** A run whose primary is taken away while it is under load: its command ends as if nothing had happened. */
async function survives(t: ExecutionContext, url: string, strike: (run: Run) => Promise<void>): Promise<void> {
  const { run, command, server } = await underLoad(t, url);
  await strike(run);
  t.false(command.hasExited(), 'the run was hit on its way, not at its end');
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.deepEqual(
    run.results().map((line) => line.custom_id),
    [...itemIds(ITEMS)],
  );
  t.is(storeOf(run).url, url, 'the run knows its store by what was named, not by the primary of that time');
  const shown = await run.verb('status', '--json');
  t.like(JSON.parse(shown.stdout), { state: { kind: 'completed' }, done: ITEMS });
  t.is((await run.verb('verify')).exit, 0);
  const log = readFileSync(join(run.state, 'logs', 'coordinator.log'), 'utf8');
  t.true(new Set(log.match(/"server":"[^"]*","msg":"the ledger is on this server"/g)).size > 1, 'the log tells where the run came to be');
  t.log(`${server.total()} executions of ${ITEMS} items`);
}

/** The primary ends, and what it has written since its replicas were cut off is lost with it. */
async function loseTail(group: RedisSentinels, meanwhile: () => Promise<unknown>): Promise<void> {
  const [primary, ...replicas] = group.servers;
  await primary?.cutOff(replicas);
  await meanwhile();
  await primary?.kill();
  for (const one of replicas) one.signal('SIGCONT');
}

interface RunFile {
  readonly runId: string;
  readonly store: { readonly url: string };
}

function runFile(run: Run): RunFile {
  return JSON.parse(readFileSync(join(run.state, 'run.json'), 'utf8')) as RunFile;
}

const storeOf = (run: Run): RunFile['store'] => runFile(run).store;

test('a run by Sentinels survives kill -9 of its primary under load, with one record for each item', async (t) => {
  t.timeout(300_000);
  const group = await redisSentinels(t);
  await survives(t, group.url, async () => {
    const before = await group.primary();
    await before.kill();
    await until('another primary', PATIENCE_MS, async () => (await group.primary()) !== before);
  });
});

test('a run on a Cluster survives kill -9 of the node that has it under load, with one record for each item', async (t) => {
  t.timeout(300_000);
  const cluster = await redisCluster(t, { replicas: 1 });
  await survives(t, cluster.url, async (run) => {
    const { runId } = runFile(run);
    const before = await cluster.ownerOf(runId);
    await before.kill();
    await until('another primary', PATIENCE_MS, async () => (await cluster.ownerOf(runId).catch(() => before)) !== before);
  });
});

test('L40: a replica takes over without the last results of a run: the next coordinator executes them again, and each item has one record', async (t) => {
  t.timeout(300_000);
  const group = await redisSentinels(t);
  const { run, command, server } = await underLoad(t, group.url);
  await loseTail(group, async () => {
    const before = server.total();
    return until('more is recorded', PATIENCE_MS, () => server.total() > before + ITEMS / 10);
  });
  t.is(await exitOf(command, PATIENCE_MS), 0, command.stderr());
  await checkInvariant(t, run);
  t.is(run.results().length, ITEMS);
  t.true(server.repeated().length > 0, 'what was lost is executed again');
  t.regex(readFileSync(join(run.state, 'logs', 'coordinator.log'), 'utf8'), /has lost writes/);
  t.log(`${server.total()} executions of ${ITEMS} items`);
});

test('L3: a replica takes over without the win of the coordinator: the run ends, and each verb refuses a store that has gone back', async (t) => {
  t.timeout(300_000);
  const group = await redisSentinels(t);
  const { run, command } = await underLoad(t, group.url);
  await loseTail(group, async () => {
    await run.killCoordinator();
    return until('the next coordinator has begun', PATIENCE_MS, async () => {
      const { stdout } = await run.verb('status', '--json');
      const { epoch, isLive } = JSON.parse(stdout) as { readonly epoch: number; readonly isLive: boolean };
      return isLive && epoch === 1;
    });
  });
  t.is(await exitOf(command, PATIENCE_MS), 2, command.stderr());
  t.regex(command.stderr(), /epoch 0.*epoch 1[\s\S]*replica that lacked writes[\s\S]*--fresh/);
  for (const verb of ['status', 'verify', 'export']) {
    const { exit, stderr } = await run.verb(verb);
    t.is(exit, 2, verb);
    t.regex(stderr, /is at epoch 0, but .* epoch 1/, verb);
  }
});
