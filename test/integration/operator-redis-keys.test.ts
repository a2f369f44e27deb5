import test from 'ava';
import { retireKeys } from '../../operator/retire-keys.ts';
import { loginOf } from '../../operator/rollout/redis-login.ts';
import { runIdOf } from '../../operator/rollout/run-id.ts';
import { claimed, start } from '../support/ledger-start.ts';
import { runOf } from '../support/operator/run-world.ts';
import { redisServer } from '../support/redis-server.ts';

const RUN_ID = runIdOf(runOf().metadata.uid);
const WEEK_MS = 7 * 24 * 3_600_000;
const secretOf = (data: Readonly<Record<string, string>>) => ({
  metadata: { name: 'redis' },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

test('the operator retires a run with what its Secret has, and its keys expire in a week', async (t) => {
  const server = await redisServer(t, ['--requirepass', 'of the server']);
  const ledger = await server.open(RUN_ID, { password: 'of the server' });
  t.teardown(() => ledger.dispose());
  await start(ledger);
  await claimed(ledger, 0, 'w1', [{ cursor: 0, count: 4 }]);
  await t.throwsAsync(retireKeys(loginOf(server.url, secretOf({ password: 'another' })), RUN_ID), { message: /WRONGPASS/ });
  t.like(await claimed(ledger, 0, 'w1', [{ cursor: 4, count: 1 }]), { kind: 'claimed' }, 'nothing has happened yet');
  const login = loginOf(server.url, secretOf({ password: 'of the server\n' }));
  t.is(await retireKeys(login, RUN_ID), 'held', 'its coordinator goes on');
  const { lease } = await ledger.readLease();
  if (lease !== null) await ledger.release(lease);
  t.is(await retireKeys(login, RUN_ID), 'retired');
  const redis = server.client({ password: 'of the server' });
  const keys = await redis.keys('*');
  t.true(keys.length >= 4, String(keys));
  for (const key of keys) {
    const left = await redis.pttl(key);
    t.true(left > 0 && left <= WEEK_MS, key);
  }
});

test('a certificate in the Secret that is none is told by its key', async (t) => {
  const login = loginOf('rediss://127.0.0.1:1', secretOf({ 'ca.crt': 'nonsense' }));
  await t.throwsAsync(retireKeys(login, RUN_ID), { code: 'TLS_INVALID', message: /Secret.*ca\.crt holds no certificate/ });
});
