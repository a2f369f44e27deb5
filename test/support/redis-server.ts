import type { ExecutionContext, TestFn } from 'ava';
import type { RedisOptions } from 'ioredis';
import { seededRandom } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { openRedisRun, type RedisRun } from '../../runtime/ledger/redis/ledger.ts';
import type { RedisStore } from '../../runtime/model/store.ts';
import { freePort } from './free-port.ts';
import { RedisProcess, type RedisSettings } from './redis-process.ts';
import { redisStore } from './redis-store.ts';
import { PATIENCE_MS } from './until.ts';

/** A redis-server of one test. */
export async function redisServer(
  t: ExecutionContext,
  settings: RedisSettings = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RedisServer> {
  const server = new RedisServer(await freePort(), settings, env);
  t.teardown(() => server.remove());
  await server.start();
  return server;
}

/** A redis-server that all tests of a file share. */
export async function redisServerOf(test: TestFn, settings: RedisSettings = []): Promise<RedisServer> {
  const server = new RedisServer(await freePort(), settings);
  await server.start();
  // AVA takes the first word to it for the first of all tests, which come without a pause.
  test.after.always(() => server.remove());
  return server;
}

export class RedisServer extends RedisProcess {
  #runs = 0;

  get url(): string {
    return this.store().url;
  }

  get options(): { readonly host: string; readonly port: number } {
    return { host: '127.0.0.1', port: this.port };
  }

  /** As settings name it. */
  store(port: number = this.port): RedisStore {
    return redisStore(`redis://127.0.0.1:${port}`);
  }

  /** All that it has answered is at so many replicas, too. */
  async replicated(replicas: number): Promise<void> {
    await this.client().wait(replicas, PATIENCE_MS);
  }

  /** Writes from now on are not at the replicas, which are stopped and have no connection. */
  async cutOff(replicas: readonly RedisServer[]): Promise<void> {
    for (const one of replicas) one.signal('SIGSTOP');
    await this.client().call('CLIENT', 'KILL', 'TYPE', 'replica');
  }

  /** A run of which the server has nothing yet. */
  newRun(): string {
    this.#runs += 1;
    return `run-${this.#runs}`;
  }

  /** A ledger of the run, disposed of by the caller. */
  async open(runId: string, more: RedisOptions = {}): Promise<Ledger> {
    return (await this.openRun(runId, more)).ledger;
  }

  /** The ledger is disposed of by the caller. */
  openRun(runId: string, more: RedisOptions = {}): Promise<RedisRun> {
    return openRedisRun({ runId, redis: { ...this.options, ...more }, random: seededRandom(1), onError: () => undefined });
  }
}
