import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { assert } from '../../runtime/base/assert.ts';
import { systemClock } from '../../runtime/base/clock.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { openRedisLedger } from '../../runtime/ledger/redis/ledger.ts';
import { redisOptions } from '../../runtime/ledger/redis/options.ts';
import { retireRun } from '../../runtime/ledger/redis/retire.ts';
import { claim } from '../support/commit-parts.ts';
import { scanned, start, win } from '../support/ledger-start.ts';
import { GROUP, type RedisSentinels, redisSentinels } from '../support/redis-sentinels.ts';
import { redisServer } from '../support/redis-server.ts';
import { redisStore } from '../support/redis-store.ts';
import { silentServer } from '../support/silent-server.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';
import { verb } from '../support/verb.ts';

const answered = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered({ clock: systemClock, random: systemRandom }, ask);

async function opened(t: ExecutionContext, group: RedisSentinels, env: Readonly<Record<string, string>> = {}): Promise<Ledger> {
  const ledger = await group.open('run', env);
  t.teardown(() => ledger.dispose());
  return ledger;
}

test('a ledger by its Sentinels is at their primary, and follows it to the replica that takes over', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t);
  const ledger = await opened(t, group);
  await start(ledger);
  t.like(await claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]), { kind: 'claimed', cursor: 3 });
  const before = await group.primary();
  await group.replicated();
  await before.kill();
  t.like(await answered(() => claim(ledger, 0, 'w1', [{ cursor: 3, count: 3 }])), { kind: 'claimed', cursor: 6 });
  t.not(await group.primary(), before);
  t.like(await scanned(ledger, 0), { progress: { cursor: 6, running: 6 } });
  await before.start();
  const admin = before.client();
  await until('it follows the new one', PATIENCE_MS, async () => (await admin.info('replication')).includes('role:slave'));
  t.like(await (await opened(t, group)).progress(), { cursor: 6 });
});

test('a primary that has become a replica is left at the first READONLY, without a fail-over by its Sentinels too', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t);
  const ledger = await opened(t, group);
  await start(ledger);
  const before = await group.primary();
  await group.replicated();
  // Nobody ends the connection, as Sentinels would: the server alone says what it is now.
  const [, next] = group.servers;
  assert(next !== undefined, 'a replica');
  await next.client().replicaof('NO', 'ONE');
  await before.client().replicaof('127.0.0.1', String(next.port));
  await group.watch(next);
  const refused = await t.throwsAsync(claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]), { instanceOf: CallFailed, message: /READONLY/ });
  t.like(refused, { fate: 'not-executed' });
  t.like(await answered(() => claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }])), { kind: 'claimed', cursor: 3 });
});

test('an operator’s fail-over in the middle of commits is followed, and nothing is lost', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t);
  const ledger = await opened(t, group);
  await start(ledger);
  const before = await group.primary();
  await group.failOver();
  let cursor = 0;
  for (; (await group.primary()) === before || cursor < 30; cursor += 3)
    t.like(await answered(() => claim(ledger, 0, 'w1', [{ cursor, count: 3 }])), { kind: 'claimed', cursor: cursor + 3 });
  t.like(await answered(() => scanned(ledger, 0)), { progress: { cursor, running: cursor } });
});

test('L38: a primary that was stopped and replaced carries out late what its caller has long asked again elsewhere, and it counts nowhere', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t);
  const redis = { ...(await redisOptions(redisStore(group.url), {})), socketTimeout: 2_000 };
  const ledger = await openRedisLedger({ runId: 'run', redis, random: systemRandom, onError: () => undefined });
  t.teardown(() => ledger.dispose());
  await start(ledger);
  const before = await group.primary();
  await group.replicated();
  before.signal('SIGSTOP');
  const late = await t.throwsAsync(claim(ledger, 0, 'w1', [{ cursor: 0, count: 5 }]), { instanceOf: CallFailed });
  t.like(late, { fate: 'unknown' });
  t.like(await answered(() => claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }])), { kind: 'claimed', cursor: 3 });
  before.signal('SIGCONT');
  const admin = before.client();
  await until('it follows the new one', PATIENCE_MS, async () => (await admin.info('replication')).includes('role:slave'));
  t.like(await claim(ledger, 0, 'w1', [{ cursor: 3, count: 3 }]), { kind: 'claimed', cursor: 6 });
  t.like(await scanned(ledger, 0), { progress: { cursor: 6, running: 6 } });
});

test('L40: a replica that takes over without the last writes is refused by the next verb, and a coordinator that begins anew goes on', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t);
  const ledger = await opened(t, group);
  await start(ledger);
  await group.replicated();
  const [primary, ...replicas] = group.servers;
  await primary?.cutOff(replicas);
  t.like(await claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]), { kind: 'claimed', cursor: 3 });
  await primary?.kill();
  for (const one of replicas) one.signal('SIGCONT');
  await t.throwsAsync(
    answered(() => claim(ledger, 0, 'w1', [{ cursor: 3, count: 3 }])),
    { code: 'LEDGER_LOST_WRITES', message: /replica without them took over/ },
  );
  const next = await opened(t, group);
  t.is((await win(next, 'second')).epoch, 1);
  t.like(await scanned(next, 1), { progress: { cursor: 0, running: 0 } });
});

test('Sentinels that are away are passed over while one answers, and are named when none does', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t, { replicas: 0 });
  await group.killSentinel(0);
  await group.killSentinel(1);
  for (let n = 0; n < 3; n += 1) t.is((await (await opened(t, group)).readLease()).lease, null);
  await group.killSentinel(2);
  const error = await t.throwsAsync(group.open('run'), { instanceOf: CallFailed });
  t.regex(error.message, new RegExp(`ECONNREFUSED.*Sentinel 127\\.0\\.0\\.1:${group.ports[0]}.*start the server`));
});

test('a run goes on with its connection while no Sentinel answers, and is found again once one is back', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t, { replicas: 0 });
  const ledger = await opened(t, group);
  await start(ledger);
  for (const n of [0, 1, 2]) await group.killSentinel(n);
  t.like(await claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]), { kind: 'claimed', cursor: 3 });
  await group.servers[0]?.client().call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const ask = () => claim(ledger, 0, 'w1', [{ cursor: 3, count: 3 }]);
  const told = await until('why no primary is found', PATIENCE_MS, () =>
    ask().then(
      () => undefined,
      (error: Error) => (error.message.includes('Sentinel') ? error : undefined),
    ),
  );
  t.like(told, { fate: 'not-executed' });
  t.regex(told.message, /no connection to Redis \(connect ECONNREFUSED.*\(Sentinel .*start the server/);
  group.startSentinel(1);
  t.like(await answered(ask), { kind: 'claimed', cursor: 6 });
});

test('a group that no Sentinel watches, and a primary that is a replica, are refused with what to do', async (t) => {
  t.timeout(120_000);
  const [group, elsewhere] = [await redisSentinels(t, { replicas: 0 }), await redisServer(t)];
  const unknown = openBy(group.url.replace(GROUP, 'other'));
  await t.throwsAsync(unknown, { code: 'STORE_UNFIT', message: /no group of the name other.*SENTINEL MASTERS/ });
  await group.servers[0]?.client().replicaof('127.0.0.1', String(elsewhere.port));
  const error = await t.throwsAsync(group.open('run'), { instanceOf: CallFailed, message: /is a replica, and Sentinel.*names it/ });
  t.like(error, { fate: 'not-executed' });
});

test('Sentinels that were started anew and know no group end no run: another one may, and they may again', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t, { replicas: 0 });
  const [primary] = group.servers;
  assert(primary !== undefined, 'a primary');
  const ledger = await opened(t, group);
  await start(ledger);
  await group.forget();
  await primary.client().call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const ask = () => claim(ledger, 0, 'w1', [{ cursor: 0, count: 3 }]);
  const told = await until('why no primary is found', PATIENCE_MS, () =>
    ask().then(
      () => undefined,
      (error: Error) => (error.message.includes('no group') ? error : undefined),
    ),
  );
  t.true(told instanceof CallFailed);
  await group.watch(primary);
  t.like(await answered(ask), { kind: 'claimed', cursor: 3 });
  await group.forget();
  await group.killSentinel(0);
  await t.throwsAsync(group.open('run'), { instanceOf: CallFailed, message: /ECONNREFUSED.*Sentinel/ });
});

test('a Sentinel that names a primary which says nothing is passed over where another one names a living one', async (t) => {
  t.timeout(120_000);
  const group = await redisSentinels(t, { replicas: 0 });
  const [silent, behind] = [await silentServer(t), group.ports[0] ?? 0];
  await group.nameElsewhere(behind, silent);
  for (let n = 0; n < 3; n += 1) t.is((await (await opened(t, group)).readLease()).lease, null);
});

test('the password of the Sentinels is one of its own, and stands in no error', async (t) => {
  t.timeout(120_000);
  const [secret, other] = ['of-the-sentinels', 'of-the-servers'];
  const group = await redisSentinels(t, { replicas: 0, sentinelPassword: secret, password: other });
  const both = { ROLLOUT_REDIS_PASSWORD: other, ROLLOUT_REDIS_SENTINEL_PASSWORD: secret };
  t.is((await (await opened(t, group, both)).readLease()).lease, null);
  for (const wrong of [undefined, 'not-it', other]) {
    const env = { ROLLOUT_REDIS_PASSWORD: other, ...(wrong !== undefined && { ROLLOUT_REDIS_SENTINEL_PASSWORD: wrong }) };
    const error = await t.throwsAsync(group.open('run', env), {
      code: 'STORE_FAILED',
      message: /(?:NOAUTH|WRONGPASS).*Sentinel.*--redis-sentinel-password-file/,
    });
    for (const word of [secret, other, 'not-it']) t.false(inspect(error, { depth: 20, showHidden: true }).includes(word), word);
  }
  const swapped = group.open('run', { ...both, ROLLOUT_REDIS_PASSWORD: secret });
  await t.throwsAsync(swapped, { code: 'STORE_FAILED', message: /WRONGPASS.*--redis-password-file/ });
});

test('Sentinels are asked as the user that is named, which needs one command and a second one for doctor', async (t) => {
  t.timeout(120_000);
  const [secret, other] = ['of-the-user', 'of-the-servers'];
  const watcher = `user watcher on >${secret} +sentinel|get-master-addr-by-name +sentinel|ckquorum`;
  const group = await redisSentinels(t, { replicas: 0, password: other, sentinelPassword: 'of-all', sentinelLines: [watcher] });
  const env = { ROLLOUT_REDIS_PASSWORD: other, ROLLOUT_REDIS_SENTINEL_PASSWORD: secret };
  const named = { sentinelUsername: 'watcher' };
  const ledger = await group.open('run', env, named);
  t.teardown(() => ledger.dispose());
  t.is((await ledger.readLease()).lease, null);
  for (const wrong of [{}, { sentinelUsername: 'nobody' }])
    await t.throwsAsync(group.open('run', env, wrong), {
      code: 'STORE_FAILED',
      message: /WRONGPASS.*Sentinel.*--redis-sentinel-user/,
    });
  await retireRun(await redisOptions({ ...redisStore(group.url), ...named }, env), 'run', 3_600_000);
  const dir = temporaryDir(t);
  await writeFile(join(dir, 'servers'), `${other}\n`);
  await writeFile(join(dir, 'sentinels'), `${secret}\n`);
  const passwords = ['--redis-password-file', 'servers', '--redis-sentinel-password-file', 'sentinels'];
  const found = await verb(['doctor', '--redis', group.url, '--redis-sentinel-user', 'watcher', ...passwords, '--json'], dir);
  t.is(found.exit, 0, found.stderr);
  t.notRegex(found.stdout, /NOPERM|CKQUORUM/);
});

function openBy(url: string): Promise<Ledger> {
  return redisOptions(redisStore(url), {}).then((redis) =>
    openRedisLedger({ runId: 'run', redis, random: systemRandom, onError: () => undefined }),
  );
}
