import test from 'ava';
import { CONFIG_MAP, SECRET, type Secret } from '../../../../operator/kube/kind.ts';
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
const SECRETS: Secret = { metadata: { name: 'redis', namespace: 'team' }, data: { password: Buffer.from('pw\n').toString('base64') } };

/** `answer`: what the server does to each try. `deletedMs`: of the wall clock, at which the test begins at 1,000. */
function stage(answer: () => Promise<void>, { secret = SECRETS, remembered = null as Secret | null, deletedMs = 1_000 } = {}) {
  const [cluster, clock] = [new MemoryCluster(), new ManualClock()];
  const record = redisRecord(RUN, REDIS);
  cluster.put(CONFIG_MAP, record);
  if (remembered === null) cluster.put(SECRET, secret);
  const asked: (readonly [RedisLogin, string])[] = [];
  const retirements = new RedisRetirements({
    client: cluster,
    secrets: { remembered: () => remembered },
    retire: async (login, runId) => {
      asked.push([login, runId]);
      await answer();
    },
    clock,
    log: silentLog,
  });
  const leaving = { ...record, metadata: { ...record.metadata, deletionTimestamp: new Date(deletedMs).toISOString() } };
  const [former] = formerKeys([leaving], null);
  return { clock, asked, retirements, former: former as FormerKeys };
}

test('the server is asked once, with what the Secret has, and then it is done', async (t) => {
  const { clock, asked, retirements, former } = stage(async () => undefined);
  t.deepEqual(retirements.look(former), { kind: 'pending' });
  t.deepEqual(retirements.look(former), { kind: 'pending' }, 'a try is under way');
  await clock.advance(1_000);
  t.deepEqual(retirements.look(former), { kind: 'retired' });
  t.is(asked.length, 1);
  t.like(asked[0]?.[0], { url: REDIS.url, password: 'pw' });
  t.is(asked[0]?.[1], runIdOf(UID));
});

test('where the Secret is gone with its namespace, the one that was seen last opens the server', async (t) => {
  const { clock, asked, retirements, former } = stage(async () => undefined, { remembered: SECRETS });
  retirements.look(former);
  await clock.advance(1_000);
  t.like(asked[0]?.[0], { password: 'pw' });
});

test('a server that refuses is asked again, and given up within thirty seconds with what stays there', async (t) => {
  const { clock, asked, retirements, former } = stage(async () => {
    throw new Error('connect ECONNREFUSED');
  });
  let found = retirements.look(former);
  let looks = 0;
  for (; found.kind === 'pending' && looks < 60; looks += 1) {
    await clock.advance(1_000);
    found = retirements.look(former);
  }
  t.true(looks <= 30, `${looks} s`);
  t.true(asked.length >= 5, `${asked.length} tries`);
  t.is(found.kind === 'kept' ? found.message.split('. ')[0] : found.kind, `the keys of the run stay on ${REDIS.url}: connect ECONNREFUSED`);
});

test('a server that says nothing is given up in the same time', async (t) => {
  const { clock, retirements, former } = stage(() => new Promise(() => undefined));
  let found = retirements.look(former);
  let looks = 0;
  for (; found.kind === 'pending' && looks < 60; looks += 1) {
    await clock.advance(1_000);
    found = retirements.look(former);
  }
  t.true(looks <= 30, `${looks} s`);
  t.regex(JSON.stringify(found), /no answer within 8 s/);
});

test('what was deleted long before there was an operator is given one try', async (t) => {
  const refuse = async (): Promise<void> => {
    throw new Error('away');
  };
  const { clock, asked, retirements, former } = stage(refuse, { deletedMs: -3_600_000 });
  t.deepEqual(retirements.look(former), { kind: 'pending' });
  await clock.advance(1_000);
  t.like(retirements.look(former), { kind: 'kept' });
  t.is(asked.length, 1);
});

test('nothing is known of a run that was let go', async (t) => {
  const { clock, retirements, former } = stage(async () => undefined);
  retirements.look(former);
  await clock.advance(1_000);
  t.true(retirements.has(UID));
  retirements.forget(UID);
  t.false(retirements.has(UID));
});
