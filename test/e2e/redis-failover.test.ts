import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import { modelServer } from '../support/model-server.ts';
import { redisCluster } from '../support/redis-cluster.ts';
import { redisSentinels } from '../support/redis-sentinels.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ITEMS = 2_000;
const LATENCY_MS = 40;

/** A run whose primary is taken away while it is under load: its command ends as if nothing had happened. */
async function survives(t: ExecutionContext, url: string, strike: (run: Run) => Promise<void>): Promise<void> {
  const server = await modelServer(t, () => ({ kind: 'ok', afterMs: LATENCY_MS }));
  const args = ['--base-url', server.url, '--workers', '2', '--concurrency', '6', '--redis', url];
  const run = makeRun(t, { lines: batchLines(ITEMS), args });
  const command = run.start();
  await until('the first items are executed', PATIENCE_MS, () => server.total() > ITEMS / 10);
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
