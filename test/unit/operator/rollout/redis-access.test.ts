import test from 'ava';
import type { Secret } from '../../../../operator/kube/kind.ts';
import { redisAccess } from '../../../../operator/rollout/redis-access.ts';
import { runOf } from '../../../support/operator/run-world.ts';

const URL = 'rediss://redis.team.svc:6380';

const redisRun = (redis: object) => runOf({ coordinator: { replicas: 2, store: { redis } } });

function secretWith(values: Readonly<Record<string, string>>): Secret {
  const data = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]));
  return { metadata: { name: 'redis', namespace: 'team' }, data };
}

test('a server that asks for nothing is reached by its address alone', (t) => {
  t.deepEqual(redisAccess(redisRun({ url: URL }), null), {
    kind: 'found',
    access: {
      ...{ url: URL, secretName: null, hasPassword: false, hasAuthority: false, hasCertificate: false },
      ...{ sentinelUsername: null, hasSentinelPassword: false, hasSentinelAuthority: false },
    },
  });
});

test('what the Secret has decides what the coordinator is given', (t) => {
  const has = (values: Readonly<Record<string, string>>) =>
    redisAccess(redisRun({ url: URL, secretRef: { name: 'redis' } }), secretWith(values));
  t.like(has({ password: 'p' }), { access: { secretName: 'redis', hasPassword: true, hasAuthority: false, hasCertificate: false } });
  t.like(has({ 'ca.crt': 'c' }), { access: { hasPassword: false, hasAuthority: true } });
  t.like(has({ 'tls.crt': 'c' }), { access: { hasCertificate: false } }, 'a certificate without its key is none');
  t.like(has({ 'tls.crt': 'c', 'tls.key': 'k' }), { access: { hasCertificate: true } });
});

test('the address may stand in the Secret; one in the run goes before it', (t) => {
  const ref = { secretRef: { name: 'redis' } };
  const secret = secretWith({ url: 'redis://other:6379\n' });
  t.like(redisAccess(redisRun(ref), secret), { kind: 'found', access: { url: 'redis://other:6379' } });
  t.like(redisAccess(redisRun({ ...ref, url: URL }), secret), { access: { url: URL } });
});

test('an address that its coordinator would refuse is told before one is made, and no password gets into its settings', (t) => {
  const ref = { secretRef: { name: 'redis' } };
  t.deepEqual(redisAccess(redisRun(ref), secretWith({ url: 'redis://user:secret@r:6379' })), {
    kind: 'missing',
    message:
      'the key url of the Secret redis must not hold a password, which everybody could read: put it into the key password of the Secret',
  });
  t.like(redisAccess(redisRun(ref), secretWith({ url: 'http://r' })), { kind: 'missing' });
  t.deepEqual(redisAccess(redisRun({ ...ref, url: 'redis://r:6379' }), secretWith({ 'ca.crt': 'c' })), {
    kind: 'missing',
    message: 'spec.coordinator.store.redis.url must be a rediss:// URL where certificates are given',
  });
});

test('Sentinels have a user, a password and an authority of their own', (t) => {
  const keys = { 'sentinel-username': 'watch\n', 'sentinel-password': 'p', 'sentinel-ca.crt': 'c' };
  const found = (url: string) => redisAccess(redisRun({ url, secretRef: { name: 'redis' } }), secretWith(keys));
  t.like(found('rediss+sentinel://s:26379/main'), {
    kind: 'found',
    access: { sentinelUsername: 'watch', hasSentinelPassword: true, hasSentinelAuthority: true },
  });
  t.deepEqual(found('rediss://r:6379'), {
    kind: 'missing',
    message:
      'spec.coordinator.store.redis.url must be a redis+sentinel:// URL where a user, a password or an authority of Sentinels is given',
  });
});

test('what is missing is told with what to do', (t) => {
  const ref = { secretRef: { name: 'redis' } };
  t.deepEqual(redisAccess(redisRun({ ...ref, url: URL }), null), {
    kind: 'missing',
    message: 'there is no Secret redis, which spec.coordinator.store.redis names: create it',
  });
  t.deepEqual(redisAccess(redisRun(ref), secretWith({ password: 'p' })), {
    kind: 'missing',
    message: 'the Secret redis has no key url, and spec.coordinator.store.redis has none either: set one of them',
  });
});
