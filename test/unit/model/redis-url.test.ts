import test from 'ava';
import { addressText, redisTarget, redisUrlProblem } from '../../../runtime/model/redis-url.ts';

const USUAL = { servers: [{ host: 'a', port: 6_379 }], group: null, db: 0, username: null, isTls: false };

test('a URL names host, port, user, database and whether TLS is spoken', (t) => {
  t.deepEqual(redisTarget('redis://a'), USUAL);
  t.deepEqual(redisTarget('redis://us%40er@a:1/3'), { ...USUAL, servers: [{ host: 'a', port: 1 }], db: 3, username: 'us@er' });
  t.deepEqual(redisTarget('rediss://[::1]:6380/'), { ...USUAL, servers: [{ host: '::1', port: 6_380 }], isTls: true });
});

test('it may name several nodes of a Cluster', (t) => {
  const servers = [
    { host: 'a', port: 1 },
    { host: '::1', port: 2 },
    { host: 'c.d', port: 6_379 },
  ];
  t.deepEqual(redisTarget('redis://user@a:1,[::1]:2,c.d'), { ...USUAL, servers, username: 'user' });
  t.deepEqual(servers.map(addressText), ['a:1', '[::1]:2', 'c.d:6379']);
});

test('it may name Sentinels and the group that they watch, and the user and the database are those of the servers', (t) => {
  const servers = [
    { host: 'a', port: 26_379 },
    { host: 'b', port: 5 },
  ];
  t.deepEqual(redisTarget('redis+sentinel://a,b:5/my.group'), { ...USUAL, servers, group: 'my.group' });
  t.deepEqual(redisTarget('rediss+sentinel://u@a,b:5/g/2'), { servers, group: 'g', db: 2, username: 'u', isTls: true });
  t.deepEqual(redisTarget('REDIS+SENTINEL://a/g/'), { ...USUAL, servers: servers.slice(0, 1), group: 'g' });
});

test('a URL that is none, or that holds a password at any place, is refused without being shown', (t) => {
  for (const url of ['redis://a', 'rediss://u@a:6380/0', 'redis://127.0.0.1:1']) t.is(redisUrlProblem(url), null, url);
  for (const url of ['a:6379', 'http://a', 'redis-sentinel://a/g', 'redis://a?b=c', 'redis://a#b', 'redis+sentinel://a/g?password=secret'])
    t.regex(redisUrlProblem(url) ?? '', /^must be like redis:\/\/host:6379/, url);
  for (const url of [
    'redis://user:secret@a',
    'redis://:secret@a,b',
    'redis://a,u:secret@b',
    'redis://u@a,:secret@b:6379',
    'redis://u:sec/ret@a',
    'redis://u:sec@ret@a',
    'redis+sentinel://u:secret@a,b/group',
  ]) {
    const problem = redisUrlProblem(url) ?? '';
    t.regex(problem, /ROLLOUT_REDIS_PASSWORD/, url);
    t.notRegex(problem, /sec|ret@/, url);
  }
});

test('a URL with a mistake in one part is refused with the name of that part, and never ends as a bug', (t) => {
  const cases: readonly [string, RegExp][] = [
    ['redis://%zz@a', /user/],
    ['rediss://us%2@a:6380', /user/],
    ['redis://u@v@a', /user.*once/],
    ['redis://u@a,v@b', /user.*once/],
    ['redis://', /host/],
    ['redis://a%zz', /host/],
    ['redis://a,,b', /host/],
    ['redis://a,b,', /host/],
    ['redis://a,b,a', /each host once/],
    ['redis://a:0', /port from 1 to 65535/],
    ['redis://a,b:99999', /port from 1 to 65535/],
    ['redis://a/x', /number of a database.*host/],
    ['redis://a/1/2', /number of a database/],
    ['redis://a/99999999999999999999', /number of a database/],
    ['redis+sentinel://a:26379', /group/],
    ['redis+sentinel://a:26379/', /group/],
    ['redis+sentinel://a:26379/ma%20in', /group/],
    ['redis+sentinel://a:26379/main/x', /number of a database.*group/],
    ['redis+sentinel://a:26379/main/0/1', /number of a database.*group/],
  ];
  for (const [url, wanted] of cases) {
    t.regex(redisUrlProblem(url) ?? '', wanted, url);
    t.throws(() => redisTarget(url), { name: 'RolloutError', code: 'CONFIG_INVALID', message: /--redis, or store\.redis/ }, url);
  }
});
