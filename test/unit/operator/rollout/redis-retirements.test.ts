import test from 'ava';
import { CONFIG_MAP, NAMESPACE, SECRET, type Secret } from '../../../../operator/kube/kind.ts';
import { redisRecord } from '../../../../operator/rollout/desired/redis-record.ts';
import { type FormerKeys, formerKeys } from '../../../../operator/rollout/former-records.ts';
import type { RedisLogin } from '../../../../operator/rollout/redis-login.ts';
import { RedisRetirements } from '../../../../operator/rollout/redis-retirements.ts';
import { runIdOf } from '../../../../operator/rollout/run-id.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { MemoryCluster } from '../../../support/operator/memory-cluster.ts';
import { REDIS } from '../../../support/operator/redis-world.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const RUN = runOf();
const UID = RUN.metadata.uid;
const retire = async (): Promise<'retired'> => 'retired';
const SECRETS: Secret = { metadata: { name: 'redis', namespace: 'team' }, data: { password: Buffer.from('pw\n').toString('base64') } };

/** As the coordinators that the operator makes have it. */
const LEASE_MS = 5_000;

/** `answer`: what the server does to each try. */
function stage(
  answer: () => Promise<'retired' | 'held'>,
  { secret = SECRETS, remembered = null as Secret | null, isEnding = false, home = 'team' } = {},
) {
  const [cluster, clock] = [new MemoryCluster(), new ManualClock()];
  const made = redisRecord(RUN, REDIS);
  const record = { ...made, data: { ...made.data, namespace: home } };
  cluster.put(CONFIG_MAP, record);
  if (remembered === null) cluster.put(SECRET, secret);
  cluster.put(NAMESPACE, { metadata: { name: 'team', ...(isEnding ? { deletionTimestamp: '2026-11-30T10:00:00Z' } : {}) } });
  const asked: (readonly [RedisLogin, string])[] = [];
  const retirements = new RedisRetirements({
    client: cluster,
    secrets: { remembered: () => remembered },
    retire: async (login, runId) => {
      asked.push([login, runId]);
      return answer();
    },
    clock,
    log: silentLog,
  });
  const leaving = { ...record, metadata: { ...record.metadata, deletionTimestamp: '2026-11-30T10:00:00Z' } };
  const [former] = formerKeys([leaving], null);
  return { clock, asked, retirements, former: former as FormerKeys };
}

test('the server is asked once, with what the Secret has, and then it is done', async (t) => {
  const { clock, asked, retirements, former } = stage(retire);
  t.deepEqual(retirements.look(former), { kind: 'pending' });
  t.deepEqual(retirements.look(former), { kind: 'pending' }, 'a try is under way');
  await clock.advance(1_000);
  t.deepEqual(retirements.look(former), { kind: 'retired' });
  t.is(asked.length, 1);
  t.like(asked[0]?.[0], { url: REDIS.url, password: 'pw' });
  t.is(asked[0]?.[1], runIdOf(UID));
});

test('where the Secret is gone with its namespace, the one that was seen last opens the server', async (t) => {
  const { clock, asked, retirements, former } = stage(retire, { remembered: SECRETS });
  retirements.look(former);
  await clock.advance(1_000);
  t.like(asked[0]?.[0], { password: 'pw' });
});

/** Looks once a second, as the operator does, and answers with what comes of it and after how many seconds. */
async function untilOver({ clock, retirements, former }: ReturnType<typeof stage>): Promise<readonly [string, number]> {
  let found = retirements.look(former);
  let seconds = 0;
  for (; found.kind === 'pending' && seconds < 900; seconds += 1) {
    await clock.advance(1_000);
    found = retirements.look(former);
  }
  return [found.kind === 'kept' ? found.message : found.kind, seconds];
}

const refuse = async (): Promise<never> => {
  throw new Error('connect ECONNREFUSED');
};
const keepSilent = (): Promise<never> => new Promise(() => undefined);

test('a server that is away is asked again for ten minutes, for which nobody waits', async (t) => {
  let isBack = false;
  const world = stage(async () => (isBack ? 'retired' : refuse()));
  world.retirements.look(world.former);
  await world.clock.advance(300_000);
  for (let looks = 0; looks < 20; looks += 1) {
    t.is(world.retirements.look(world.former).kind, 'pending');
    await world.clock.advance(2_000);
  }
  isBack = true;
  t.is((await untilOver(world))[0], 'retired');
  const [told, seconds] = await untilOver(stage(refuse));
  t.regex(told, /^the keys of the run \w{26} stay on rediss:.*connect ECONNREFUSED/);
  t.true(seconds >= 600 && seconds <= 605, `${seconds} s`);
});

for (const [what, answer, said] of [
  ['refuses', refuse, /connect ECONNREFUSED/],
  ['says nothing', keepSilent, /no answer within 5 s/],
] as const)
  test(`a namespace that is being deleted waits at most 15 seconds for a server that ${what}`, async (t) => {
    const world = stage(answer, { isEnding: true });
    const [told, seconds] = await untilOver(world);
    t.regex(told, said);
    t.true(seconds <= 15, `${seconds} s`);
    t.true(world.asked.length >= 2, `${world.asked.length} tries`);
  });

for (const isEnding of [false, true])
  test(`a lease that is held when the run is deleted runs out in time${isEnding ? ', in a namespace that is being deleted too' : ''}`, async (t) => {
    const world = stage(async () => (world.clock.monotonicMs() < heldUntilMs ? 'held' : 'retired'), { isEnding });
    const heldUntilMs = world.clock.monotonicMs() + LEASE_MS;
    t.is((await untilOver(world))[0], 'retired');
  });

test('a run whose lease is held for ever was not deleted, and keeps its keys', async (t) => {
  const [told, seconds] = await untilOver(stage(async () => 'held'));
  t.regex(told, /stay on .*: a coordinator works on it and holds its lease/);
  t.true(seconds >= 600, `${seconds} s`);
});

test('a copy of the record in another namespace retires nothing, and does not wait', async (t) => {
  const world = stage(retire, { home: 'original' });
  const [told, seconds] = await untilOver(world);
  t.regex(told, /is not retired.* copy of the one in the namespace original/);
  t.notRegex(told, /unlink/);
  t.true(seconds <= 2, `${seconds} s`);
  t.deepEqual(world.asked, []);
  t.false(world.retirements.has({ ...world.former, namespace: 'original' }), 'the run itself has a retirement of its own');
});

test('a run that is forgotten is not known any more', async (t) => {
  const { clock, retirements, former } = stage(retire);
  retirements.look(former);
  await clock.advance(1_000);
  t.true(retirements.has(former));
  retirements.forget(former);
  t.false(retirements.has(former));
});
