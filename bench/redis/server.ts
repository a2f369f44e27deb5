import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { Redis } from 'ioredis';

export interface RedisServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** A real redis-server of the bench's own: everything that it answers is on disk. */
export async function startRedis(dir: string): Promise<RedisServer> {
  const port = await freePort();
  const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--dir', dir];
  const server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', ...durable], { stdio: 'ignore' });
  const failed = once(server, 'exit').then(() => {
    throw new Error('redis-server ended before it answered');
  });
  // Tries again until the server answers.
  const client = new Redis({ host: '127.0.0.1', port, maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  await Promise.race([client.ping(), failed]);
  failed.catch(() => undefined);
  client.disconnect();
  return {
    port,
    stop: async () => {
      server.kill('SIGTERM');
      await once(server, 'exit');
    },
  };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('a port has no number');
  return address.port;
}
