import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { systemRandom } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { keysOf } from '../../runtime/ledger/redis/keys.ts';
import { openRedisLedger } from '../../runtime/ledger/redis/ledger.ts';
import { batchLines } from '../support/batch-lines.ts';
import { startCommand } from '../support/command.ts';
import { settle } from '../support/commit-parts.ts';
import { by, claimed, outcome, request, start } from '../support/ledger-start.ts';
import { redisServerOf } from '../support/redis-server.ts';
import { exitOf, makeRun } from '../support/run.ts';
import { PATIENCE_MS } from '../support/until.ts';

const server = await redisServerOf(test);
const redis = server.client();
const WEEK_MS = 7 * 24 * 3_600_000;

async function opened(t: ExecutionContext, runId: string, expireAfterMs: number, user?: string): Promise<Ledger> {
  const options = user === undefined ? server.options : { ...server.options, username: user, password: 'pw' };
  const ledger = await openRedisLedger({ runId, redis: options, random: systemRandom, expireAfterMs, onError: () => undefined });
  t.teardown(() => ledger.dispose());
  return ledger;
}

/** How long each key of the run is kept; -1: for ever. Keys that are not there are left out. */
async function timesOf(runId: string): Promise<readonly number[]> {
  const times = await Promise.all(keysOf(runId).map((key) => redis.pttl(key)));
  return times.filter((time) => time !== -2);
}

/** Two items, of which one has a result and one has failed. */
async function allTerminal(ledger: Ledger): Promise<void> {
  await start(ledger);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
  await settle(ledger, 0, 'w1', [outcome(0), outcome(1, 1, 0, false)]);
}

/** Of the one item that stays recorded; only the count is compared with the ledger's own. */
const TALLIES = [{ epoch: 0, count: 1, low: 0, high: 0 }];

test('the keys of a run expire some time after its end, and not before; a finish that is asked again changes nothing', async (t) => {
  const ledger = await opened(t, 'ends', 60_000);
  await allTerminal(ledger);
  t.true(
    (await timesOf('ends')).every((time) => time === -1),
    'the run goes on',
  );
  t.like(await ledger.finish(by(0), 3), { kind: 'unfinished' });
  t.true(
    (await timesOf('ends')).every((time) => time === -1),
    'an unfinished run is kept',
  );
  const stamp = by(0);
  t.deepEqual(await ledger.finish(stamp, 2), { kind: 'finished' });
  const times = await timesOf('ends');
  t.true(times.length >= 6 && times.every((time) => time > 0 && time <= 60_000), String(times));
  await sleep(50);
  t.deepEqual(await ledger.finish(stamp, 2), { kind: 'finished' });
  t.true(Math.max(...(await timesOf('ends'))) < Math.max(...times), 'the time goes on');
  const { lease } = await ledger.readLease();
  t.like(await ledger.acquire(request('next', lease)), { kind: 'won' });
  t.deepEqual(await ledger.finish(by(1), 2), { kind: 'finished' });
  t.true(
    (await timesOf('ends')).every((time) => time > 0),
    'the next coordinator of a finished run leaves it finished',
  );
});

test('a run that is reopened never expires, whatever comes late; it expires again after its next end', async (t) => {
  const ledger = await opened(t, 'again', 60_000);
  await allTerminal(ledger);
  const late = by(0);
  await ledger.finish(late, 2);
  t.deepEqual(await ledger.reopen(by(0), { pending: [1], own: [], tallies: TALLIES }), { kind: 'reopened' });
  t.true((await timesOf('again')).every((time) => time === -1));
  t.deepEqual(await ledger.finish(late, 2), { kind: 'overtaken' });
  t.true(
    (await timesOf('again')).every((time) => time === -1),
    'a late finish does not make it expire',
  );
  t.like(await claimed(ledger, 0, 'w1', [{ index: 1, lastAttempt: 2 }]), { granted: [{ from: 1, attempt: 3 }] });
  await settle(ledger, 0, 'w1', [outcome(1, 3)]);
  t.deepEqual(await ledger.finish(by(0), 2), { kind: 'finished' });
  t.true((await timesOf('again')).every((time) => time > 0));
});

test('where it is so set, or the user may not let keys expire, they are kept, and the run is finished all the same', async (t) => {
  const kept = await opened(t, 'kept', 0);
  await allTerminal(kept);
  t.deepEqual(await kept.finish(by(0), 2), { kind: 'finished' });
  await redis.call('ACL', 'SETUSER', 'poor', 'on', '>pw', '~rollout:*', '+@all', '-pexpire');
  const denied = await opened(t, 'denied', 60_000, 'poor');
  await allTerminal(denied);
  t.deepEqual(await denied.finish(by(0), 2), { kind: 'finished' });
  for (const runId of ['kept', 'denied'])
    t.true(
      (await timesOf(runId)).every((time) => time === -1),
      runId,
    );
});

test('a run keeps its keys for a week, or as it is told; after that its end is still told, and what needs the keys says that they are gone', async (t) => {
  const run = makeRun(t, {
    lines: [...batchLines(5), 'no item'],
    args: ['--backend', 'mock', '--mock-latency', '1ms', '--redis', server.url],
  });
  const first = run.start();
  t.is(await exitOf(first, PATIENCE_MS), 1, first.stderr());
  const { runId } = JSON.parse(await readFile(join(run.state, 'run.json'), 'utf8')) as { readonly runId: string };
  const times = await timesOf(runId);
  t.true(times.length >= 6 && times.every((time) => time > WEEK_MS - PATIENCE_MS && time <= WEEK_MS), String(times));
  const text = await readFile(run.output, 'utf8');

  await redis.del(...keysOf(runId));
  const shown = await run.verb('status');
  t.is(shown.exit, 0, shown.stderr);
  t.regex(shown.stdout, /state: completed, some items failed\n[\s\S]*done: 5, failed: 1[\s\S]*no longer on the Redis server/);
  t.like(JSON.parse((await run.verb('status', '--json')).stdout), { state: { kind: 'completed' }, done: 5, failed: 1, isExpired: true });
  const same = run.start();
  t.is(await exitOf(same, PATIENCE_MS), 1, same.stderr());
  t.regex(same.stderr(), /finished/);
  t.is(await readFile(run.output, 'utf8'), text);
  for (const args of [['verify'], ['export', '--partial'], ['export', '--output', join(run.dir, 'copy')]]) {
    const { exit, stdout, stderr } = await run.verb(...args);
    t.is(exit, 2, args.join(' '));
    t.is(stdout, '');
    t.regex(stderr, new RegExp(`is finished \\(5 done, 1 failed\\).*no longer on ${server.url}.*--redis-expire-after`), args.join(' '));
  }
  const coordinator = startCommand('coordinator', ['--config', join(run.state, 'coordinator.yaml')], { cwd: run.dir });
  t.is(await exitOf(coordinator, PATIENCE_MS), 2);
  t.regex(coordinator.stderr(), /is finished \(5 done, 1 failed\).*--redis-expire-after/, 'one that is started by itself says so too');
  const hourly = run.start(['--fresh', '--redis-expire-after', '1h']);
  t.is(await exitOf(hourly, PATIENCE_MS), 1, hourly.stderr());
  const next = JSON.parse(await readFile(join(run.state, 'run.json'), 'utf8')) as { readonly runId: string };
  t.true((await timesOf(next.runId)).every((time) => time > 0 && time <= 3_600_000));
  const short = await run.refused(['--redis-expire-after', '5s']);
  t.is(short.exit, 2);
  t.regex(short.stderr, /--redis-expire-after must be at least 1h, or 0s/);
});
