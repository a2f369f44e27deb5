import { resolve } from 'node:path';
import { parseDurationMs } from '../base/config/quantity.ts';
import { RolloutError } from '../base/errors.ts';
import { redisUrlProblem } from '../model/redis-url.ts';
import { expiryProblem, namedStore, type RedisFields, type RedisStore, redisStoreProblem, withPaths } from '../model/store.ts';
import type { RunArguments } from './arguments.ts';

/** How a command names a Redis server. Checked here and not as each option is read: commander shows the value that it refuses. */
export type RedisArguments = Pick<
  RunArguments,
  | 'redis'
  | 'redisPasswordFile'
  | 'redisSentinelPasswordFile'
  | 'redisSentinelUser'
  | 'redisSentinelCaCert'
  | 'redisCaCert'
  | 'redisCert'
  | 'redisKey'
  | 'redisExpireAfter'
>;

/** Null where none is named. Paths are those of `cwd`. */
export function namedServer(args: RedisArguments, cwd: string): RedisStore | null {
  const { redis } = args;
  const ofUrl = redis === undefined ? null : redisUrlProblem(redis);
  if (ofUrl !== null) throw new RolloutError('USAGE', `--redis ${ofUrl}`);
  const fields = { redis, passwordFile: args.redisPasswordFile, ...ofSentinels(args), ...tlsOf(args) };
  const problem = redisStoreProblem(fields);
  if (problem !== null) throw new RolloutError('USAGE', `--redis ${problem}`);
  const ofExpiry = expiryProblem(parseDurationMs(args.redisExpireAfter ?? ''));
  if (ofExpiry !== null) throw new RolloutError('USAGE', `--redis-expire-after ${ofExpiry}`);
  const store = namedStore(fields);
  return store.kind === 'redis' ? withPaths(store, (path) => resolve(cwd, path)) : null;
}

function ofSentinels(args: RedisArguments): RedisFields {
  const { redisSentinelUser, redisSentinelPasswordFile, redisSentinelCaCert } = args;
  return { sentinelUsername: redisSentinelUser, sentinelPasswordFile: redisSentinelPasswordFile, sentinelCaCert: redisSentinelCaCert };
}

function tlsOf({ redisCaCert: caCert, redisCert: cert, redisKey: key }: RedisArguments): RedisFields {
  return { caCert, cert, key };
}
