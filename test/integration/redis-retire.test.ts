import test, { type ExecutionContext } from 'ava';
import { seededRandom } from '../../runtime/base/random.ts';
import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { keyOf, keysOf } from '../../runtime/ledger/redis/keys.ts';
import { retireRun } from '../../runtime/ledger/redis/retire.ts';
import { inlinePlace } from '../../runtime/results/inline/place.ts';
import { claim, settle } from '../support/commit-parts.ts';
import { freePort } from '../support/free-port.ts';
import { by, claimed, outcome, request, SOME_TTL_MS, SOME_WORKER, start } from '../support/ledger-start.ts';
import { redisServerOf } from '../support/redis-server.ts';

const server = await redisServerOf(test);
const redis = server.client();
const WEEK_MS = 7 * 24 * 3_600_000;

async function opened(t: ExecutionContext, runId: string): Promise<Ledger> {
  const ledger = await server.open(runId);
  t.teardown(() => ledger.dispose());
  return ledger;
}

/** Of every key of the run, those of results too; -1: for ever. */
async function timesOf(runId: string): Promise<readonly number[]> {
  const keys = await redis.keys(`rollout:{${runId}}:*`);
  return Promise.all(keys.map((key) => redis.pttl(key)));
}

/** In the middle of its work: an item is recorded, one has a history, two run, and results lie beside the ledger. */
async function midRun(t: ExecutionContext, runId: string): Promise<Ledger> {
  const { ledger, session } = await server.openRun(runId);
  t.teardown(() => ledger.dispose());
  await start(ledger);
  const place = inlinePlace({ session, runId, server: server.url, limitBytes: 2 ** 20, random: seededRandom(2) });
  await place.open(0, runId);
  await place.create(0, Buffer.from('head'));
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 4 }]);
  await settle(ledger, 0, 'w1', [outcome(0), outcome(1, 1, 0, false)]);
  return ledger;
}

/** Its coordinator has renewed nothing for longer than the lease lasts. */
async function lapse(runId: string): Promise<void> {
  await redis.hset(keyOf(runId, 'lease'), 'untilMs', '1');
}

test('L5: a retired run is lost to who held its lease, all of its keys expire, and nothing of it is lost before', async (t) => {
  const runId = server.newRun();
  const ledger = await midRun(t, runId);
  const { lease } = await ledger.readLease();
  const bits = [...(await ledger.bits(0, 9))];
  await lapse(runId);
  t.true(
    (await timesOf(runId)).every((time) => time === -1),
    'it goes on',
  );
  t.is(await retireRun(server.options, runId, WEEK_MS), WEEK_MS);
  const times = await timesOf(runId);
  t.true(times.length >= 8 && times.every((time) => time > 0 && time <= WEEK_MS), String(times));
  t.deepEqual([...(await ledger.bits(0, 9))], bits);
  t.like(await ledger.progress(), { done: 1, failed: 1, running: 2 });
  t.deepEqual(await claim(ledger, 0, 'w1', [{ cursor: 4, count: 1 }]), { kind: 'fenced', epoch: 1 });
  t.deepEqual(await ledger.register(by(0), 'w9', SOME_WORKER), { kind: 'fenced', epoch: 1 });
  if (lease === null) return t.fail('there was a coordinator');
  t.deepEqual(await ledger.renew(lease, SOME_TTL_MS), { kind: 'fenced', epoch: 1 });
});

test('while a coordinator holds the lease its run is not retired; once it has released it, or is silent for long enough, it is', async (t) => {
  for (const end of ['released', 'lapsed']) {
    const runId = server.newRun();
    const ledger = await midRun(t, runId);
    const before = await redis.hgetallBuffer(keyOf(runId, 'head'));
    t.is(await retireRun(server.options, runId, WEEK_MS), null);
    t.deepEqual(await redis.hgetallBuffer(keyOf(runId, 'head')), before);
    t.true((await timesOf(runId)).every((time) => time === -1));
    const { lease } = await ledger.readLease();
    if (lease === null) return t.fail('there was a coordinator');
    t.like(await ledger.renew(lease, SOME_TTL_MS), { kind: 'renewed' }, 'it goes on');
    if (end === 'lapsed') await lapse(runId);
    else t.like(await ledger.release(lease), { kind: 'released' });
    t.is(await retireRun(server.options, runId, WEEK_MS), WEEK_MS, end);
  }
});

test('nobody wins a retired run, and what is to be done is said; once its keys are kept again it goes on where it was', async (t) => {
  const runId = server.newRun();
  const ledger = await midRun(t, runId);
  await lapse(runId);
  await retireRun(server.options, runId, WEEK_MS);
  const next = await opened(t, runId);
  const { lease } = await next.readLease();
  t.like(lease, { holder: '', epoch: 1 });
  await t.throwsAsync(next.acquire(request('next', lease)), { code: 'RUN_RETIRED', message: /expire in 168 h.*PERSIST/ });
  t.true((await timesOf(runId)).every((time) => time > 0));
  for (const key of await redis.keys(`rollout:{${runId}}:*`)) await redis.persist(key);
  t.like(await next.acquire(request('next', lease)), { kind: 'won', lease: { epoch: 2 } });
  t.like(await next.scan(2), { kind: 'scanned' });
  t.like(await ledger.progress(), { done: 1, failed: 1 });
});

test('a coordinator that comes after the run was retired does not begin it', async (t) => {
  const runId = server.newRun();
  t.is(await retireRun(server.options, runId, WEEK_MS), WEEK_MS);
  const late = await opened(t, runId);
  const { lease } = await late.readLease();
  t.is(lease, null);
  await t.throwsAsync(late.acquire(request('late', lease)), { code: 'RUN_RETIRED' });
  t.deepEqual(await redis.keys(`rollout:{${runId}}:*`), [keyOf(runId, 'head')]);
  t.true((await timesOf(runId)).every((time) => time > 0));
});

test('L38: asked again it changes nothing, and neither does it for a run that is finished', async (t) => {
  const again = server.newRun();
  await midRun(t, again);
  await lapse(again);
  await retireRun(server.options, again, WEEK_MS);
  const head = await redis.hgetallBuffer(keyOf(again, 'head'));
  t.true(((await retireRun(server.options, again, 2 * WEEK_MS)) ?? 2 * WEEK_MS) <= WEEK_MS, 'the time goes on');
  t.deepEqual(await redis.hgetallBuffer(keyOf(again, 'head')), head);

  const finished = server.newRun();
  const ledger = await midRun(t, finished);
  await settle(ledger, 0, 'w1', [outcome(2), outcome(3)]);
  t.deepEqual(await ledger.finish(by(0), 4), { kind: 'finished' });
  await lapse(finished);
  const before = await redis.hgetallBuffer(keyOf(finished, 'head'));
  t.is(await retireRun(server.options, finished, WEEK_MS), WEEK_MS, 'it was to be kept for ever');
  t.deepEqual(await redis.hgetallBuffer(keyOf(finished, 'head')), before);
  const { lease } = await ledger.readLease();
  t.like(await ledger.acquire(request('next', lease)), { kind: 'won' }, 'who waited may still export it');
});

test('a server that is away, and a user who may not let keys expire: it rejects, and nothing was written', async (t) => {
  const port = await freePort();
  await t.throwsAsync(retireRun({ host: '127.0.0.1', port }, 'away', WEEK_MS), { instanceOf: CallFailed });
  await redis.call('ACL', 'SETUSER', 'poor', 'on', '>pw', '~rollout:*', '+@all', '-pexpire');
  const runId = server.newRun();
  const ledger = await midRun(t, runId);
  await lapse(runId);
  const refused = retireRun({ ...server.options, username: 'poor', password: 'pw' }, runId, WEEK_MS);
  await t.throwsAsync(refused, { code: 'STORE_FAILED', message: /PEXPIRE/ });
  t.like(await claimed(ledger, 0, 'w1', [{ cursor: 4, count: 1 }]), { kind: 'claimed' }, 'its coordinator goes on');
  t.true((await timesOf(runId)).every((time) => time === -1) && keysOf(runId).length > 0);
});
