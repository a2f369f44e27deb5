import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, stat, truncate } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import type { RedisOptions } from 'ioredis';
import { seededRandom } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { openRedisLedger } from '../../runtime/ledger/redis/ledger.ts';
import { until } from './until.ts';

const START_MS = 30_000;

/** A redis-server of a test's own, in a directory of its own: every reply is on disk. */
export class RedisServer {
  readonly port: number;
  readonly #dir: string;
  readonly #settings: readonly string[];
  #child: ChildProcess | null = null;

  private constructor(port: number, dir: string, settings: readonly string[]) {
    this.port = port;
    this.#dir = dir;
    this.#settings = settings;
  }

  /** `settings`: more of the command line, which overrides what is set here. */
  static async start(dir: string, settings: readonly string[] | ((port: number) => readonly string[]) = []): Promise<RedisServer> {
    const port = await freePort();
    const server = new RedisServer(port, dir, typeof settings === 'function' ? settings(port) : settings);
    await server.restart();
    return server;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  get options(): RedisOptions {
    return { host: '127.0.0.1', port: this.port };
  }

  /** With what it has on disk. */
  async restart(): Promise<void> {
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', '', '--dir', this.#dir];
    const child = spawn('redis-server', ['--port', String(this.port), '--bind', '127.0.0.1', ...durable, ...this.#settings], {
      stdio: 'ignore',
    });
    this.#child = child;
    await until('redis-server answers', START_MS, async () => {
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

  /** A ledger of the run, disposed of by the caller. */
  open(runId: string, more: RedisOptions = {}): Promise<Ledger> {
    return openRedisLedger({ runId, redis: { ...this.options, ...more }, random: seededRandom(1), onError: () => undefined });
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
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('a port has no number');
  return address.port;
}
