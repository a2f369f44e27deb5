import test from 'ava';
import { namedServer, type RedisArguments } from '../../../runtime/cli/redis-arguments.ts';

test('a server is named with paths of the folder in which the command was given', (t) => {
  t.is(namedServer({}, '/here'), null);
  t.deepEqual(namedServer({ redis: 'rediss://a', redisPasswordFile: 'p', redisCaCert: '/ca.pem' }, '/here'), {
    kind: 'redis',
    url: 'rediss://a',
    passwordFile: '/here/p',
    sentinelPasswordFile: null,
    sentinelUsername: null,
    sentinelCaCert: null,
    caCert: '/ca.pem',
    cert: null,
    key: null,
  });
});

test('what contradicts itself is refused, and a password in a URL is not shown', (t) => {
  const cases: readonly [RedisArguments, RegExp][] = [
    [{ redisPasswordFile: 'p' }, /^--redis has to name the server/],
    [{ redis: 'a:6379' }, /^--redis must be like/],
    [{ redis: 'redis://a', redisExpireAfter: '5m' }, /^--redis-expire-after must be at least 1h/],
    [{ redis: 'redis://%zz@a' }, /^--redis must have a user/],
    [{ redis: 'redis://:secret@a' }, /^--redis must not hold the password.*--redis-password-file/],
    [{ redis: 'redis://a,u:secret@b' }, /^--redis must not hold the password/],
    [{ redis: 'redis+sentinel://a' }, /^--redis must name the group/],
    [{ redis: 'redis://a', redisSentinelPasswordFile: 'p' }, /^--redis must be a redis\+sentinel/],
    [{ redis: 'redis://a', redisSentinelUser: 'u' }, /^--redis must be a redis\+sentinel/],
    [{ redis: 'redis+sentinel://a/g', redisSentinelCaCert: 'ca.pem' }, /^--redis must be a rediss\+sentinel/],
    [{ redis: 'redis://a', redisCaCert: 'ca.pem' }, /rediss:\/\//],
    [{ redis: 'rediss://a', redisKey: 'key.pem' }, /both a client certificate and its key/],
  ];
  for (const [args, message] of cases) {
    const error = t.throws(() => namedServer(args, '/'), { code: 'USAGE', message });
    t.false(error?.message.includes('secret'));
  }
});
