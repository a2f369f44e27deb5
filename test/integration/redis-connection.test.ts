import { join } from 'node:path';
import { inspect } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import type { RedisOptions } from 'ioredis';
import { systemClock } from '../../runtime/base/clock.ts';
import { seededRandom, systemRandom } from '../../runtime/base/random.ts';
import { untilAnswered } from '../../runtime/coordinator/perform/ledger-writer.ts';
import { CallFailed } from '../../runtime/ledger/call-failed.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { openRedisLedger } from '../../runtime/ledger/redis/ledger.ts';
import { ensureDevCa, issueCertificate } from '../../runtime/tls/ca.ts';
import { request, start } from '../support/ledger-start.ts';
import { type RedisServer, redisServer } from '../support/redis-server.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** A ledger, and the errors of its connection as its owner hears them. */
async function opened(t: ExecutionContext, own: RedisServer, more: RedisOptions): Promise<{ ledger: Ledger; heard: readonly Error[] }> {
  const heard: Error[] = [];
  const redis = { ...own.options, ...more };
  const ledger = await openRedisLedger({ runId: 'run', redis, random: seededRandom(1), onError: (error) => heard.push(error) });
  t.teardown(() => ledger.dispose());
  return { ledger, heard };
}

const answered = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered({ clock: systemClock, random: systemRandom }, ask);

/** What a call is told at last, once its connection is known to be lost. */
async function toldAtLast(ledger: Ledger): Promise<Error> {
  return until('an error that is no lost connection', PATIENCE_MS, async () => {
    try {
      await ledger.readLease();
      return undefined;
    } catch (error) {
      return error instanceof CallFailed ? undefined : (error as Error);
    }
  });
}

test('a wrong password, and none where one is wanted, are told at once, with what to do', async (t) => {
  const guarded = await redisServer(t, ['--requirepass', 'right']);
  const { ledger } = await opened(t, guarded, { password: 'right' });
  t.is((await ledger.readLease()).lease, null);
  const wanted = { code: 'STORE_FAILED', message: /(?:WRONGPASS|NOAUTH|unauthenticated).*give the right password/ };
  await t.throwsAsync(guarded.open('run', { password: 'wrong' }), wanted);
  const none = await guarded.open('run');
  t.teardown(() => none.dispose());
  await t.throwsAsync(none.readLease(), wanted);
});

test('a password that is changed while a run goes on is shown in no error, and the caller is told to give the right one', async (t) => {
  const secret = 'a-secret-word';
  const guarded = await redisServer(t, ['--requirepass', secret]);
  const { ledger, heard } = await opened(t, guarded, { password: secret });
  await start(ledger);
  const admin = guarded.client({ password: secret });
  await admin.config('SET', 'requirepass', 'another');
  await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  const told = await toldAtLast(ledger);
  t.like(told, { code: 'STORE_FAILED' });
  t.regex(told.message, /WRONGPASS.*give the right password/);
  t.true(heard.some(({ message }) => message.includes('WRONGPASS')));
  t.false(inspect([told, heard], { depth: 20, showHidden: true }).includes(secret));
});

test('a database that the server does not have, or the user may not select, is refused: the run is never in database 0 instead', async (t) => {
  const own = await redisServer(t, ['--databases', '4']);
  const admin = own.client();
  await t.throwsAsync(own.open('run', { db: 9 }), { code: 'STORE_UNFIT', message: /database 9.*out of range.*databases/ });
  await admin.call('ACL', 'SETUSER', 'user', 'on', 'nopass', '~*', '+@all');
  const { ledger } = await opened(t, own, { db: 3, username: 'user', password: 'any' });
  await start(ledger);
  await admin.call('ACL', 'SETUSER', 'user', '-select');
  await admin.call('CLIENT', 'KILL', 'USER', 'user');
  const told = await toldAtLast(ledger);
  t.like(told, { code: 'STORE_UNFIT' });
  t.regex(told.message, /database 3.*NOPERM.*SELECT/);
  t.is(await admin.dbsize(), 0);
});

test('TLS on one side alone is named as what it is', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, 'run');
  await issueCertificate(dir, { role: 'coordinator', hosts: ['127.0.0.1'] });
  const file = (name: string): string => join(dir, name);
  const own = ['--tls-cert-file', file('coordinator.pem'), '--tls-key-file', file('coordinator.key.pem')];
  const more = ['--tls-ca-cert-file', file('ca.pem')];
  const server = await redisServer(t, (port) => ['--port', '0', '--tls-port', String(port), ...own, ...more]);
  await t.throwsAsync(server.open('run'), { instanceOf: CallFailed, message: /use rediss:\/\// });
  const plain = await redisServer(t);
  const tls = plain.open('run', { tls: {}, connectTimeout: 300 });
  await t.throwsAsync(tls, { instanceOf: CallFailed, message: /redis:\/\// });
});

test('a server that is gone is named by what the last try to connect has found', async (t) => {
  const own = await redisServer(t);
  const { ledger } = await opened(t, own, {});
  await own.kill();
  const wanted = new RegExp(`no connection to Redis \\(connect ECONNREFUSED 127.0.0.1:${own.port}\\): start the server`);
  const told = await until('the cause', PATIENCE_MS, () =>
    ledger.readLease().then(
      () => undefined,
      (error: Error) => (wanted.test(error.message) ? error : undefined),
    ),
  );
  t.like(told, { fate: 'not-executed' });
});

test('a server that refuses to write is asked again, and each of its reasons is told with what to do', async (t) => {
  const own = await redisServer(t);
  const admin = own.client();
  const { ledger } = await opened(t, own, {});
  const refused = async (wanted: RegExp): Promise<void> => {
    const error = await t.throwsAsync(ledger.acquire(request('a', null)), { instanceOf: CallFailed, message: wanted });
    t.like(error, { fate: 'not-executed' });
    t.is((await answered(() => ledger.readLease())).lease, null, 'it still answers what it is asked');
  };
  await admin.config('SET', 'maxmemory', '1');
  await refused(/OOM.*: the server is full: raise its maxmemory/);
  await admin.config('SET', 'maxmemory', '0');
  await admin.config('SET', 'min-replicas-to-write', '1');
  await refused(/NOREPLICAS.*: the server waits for its replicas/);
  await admin.config('SET', 'min-replicas-to-write', '0');
  await admin.replicaof('127.0.0.1', '1');
  await refused(/READONLY.*: the server is a replica.*looked for again.*name the primary/);
  await admin.replicaof('NO', 'ONE');
  t.like(await answered(() => ledger.acquire(request('a', null))), { kind: 'won' });
});
