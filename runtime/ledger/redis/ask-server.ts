import { Redis, type RedisOptions } from 'ioredis';
import { systemClock } from '../../base/clock.ts';
import { inTime } from '../../base/in-time.ts';
import type { ServerAddress } from '../../model/redis-url.ts';
import { plainError } from './client-error.ts';

/** Who looks for the primary asks the next server when one keeps silent. */
const ASK_LIMIT_MS = 2_000;
/** Within that, so that it is told where there was no connection. */
const CONNECT_LIMIT_MS = 1_500;

const LIMITED: RedisOptions = {
  connectTimeout: CONNECT_LIMIT_MS,
  disableClientInfo: true,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
  enableOfflineQueue: false,
  enableReadyCheck: false,
  lazyConnect: true,
};

/** Asks one server on a connection of its own, which ends with the answer. Rejects with what ended the connection, where one did. */
export async function askServer<T>(
  { username, password, tls }: RedisOptions,
  address: ServerAddress,
  ask: (server: Redis) => Promise<T>,
): Promise<T> {
  const dialed: RedisOptions = {
    ...LIMITED,
    ...address,
    ...(username && { username }),
    ...(password && { password }),
    ...(tls && { tls: { ...tls, ...serverName(address) } }),
  };
  const server = new Redis({ ...dialed, protocol: 2, replyMapping: 'legacy' });
  let trouble: Error | null = null;
  server.on('error', (error: Error) => {
    trouble ??= plainError(error);
  });
  const asked = server.connect().then(() => ask(server));
  try {
    if (await inTime(systemClock, ASK_LIMIT_MS, asked)) return await asked;
    // In the words of the client for a connection that keeps silent.
    throw new Error(`Socket timeout: no answer within ${ASK_LIMIT_MS} ms`);
  } catch (error) {
    throw trouble ?? plainError(error);
  } finally {
    server.disconnect();
  }
}

/** A server is asked for by the name that its certificate has; an address is none (SNI). */
export function serverName({ host }: ServerAddress): { readonly servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host };
}
