import { freePort } from '../../test/support/free-port.ts';
import { RedisProcess } from '../../test/support/redis-process.ts';

/** A real redis-server of the bench's own: everything that it answers is on disk. */
export async function startRedis(): Promise<RedisProcess> {
  const server = new RedisProcess(await freePort());
  await server.start();
  return server;
}
