import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { Askers } from '../support/askers.ts';
import { batchLines, itemIds } from '../support/batch-lines.ts';
import type { Begun } from '../support/command.ts';
import { type Behave, type ModelServer, modelServer } from '../support/model-server.ts';
import { signal } from '../support/process-table.ts';
import { checkInvariant, exitOf, makeRun, type Run } from '../support/run.ts';
import { between, testRandom } from '../support/seed.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { workerPid } from '../support/worker-pid.ts';

/** Losses count as one for as long as the failure timeout: a short one makes these tests short. */
const TIMING = ['--timing', 'coordinatorFailureTimeout=3s', '--timing', 'workerSelfFenceTimeout=2s'];

interface Crash {
  readonly item: string;
  readonly worker: string;
  /** Other items that were being executed on that worker. */
  readonly beside: number;
}

interface World {
  readonly run: Run;
  readonly server: ModelServer;
  readonly crashes: readonly Crash[];
}

/** A server that kills the worker which asks it for one of the `bad` items. */
async function world(
  t: ExecutionContext,
  options: {
    readonly items: number;
    readonly workers: number;
    readonly concurrency: number;
    readonly bad: readonly string[];
    readonly itemMs: number;
  },
): Promise<World> {
  const { bad, itemMs } = options;
  const crashes: Crash[] = [];
  const executing = new Map<string, number>();
  const askers = new Askers(() => run);
  const behave: Behave = async (item, _nth, peerPort) => {
    const { pid, name } = askers.at(peerPort);
    executing.set(item, pid);
    if (!bad.includes(item)) {
      await sleep(itemMs);
      executing.delete(item);
      return { kind: 'ok' };
    }
    // What is sent along with it has arrived by then.
    await sleep(50);
    const onWorker = [...executing].filter(([, other]) => other === pid).map(([other]) => other);
    crashes.push({ item, worker: name, beside: onWorker.length - 1 });
    if (pid !== 0) signal(pid, 'SIGKILL');
    for (const other of onWorker) executing.delete(other);
    return { kind: 'hang' };
  };
  const server = await modelServer(t, behave);
  const args = ['--base-url', server.url, '--workers', String(options.workers), '--concurrency', String(options.concurrency), ...TIMING];
  const run = makeRun(t, { lines: batchLines(options.items), args });
  return { run, server, crashes };
}

/** The bad items are recorded as poison, all others with their results. */
async function checkPoison(t: ExecutionContext, { run, crashes }: World, command: Begun, bad: readonly string[]): Promise<void> {
  const exit = await exitOf(command, PATIENCE_MS);
  t.log(crashes.map(({ item, worker, beside }) => `${item}@${worker}+${beside}`).join(' '));
  t.is(exit, bad.length === 0 ? 0 : 1, command.stderr());
  await checkInvariant(t, run);
  const failed = run.failures().map(({ custom_id, error }) => [custom_id, error?.code]);
  t.deepEqual(
    failed,
    bad.map((item) => [item, 'poison']),
  );
  for (const item of bad) {
    const alone = crashes.filter((crash) => crash.item === item).slice(-3);
    t.deepEqual(
      alone.map(({ beside }) => beside),
      [0, 0, 0],
      'it was alone when its crashes were counted',
    );
  }
}

/** Executions of good items beside the first of each: what the crashes have cost. */
function again({ server }: World, bad: readonly string[]): number {
  return [...server.executions].filter(([item]) => !bad.includes(item)).reduce((sum, [, count]) => sum + count - 1, 0);
}

for (const { workers, concurrency, bad } of [
  { workers: 1, concurrency: 64, bad: [20] },
  { workers: 2, concurrency: 32, bad: [5, 40] },
]) {
  const ids = itemIds(400).filter((_, index) => bad.includes(index));
  test(`${ids.length} of the items in flight kill their worker, ${workers} of which there are: they are isolated and recorded as poison, all others succeed`, async (t) => {
    t.timeout(300_000);
    const one = await world(t, { items: 400, workers, concurrency, bad: ids, itemMs: 200 });
    const startedAtMs = performance.now();
    const command = one.run.start();
    await checkPoison(t, one, command, ids);
    const cost = again(one, ids);
    t.log(`${one.crashes.length} crashes, ${cost} executions again, ${Math.round(performance.now() - startedAtMs)} ms`);
    t.true(one.crashes.length <= 6 * ids.length, 'few crashes are needed to find out');
  });
}

test('a good item is never poison, though workers are killed at random beside one that kills them', async (t) => {
  t.timeout(300_000);
  const random = testRandom(t);
  const bad = itemIds(300).filter((_, index) => index === 33);
  const one = await world(t, { items: 600, workers: 2, concurrency: 8, bad, itemMs: 150 });
  const command = one.run.start();
  await until('items are executed', PATIENCE_MS, () => one.server.total() > 0);
  let kills = 0;
  for (; kills < 12 && !command.hasExited(); kills += 1) {
    await sleep(between(random, 300, 1_500));
    const pid = workerPid(one.run, `w${between(random, 1, 2)}`);
    if (pid !== undefined) signal(pid, 'SIGKILL');
  }
  await checkPoison(t, one, command, bad);
  t.log(`${kills} kills beside ${one.crashes.length} crashes, ${again(one, bad)} executions again`);
});
