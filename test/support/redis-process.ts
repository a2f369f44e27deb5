import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, stat, truncate } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis, type RedisOptions } from 'ioredis';
import { until } from './until.ts';

const START_MS = 30_000;

/** Of this process, which may end before it has stopped them. */
const living = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** The program of servers and Sentinels: another one, such as valkey-server, where the environment names it. */
export const REDIS_SERVER: string = process.env['ROLLOUT_TEST_REDIS_SERVER'] ?? 'redis-server';

/** It does not outlive the process that started it. */
export function endingWithUs(child: ChildProcess): ChildProcess {
  living.add(child);
  child.once('exit', () => living.delete(child));
  return child;
}

/** More of the command line, which overrides what is set here. */
export type RedisSettings = readonly string[] | ((port: number) => readonly string[]);

/** A redis-server on a port and in a directory of its own: every reply is on disk. */
export class RedisProcess {
  readonly port: number;
  readonly #dir: string;
  readonly #settings: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #clients: Redis[] = [];
  #child: ChildProcess | null = null;

  constructor(port: number, settings: RedisSettings = [], env: Readonly<Record<string, string>> = {}) {
    this.port = port;
    this.#dir = mkdtempSync(join(tmpdir(), 'rollout-redis-'));
    this.#settings = typeof settings === 'function' ? settings(port) : settings;
    this.#env = env;
  }

  /** With what it has on disk, the first time or again; once it takes connections, which is before it has read that. */
  async start(more: readonly string[] = []): Promise<void> {
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--dir', this.#dir];
    const child = spawn(REDIS_SERVER, ['--port', String(this.port), '--bind', '127.0.0.1', ...durable, ...this.#settings, ...more], {
      stdio: 'ignore',
      env: { ...process.env, ...this.#env },
    });
    this.#child = endingWithUs(child);
    await until('redis-server answers', START_MS, async () => {
      if (hasEnded(child)) throw new Error(`redis-server on port ${this.port} ended before it answered`);
      const probe = connect(this.port, '127.0.0.1');
      try {
        await once(probe, 'connect');
        return true;
      } catch {
        return false;
      } finally {
        probe.destroy();
      }
    });
  }

  /** To look at the server, or to do something to it. */
  client(more: RedisOptions = {}, port: number = this.port): Redis {
    const client = new Redis(port, '127.0.0.1', more as { readonly db?: number });
    // While the server is away the client goes on trying.
    client.on('error', () => undefined);
    this.#clients.push(client);
    return client;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  /** Of a server that was killed: the end of what it wrote never came to the disk, as after a loss of power. */
  async loseTail(bytes: number): Promise<void> {
    const dir = join(this.#dir, 'appendonlydir');
    const name = (await readdir(dir)).filter((one) => one.endsWith('.incr.aof')).toSorted()[0] ?? '';
    const file = join(dir, name);
    await truncate(file, Math.max(0, (await stat(file)).size - bytes));
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || hasEnded(child)) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    await this.kill();
    rmSync(this.#dir, { recursive: true, force: true, maxRetries: 5 });
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}
