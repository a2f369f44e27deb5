import test from 'ava';
import {
  EMBEDDED,
  isSameStore,
  namedStore,
  redisAddress,
  redisStoreProblem,
  redisUrlProblem,
  storeText,
  withPaths,
} from '../../../runtime/model/store.ts';

test('a URL names host, port, user, database and whether TLS is spoken', (t) => {
  const usual = { host: 'a', port: 6_379, db: 0, username: null, isTls: false };
  t.deepEqual(redisAddress('redis://a'), usual);
  t.deepEqual(redisAddress('redis://us%40er@a:1/3'), { ...usual, port: 1, db: 3, username: 'us@er' });
  t.deepEqual(redisAddress('rediss://[::1]:6380/'), { ...usual, host: '::1', port: 6_380, isTls: true });
});

test('a URL that is none, or that holds a password, is refused without being shown', (t) => {
  for (const url of ['redis://a', 'rediss://u@a:6380/0', 'redis://127.0.0.1:1']) t.is(redisUrlProblem(url), null, url);
  for (const url of ['a:6379', 'http://a', 'redis://a:99999', 'redis://a?b=c', 'redis://a#b'])
    t.regex(redisUrlProblem(url) ?? '', /^must be like redis:\/\/host:6379/, url);
  const problem = redisUrlProblem('redis://user:secret@a') ?? '';
  t.regex(problem, /ROLLOUT_REDIS_PASSWORD/);
  t.false(problem.includes('secret'));
});

test('a URL with a mistake in one part is refused with the name of that part, and never ends as a bug', (t) => {
  const cases: readonly [string, RegExp][] = [
    ['redis://%zz@a', /user/],
    ['rediss://us%2@a:6380', /user/],
    ['redis://', /host/],
    ['redis://a%zz', /host/],
    ['redis://a,b:6379', /one host/],
    ['redis://a:0', /port/],
    ['redis://a/x', /number of a database/],
    ['redis://a/99999999999999999999', /number of a database/],
    ['redis+sentinel://a:26379/main', /primary.*Sentinel is not supported/],
  ];
  for (const [url, wanted] of cases) {
    t.regex(redisUrlProblem(url) ?? '', wanted, url);
    t.throws(() => redisAddress(url), { name: 'RolloutError', code: 'CONFIG_INVALID', message: /--redis, or store\.redis/ }, url);
  }
});

test('a certificate needs its key, TLS and a server', (t) => {
  const tls = { redis: 'rediss://a', caCert: 'ca.pem' };
  t.is(redisStoreProblem({}), null);
  t.is(redisStoreProblem(tls), null);
  t.is(redisStoreProblem({ ...tls, cert: 'c', key: 'k' }), null);
  t.regex(redisStoreProblem({ ...tls, cert: 'c' }) ?? '', /both a client certificate and its key/);
  t.regex(redisStoreProblem({ redis: 'redis://a', caCert: 'ca.pem' }) ?? '', /rediss/);
  t.regex(redisStoreProblem({ redis: null, passwordFile: 'p' }) ?? '', /name the server/);
});

test('two stores are the same where all that leads to them is', (t) => {
  const a = namedStore({ redis: 'redis://a', passwordFile: 'p' });
  t.true(isSameStore(a, namedStore({ redis: 'redis://a', passwordFile: 'p', key: null })));
  t.false(isSameStore(a, namedStore({ redis: 'redis://a' })));
  t.false(isSameStore(a, EMBEDDED));
  t.true(isSameStore(EMBEDDED, namedStore({ redis: null })));
  t.deepEqual([storeText(a), storeText(EMBEDDED)], ['redis://a', 'the state directory']);
});

test('paths are made whole, and what is not given stays so', (t) => {
  const store = { kind: 'redis', url: 'redis://a', passwordFile: 'p', caCert: null, cert: null, key: null } as const;
  t.deepEqual(
    withPaths(store, (path) => `/dir/${path}`),
    { ...store, passwordFile: '/dir/p' },
  );
});
