import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import type { RedisOptions } from 'ioredis';
import { mustGet } from '../../runtime/base/assert.ts';
import { systemClock } from '../../runtime/base/clock.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { keyOf } from '../../runtime/ledger/redis/keys.ts';
import { SCRIPTS, type ScriptName, scriptText } from '../../runtime/ledger/redis/scripts.ts';
import { checkServer } from '../../runtime/ledger/redis/server-check.ts';
import { NO_EPOCH, type Session } from '../../runtime/ledger/redis/session.ts';
import type { Lease } from '../../runtime/model/lease.ts';
import { claim, settle } from '../support/commit-parts.ts';
import { INLINE_ASKS, inlineStanding } from '../support/inline-asks.ts';
import { back, by, claimed, outcome, request, row, SOME_TTL_MS, SOME_WORKER, scanned, start, win } from '../support/ledger-start.ts';
import { redisServerOf } from '../support/redis-server.ts';
import { replyCutter } from '../support/reply-cutter.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';
import { PATIENCE_MS } from '../support/until.ts';
import { type Ask, VERB_ASKS } from '../support/verb-asks.ts';

const clock = systemClock;
const random = systemRandom;
const server = await redisServerOf(test);
const WEEK_MS = 7 * 24 * 3_600_000;

const sessions = new WeakMap<Ledger, Session>();

async function opened(t: ExecutionContext, runId: string, port = server.port, more: RedisOptions = {}): Promise<Ledger> {
  const { ledger, session } = await server.openRun(runId, { port, ...more });
  sessions.set(ledger, session);
  t.teardown(() => ledger.dispose());
  return ledger;
}

function sessionOf(ledger: Ledger): Session {
  return mustGet(sessions.get(ledger), 'a session');
}

/** Item 0 runs on w1, 1 is handed back, 2 runs on w1, 3 is done: each verb then has something to do. */
async function inFlight(ledger: Ledger): Promise<Lease> {
  const lease = await start(ledger);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 4 }]);
  await ledger.commit(0, { settles: [{ index: 3, row: row('w1'), isResult: true }], handBacks: [back(1, row('w1'))], claims: [] });
  return lease;
}

/** With what is asked before a run, and of results that are on the server too. */
const ALL: Readonly<Record<string, Ask>> = {
  ...VERB_ASKS,
  ...Object.fromEntries(Object.entries(INLINE_ASKS).map(([verb, ask]) => [verb, (ledger: Ledger) => ask(sessionOf(ledger))])),
  retire: (ledger) => sessionOf(ledger).run('retire', [...NO_EPOCH, WEEK_MS]),
  permissions: (_, lease, stamp, port) => checkServer(server.store(port), {}, `${lease.holder}-${stamp.serial}`),
};

/** Before its own connection it has another, on which it asks where the run is: it does without an answer there. */
const LOOKS_FIRST: readonly string[] = ['permissions'];

/** Done to a run that nobody works on: its lease is given back before. */
const WITHOUT_LEASE: readonly string[] = ['retire'];

async function standing(ledger: Ledger, epoch: number): Promise<unknown> {
  const { lease } = await ledger.readLease();
  const results = await inlineStanding(sessionOf(ledger));
  return [await scanned(ledger, epoch), await ledger.tallies(), [...(await ledger.bits(0, 9))], { ...lease, untilMs: 0 }, results];
}

/** Over a connection that is cut after so many answers; false where the verb had fewer. */
async function cutAfter(t: ExecutionContext, replies: number, verb: string, ask: Ask): Promise<boolean> {
  const [runId, twin] = [server.newRun(), server.newRun()];
  const cutter = await replyCutter(t, server.port);
  const ledger = await opened(t, runId, cutter.port);
  const [direct, undisturbed] = [await opened(t, runId), await opened(t, twin)];
  const [lease, twinLease] = [await inFlight(ledger), await inFlight(undisturbed)];
  if (WITHOUT_LEASE.includes(verb)) await Promise.all([ledger.release(lease), undisturbed.release(twinLease)]);
  const [stamp, twinStamp] = [by(0), by(0)];
  cutter.cutNextReply(replies);
  const told = await ask(ledger, lease, stamp, cutter.port).catch((error: unknown) => error);
  if (cutter.cuts() === 0) return false;
  if (!LOOKS_FIRST.includes(verb)) t.true(told instanceof CallFailed, `it is not sent again by the client: ${String(told)}`);
  const reply = await untilAnswered({ clock, random }, () => ask(ledger, lease, stamp, cutter.port));
  t.is(cutter.cuts(), 1);
  await ask(undisturbed, twinLease, twinStamp, server.port);
  const epoch = ['acquire', 'retire'].includes(verb) ? 1 : 0;
  t.deepEqual(await standing(direct, epoch), await standing(undisturbed, epoch), JSON.stringify(reply));
  return true;
}

for (const [verb, ask] of Object.entries(ALL))
  test(`L20, L38: ${verb}, cut between any of its executions and the answer, has one effect and does not hang`, async (t) => {
    let replies = 0;
    while (await cutAfter(t, replies, verb, ask)) replies += 1;
    t.true(replies > 0);
  });

test('these verbs send every script that there is', async (t) => {
  const watched = await replyCutter(t, server.port);
  for (const ask of Object.values(ALL)) {
    const ledger = await opened(t, server.newRun(), watched.port);
    await ask(ledger, await inFlight(ledger), by(0), watched.port);
  }
  const text = watched.asked();
  const digest = (name: ScriptName): string => createHash('sha1').update(scriptText(name)).digest('hex');
  // The first time on a connection a script is sent whole.
  const sent = SCRIPTS.filter((name) => text.includes(digest(name)) || text.includes(scriptText(name)));
  t.deepEqual(sent, [...SCRIPTS]);
});

test('L4: a lease whose time is over on the server’s clock may be taken, and not before; a renewal extends it', async (t) => {
  const runId = server.newRun();
  const [holder, candidate] = [await opened(t, runId), await opened(t, runId)];
  const shortMs = 300;
  const won = await holder.acquire({ ...request('a', null), grounds: null, ttlMs: shortMs });
  if (won.kind !== 'won') return t.fail(won.kind);
  const { lease: seen, nowMs } = await candidate.readLease();
  t.true(seen !== null && nowMs !== null && seen.untilMs <= nowMs + shortMs && seen.untilMs > nowMs + shortMs - PATIENCE_MS);
  const renewed = await holder.renew(won.lease, SOME_TTL_MS);
  await sleep(shortMs + 100);
  const { lease: later } = await candidate.readLease();
  t.like(await candidate.acquire({ ...request('b', later), grounds: null }), { kind: 'held', lease: { renewals: 1 } }, 'it was renewed');
  await holder.renew(renewed.kind === 'renewed' ? renewed.lease : won.lease, 1);
  await sleep(20);
  const { lease: last } = await candidate.readLease();
  t.like(await candidate.acquire({ ...request('b', last), grounds: null }), { kind: 'won', lease: { epoch: 1 } });
});

test('a run of another format is refused by every verb, whatever its rows look like', async (t) => {
  const redis = server.client();
  const runId = server.newRun();
  const ledger = await opened(t, runId);
  const lease = await inFlight(ledger);
  const head = keyOf(runId, 'head');
  await redis.hset(head, { f: '9', n: 'short', s: '' });
  const before = await redis.hgetallBuffer(head);
  for (const [verb, ask] of Object.entries(VERB_ASKS))
    await t.throwsAsync(ask(ledger, lease, by(0), server.port), { code: 'STATE_UNREADABLE', message: /format 9.*format 2/ }, verb);
  t.deepEqual(await redis.hgetallBuffer(head), before);
});

test('scripts that the server has forgotten are sent whole again (NOSCRIPT)', async (t) => {
  const ledger = await opened(t, server.newRun());
  await start(ledger);
  await server.client().script('FLUSH');
  t.like(await claim(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]), { kind: 'claimed', cursor: 1 });
});

test('L40: a store that was wiped, or has lost writes that the caller has seen, is refused in the verb, and nothing is written', async (t) => {
  const redis = server.client();
  const runId = server.newRun();
  const head = keyOf(runId, 'head');
  const ledger = await opened(t, runId);
  await start(ledger);
  const earlier = await redis.hgetallBuffer(head);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 2 }]);
  const kept = await redis.dumpBuffer(head);
  // A replica that lacks the last write takes over: the epoch is the same.
  await redis.hset(head, earlier);
  await t.throwsAsync(settle(ledger, 0, 'w1', [outcome(0)]), { code: 'LEDGER_LOST_WRITES' });
  t.deepEqual(await redis.hgetallBuffer(head), earlier);
  await redis.restore(head, 0, kept, 'REPLACE');
  t.like(await settle(ledger, 0, 'w1', [outcome(0)]), { verdicts: ['accepted'] });
  // Another run's head in its place: the identity differs.
  await redis.hset(head, 'i', 'another');
  await t.throwsAsync(ledger.scan(0), { code: 'LEDGER_BEHIND', message: /another store/ });
  await redis.del(head, keyOf(runId, 'lease'));
  await t.throwsAsync(ledger.scan(0), { code: 'LEDGER_BEHIND', message: /no epoch at all/ });
  t.deepEqual(
    await ledger.acquire(request('again', null, 0)),
    { kind: 'behind', epoch: -1, floor: 0 },
    'L3: the floor refuses a wiped store',
  );
});

test('L40: an epoch that a restored store gives a second time has another identity, so its first winner writes nothing more', async (t) => {
  const redis = server.client();
  const runId = server.newRun();
  const [first, second] = [await opened(t, runId), await opened(t, runId)];
  const lease = await start(first);
  await first.release(lease);
  const copies = await Promise.all(
    [keyOf(runId, 'head'), keyOf(runId, 'lease')].map(async (key) => ({ key, dump: await redis.dumpBuffer(key) })),
  );
  const seen = (await first.readLease()).lease;
  t.like(await first.acquire(request('first', seen)), { kind: 'won', lease: { epoch: 1 } });
  for (const { key, dump } of copies) await redis.restore(key, 0, dump, 'REPLACE');
  t.like(await second.acquire(request('second', seen)), { kind: 'won', lease: { epoch: 1 } });
  await t.throwsAsync(claim(first, 1, 'w1', [{ cursor: 0, count: 1 }]), { code: 'LEDGER_BEHIND', message: /another store/ });
  t.like(await claim(second, 1, 'w1', [{ cursor: 0, count: 1 }]), { kind: 'claimed', cursor: 1 });
});

test.serial('a coordinator that has scanned the run, or registers its workers, reads no list of names for what it is told', async (t) => {
  const redis = server.client();
  const runId = server.newRun();
  const [first, next, other] = [await opened(t, runId), await opened(t, runId), await opened(t, runId)];
  await inFlight(first);
  await win(next, 'second');
  await scanned(next, 1);
  await next.register(by(1), 'w3', SOME_WORKER);
  await redis.config('RESETSTAT');
  t.like(await claimed(next, 1, 'w3', [{ cursor: 0, count: 3 }]), { found: [{ row: row('w1') }, { row: row('w1') }, { row: row('w1') }] });
  await claimed(next, 1, 'w3', [{ cursor: 4, count: 1 }]);
  t.like(await claimed(next, 1, 'w1', [{ cursor: 4, count: 1 }]), { found: [{ row: row('w3', 1, 1) }] });
  t.notRegex(await redis.info('commandstats'), /cmdstat_(?:hgetall|hscan):/);
  t.like(await claimed(other, 1, 'w1', [{ cursor: 4, count: 1 }]), { found: [{ row: row('w3', 1, 1) }] }, 'another caller reads them');
  t.regex(await redis.info('commandstats'), /cmdstat_hscan:/);
});

test('a connection on which nothing comes back any more is given up, and the next call has a new one', async (t) => {
  const proxy = await tcpProxy(t, server.port);
  const runId = server.newRun();
  const ledger = await opened(t, runId, proxy.port, { socketTimeout: 2_000 });
  await start(ledger);
  proxy.hole('up', 'down');
  const error = await t.throwsAsync(claim(ledger, 0, 'w1', [{ cursor: 0, count: 1 }]), { instanceOf: CallFailed });
  t.like(error, { fate: 'unknown' });
  t.like(await untilAnswered({ clock, random }, () => claim(ledger, 0, 'w1', [{ cursor: 0, count: 1 }])), { kind: 'claimed', cursor: 1 });
});
