import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { batchLines } from '../support/batch-lines.ts';
import { startCommand } from '../support/command.ts';
import { redisServer } from '../support/redis-server.ts';
import { exitOf, makeRun, type Run } from '../support/run.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const ITEMS = 40;
const MOCK = ['--backend', 'mock', '--mock-latency', '200ms', '--concurrency', '1'];

/** Some items of the run are recorded, and its command has been ended. */
async function begun(t: ExecutionContext, run: Run): Promise<void> {
  const command = run.start();
  await until('an item is recorded', PATIENCE_MS, async () => {
    const { exit, stdout } = await run.verb('status', '--json');
    if (exit !== 0) return false;
    const { isLive, done } = JSON.parse(stdout) as { readonly isLive: boolean; readonly done: number };
    return isLive && done > 0;
  });
  command.signal('SIGINT');
  t.is(await exitOf(command, PATIENCE_MS), 130, command.stderr());
}

/** Verbs that tell something of a run, in the words of the ledger. */
const READERS = [['status'], ['status', '--json'], ['export', '--partial'], ['verify']] as const;

/** `wanted`: of each verb, and of `rollout run`; `waysOut`: of a coordinator by itself as well. */
async function refusedByAll(t: ExecutionContext, run: Run, wanted: RegExp, waysOut: readonly RegExp[]): Promise<void> {
  for (const args of READERS) {
    const { exit, stdout, stderr } = await run.verb(...args);
    t.is(exit, 2, args.join(' '));
    t.is(stdout, '', args.join(' '));
    for (const one of [wanted, ...waysOut]) t.regex(stderr, one, args.join(' '));
  }
  const again = await run.refused();
  t.is(again.exit, 2);
  for (const one of [wanted, ...waysOut]) t.regex(again.stderr, one, 'rollout run');
  const coordinator = startCommand('coordinator', ['--config', join(run.state, 'coordinator.yaml')], { cwd: run.dir });
  t.is(await exitOf(coordinator, PATIENCE_MS), 2);
  for (const one of waysOut) t.regex(coordinator.stderr(), one, 'rollout-coordinator');
}

test('L3: after a wipe or an older copy each verb refuses a ledger on Redis, names the server and the way out; --fresh is one', async (t) => {
  const server = await redisServer(t);
  const redis = server.client();
  const run = makeRun(t, { lines: batchLines(ITEMS), args: [...MOCK, '--redis', server.url] });
  await begun(t, run);
  const copies = await Promise.all((await redis.keys('*')).map(async (key) => [key, await redis.dumpBuffer(key)] as const));
  await begun(t, run);
  t.is((await run.verb('export', '--partial')).exit, 0, 'a ledger that goes on is read');

  await redis.flushall();
  for (const [key, bytes] of copies) await redis.restore(key, 0, bytes);
  await refusedByAll(t, run, /is at epoch 0, but .* was at epoch 1/, [new RegExp(server.url), /newest copy of its data/, /--fresh/]);
  await redis.flushall();
  const named = new RegExp(server.url);
  await refusedByAll(t, run, /has nothing of this run, but .* epoch 1/, [named, /database on which the run began/, /--fresh/]);
  const fresh = run.start(['--fresh', '--mock-latency', '1ms']);
  t.is(await exitOf(fresh, PATIENCE_MS), 0, fresh.stderr());
  t.is((await run.verb('verify')).exit, 0);
});

test('L3: a state directory whose store is gone is refused likewise, with the directory as what to restore', async (t) => {
  const run = makeRun(t, { lines: batchLines(ITEMS), args: MOCK });
  await begun(t, run);
  await rm(join(run.state, 'store'), { recursive: true });
  await refusedByAll(t, run, /has nothing of this run, but .* epoch 0/, [/newest copy of the state directory/, /--fresh/]);
});
