import type { Redis } from 'ioredis';

export interface ScriptTimes {
  readonly scripts: number;
  /** 0 where none took a millisecond. */
  readonly worstMs: number;
}

/** How many scripts a server has run meanwhile, and how long the longest took by the server's own log. */
export async function scriptTimes(redis: Redis, run: () => Promise<unknown>): Promise<ScriptTimes> {
  await redis.config('SET', 'slowlog-log-slower-than', '1000');
  await redis.call('SLOWLOG', 'RESET');
  await redis.config('RESETSTAT');
  await run();
  const slow = (await redis.call('SLOWLOG', 'GET', '128')) as readonly (readonly [number, number, number, readonly string[]])[];
  const took = slow.filter(([, , , [name = '']]) => name.toLowerCase().startsWith('eval')).map(([, , us]) => us / 1_000);
  const calls = /cmdstat_evalsha:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1];
  return { scripts: Number(calls ?? 0), worstMs: Math.max(0, ...took) };
}
