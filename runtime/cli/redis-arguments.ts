import { resolve } from 'node:path';
import { parseDurationMs } from '../base/config/quantity.ts';
import { RolloutError } from '../base/errors.ts';
import { expiryProblem, namedStore, type RedisStore, redisStoreProblem, redisUrlProblem, withPaths } from '../model/store.ts';
import type { RunArguments } from './arguments.ts';

/** How a command names a Redis server. Checked here and not as each option is read: commander shows the value that it refuses. */
export type RedisArguments = Pick<
  RunArguments,
  'redis' | 'redisPasswordFile' | 'redisCaCert' | 'redisCert' | 'redisKey' | 'redisExpireAfter'
>;

/** Null where none is named. Paths are those of `cwd`. */
export function namedServer(args: RedisArguments, cwd: string): RedisStore | null {
  const { redis, redisPasswordFile: passwordFile, redisCaCert: caCert, redisCert: cert, redisKey: key } = args;
  const ofUrl = redis === undefined ? null : redisUrlProblem(redis);
  if (ofUrl !== null) throw new RolloutError('USAGE', `--redis ${ofUrl}`);
  const fields = { redis, passwordFile, caCert, cert, key };
  const problem = redisStoreProblem(fields);
  if (problem !== null) throw new RolloutError('USAGE', `--redis ${problem}`);
  const ofExpiry = expiryProblem(parseDurationMs(args.redisExpireAfter ?? ''));
  if (ofExpiry !== null) throw new RolloutError('USAGE', `--redis-expire-after ${ofExpiry}`);
  const store = namedStore(fields);
  return store.kind === 'redis' ? withPaths(store, (path) => resolve(cwd, path)) : null;
}
