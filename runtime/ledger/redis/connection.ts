import { Redis, type RedisOptions } from 'ioredis';
import { storeFailure } from './failure.ts';

/** Between two tries to connect again. A server that was restarted is found within a second. */
const RECONNECT_MOST_MS = 500;
const RECONNECT_STEP_MS = 50;
const CONNECT_LIMIT_MS = 5_000;
/** A connection on which an answer is overdue for so long is given up, before the call is (deadline.ts): the next call has a new one. */
const SILENT_MS = 8_000;

/**
 * A script is never sent twice by the client: what was on its way when the connection ended has an unknown fate, which only the caller may
 * resolve (L20), and what comes while there is no connection was not executed. By default ioredis does both by itself.
 */
export function connectRedis(options: RedisOptions, onError: (error: Error) => void): Redis {
  const redis = new Redis({
    socketTimeout: SILENT_MS,
    ...options,
    // Of the two protocols the older is the one that every server speaks, and the scripts' replies are the same in both.
    protocol: 2,
    replyMapping: 'legacy',
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    enableOfflineQueue: false,
    reconnectOnError: null,
    retryStrategy: (times) => Math.min(times * RECONNECT_STEP_MS, RECONNECT_MOST_MS),
    connectTimeout: CONNECT_LIMIT_MS,
    lazyConnect: true,
  });
  redis.on('error', onError);
  return redis;
}

/** A client that could not connect would go on trying by itself. What `connect` rejects with does not say why; the client says it apart. */
export async function connected(redis: Redis): Promise<void> {
  let why: Error | null = null;
  const onError = (error: Error): void => {
    why ??= error;
  };
  redis.on('error', onError);
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw storeFailure(why ?? error);
  } finally {
    redis.off('error', onError);
  }
}
