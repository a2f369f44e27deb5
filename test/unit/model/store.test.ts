import test from 'ava';
import { EMBEDDED, isSameStore, namedStore, redisStoreProblem, storeText, withPaths } from '../../../runtime/model/store.ts';
import { redisStore } from '../../support/redis-store.ts';

test('a certificate needs its key, TLS and a server', (t) => {
  const tls = { redis: 'rediss://a', caCert: 'ca.pem' };
  t.is(redisStoreProblem({}), null);
  t.is(redisStoreProblem(tls), null);
  t.is(redisStoreProblem({ ...tls, cert: 'c', key: 'k' }), null);
  t.regex(redisStoreProblem({ ...tls, cert: 'c' }) ?? '', /both a client certificate and its key/);
  t.regex(redisStoreProblem({ redis: 'redis://a', caCert: 'ca.pem' }) ?? '', /rediss/);
  t.regex(redisStoreProblem({ redis: 'redis+sentinel://a/g', caCert: 'ca.pem' }) ?? '', /rediss\+sentinel/);
  t.regex(redisStoreProblem({ redis: null, passwordFile: 'p' }) ?? '', /name the server/);
});

test('a password of Sentinels needs Sentinels', (t) => {
  t.is(redisStoreProblem({ redis: 'redis+sentinel://a/g', sentinelPasswordFile: 'p' }), null);
  t.regex(redisStoreProblem({ redis: 'redis://a,b', sentinelPasswordFile: 'p' }) ?? '', /redis\+sentinel:\/\//);
  t.regex(redisStoreProblem({ sentinelPasswordFile: 'p' }) ?? '', /name the server/);
  t.regex(redisStoreProblem({ sentinelUsername: 'u' }) ?? '', /name the server/);
  t.is(redisStoreProblem({ redis: 'redis+sentinel://a/g', sentinelUsername: 'u' }), null);
  t.regex(redisStoreProblem({ redis: 'redis://a', sentinelUsername: 'u' }) ?? '', /redis\+sentinel:\/\//);
  t.is(redisStoreProblem({ redis: 'rediss+sentinel://a/g', sentinelCaCert: 'ca.pem' }), null);
  t.regex(redisStoreProblem({ redis: 'redis+sentinel://a/g', sentinelCaCert: 'ca.pem' }) ?? '', /rediss\+sentinel:\/\//);
  t.regex(redisStoreProblem({ redis: 'rediss://a', sentinelCaCert: 'ca.pem' }) ?? '', /redis\+sentinel:\/\//);
});

test('two stores are the same where all that leads to them is', (t) => {
  const a = namedStore({ redis: 'redis://a', passwordFile: 'p' });
  t.true(isSameStore(a, namedStore({ redis: 'redis://a', passwordFile: 'p', key: null })));
  t.false(isSameStore(a, namedStore({ redis: 'redis://a' })));
  t.false(isSameStore(a, namedStore({ redis: 'redis://a', passwordFile: 'p', sentinelUsername: 'u' })));
  t.false(isSameStore(a, EMBEDDED));
  t.true(isSameStore(EMBEDDED, namedStore({ redis: null })));
  t.deepEqual([storeText(a), storeText(EMBEDDED)], ['redis://a', 'the state directory']);
});

test('paths are made whole, and what is not given stays so', (t) => {
  const store = { ...redisStore('redis://a'), passwordFile: 'p' };
  t.deepEqual(
    withPaths(store, (path) => `/dir/${path}`),
    { ...store, passwordFile: '/dir/p' },
  );
});
