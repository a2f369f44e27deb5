import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { Redis } from 'ioredis';
import { assert } from '../../runtime/base/assert.ts';
import { seededRandom } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { openRedisLedger } from '../../runtime/ledger/redis/ledger.ts';
import { redisOptions } from '../../runtime/ledger/redis/options.ts';
import type { RedisStore } from '../../runtime/model/store.ts';
import { freePort } from './free-port.ts';
import { endingWithUs, REDIS_SERVER } from './redis-process.ts';
import { RedisServer } from './redis-server.ts';
import { redisStore } from './redis-store.ts';
import { until } from './until.ts';

export const GROUP = 'main';
const SENTINELS = 3;
const QUORUM = 2;
/** A server that is silent for so long is taken for dead. */
const DOWN_MS = 1_000;
const READY_MS = 60_000;

interface GroupOptions {
  /** Of the servers; the Sentinels have one of their own. */
  readonly password?: string;
  readonly sentinelPassword?: string;
  /** Further lines of the Sentinels' configuration. */
  readonly sentinelLines?: readonly string[];
  readonly replicas?: number;
}

/** A primary with its replicas, and three Sentinels that watch it. */
export async function redisSentinels(t: ExecutionContext, options: GroupOptions = {}): Promise<RedisSentinels> {
  const group = new RedisSentinels(await mkdtemp(join(tmpdir(), 'rollout-sentinel-')));
  t.teardown(() => group.remove());
  await group.start(options);
  return group;
}

export class RedisSentinels {
  readonly servers: RedisServer[] = [];
  readonly ports: number[] = [];
  readonly #dir: string;
  readonly #children: ChildProcess[] = [];
  #password = '';
  #sentinelPassword = '';
  #sentinelLines: readonly string[] = [];

  constructor(dir: string) {
    this.#dir = dir;
  }

  async start({ password = '', sentinelPassword = '', sentinelLines = [], replicas = 2 }: GroupOptions): Promise<void> {
    [this.#password, this.#sentinelPassword, this.#sentinelLines] = [password, sentinelPassword, sentinelLines];
    const settings = password === '' ? [] : ['--requirepass', password, '--masterauth', password];
    for (let n = 0; n <= replicas; n += 1) {
      const [primary] = this.servers;
      const following = primary === undefined ? [] : ['--replicaof', '127.0.0.1', String(primary.port)];
      const server = new RedisServer(await freePort(), [...settings, ...following]);
      this.servers.push(server);
      await server.start();
    }
    await until('the replicas follow', READY_MS, async () => (await this.#syncedReplicas()) === replicas);
    for (let n = 0; n < SENTINELS; n += 1) await this.#addSentinel(n);
    await until('the Sentinels know each other and the replicas', READY_MS, async () => {
      const seen = await Promise.all(this.ports.map((port) => this.#sentinelWords(port, 'MASTER', GROUP)));
      return seen.every((one) => one.get('num-slaves') === String(replicas) && one.get('num-other-sentinels') === String(SENTINELS - 1));
    });
  }

  async #addSentinel(n: number): Promise<void> {
    const port = await freePort();
    const [primary] = this.servers;
    assert(primary !== undefined, 'a primary');
    const [password, own] = [this.#password, this.#sentinelPassword];
    const secrets = [
      ...(password === '' ? [] : [`sentinel auth-pass ${GROUP} ${password}`]),
      ...(own === '' ? [] : [`requirepass ${own}`, `sentinel sentinel-pass ${own}`]),
    ];
    await writeFile(
      this.#configOf(n),
      [
        `port ${port}`,
        'bind 127.0.0.1',
        `dir ${this.#dir}`,
        `sentinel monitor ${GROUP} 127.0.0.1 ${primary.port} ${QUORUM}`,
        `sentinel down-after-milliseconds ${GROUP} ${DOWN_MS}`,
        `sentinel failover-timeout ${GROUP} 5000`,
        ...secrets,
        ...this.#sentinelLines,
      ].join('\n'),
    );
    this.ports.push(port);
    this.startSentinel(n);
  }

  /** Again, with what it knew; or for the first time. */
  startSentinel(n: number): void {
    this.#children[n] = endingWithUs(spawn(REDIS_SERVER, [this.#configOf(n), '--sentinel'], { stdio: 'ignore' }));
  }

  #configOf(n: number): string {
    return join(this.#dir, `sentinel-${n}.conf`);
  }

  get url(): string {
    return `redis+sentinel://${this.ports.map((port) => `127.0.0.1:${port}`).join(',')}/${GROUP}`;
  }

  /** A ledger of the run, disposed of by the caller. */
  async open(runId: string, env: Readonly<Record<string, string>> = {}, more: Partial<RedisStore> = {}): Promise<Ledger> {
    const redis = await redisOptions({ ...redisStore(this.url), ...more }, env);
    return openRedisLedger({ runId, redis, random: seededRandom(1), onError: () => undefined });
  }

  /** As the Sentinels say; the first of them that runs is asked. */
  async primary(): Promise<RedisServer> {
    const words = await this.#asked(this.ports.at(-1) ?? 0, 'GET-MASTER-ADDR-BY-NAME', GROUP);
    const server = this.servers.find(({ port }) => String(port) === words[1]);
    assert(server !== undefined, 'the primary of the group');
    return server;
  }

  /** All that the primary has answered is at its replicas, too. */
  async replicated(): Promise<void> {
    await this.servers[0]?.replicated(this.servers.length - 1);
  }

  /** The Sentinels are told that another server is the primary. */
  async watch({ port }: RedisServer): Promise<void> {
    for (const sentinel of this.ports) await this.nameElsewhere(sentinel, port);
  }

  /** One Sentinel is told so. */
  async nameElsewhere(sentinel: number, port: number): Promise<void> {
    await this.#asked(sentinel, 'REMOVE', GROUP).catch(() => []);
    await this.#asked(sentinel, 'MONITOR', GROUP, '127.0.0.1', String(port), String(QUORUM));
  }

  /** As after a start without their configuration. */
  async forget(): Promise<void> {
    for (const sentinel of this.ports) await this.#asked(sentinel, 'REMOVE', GROUP);
  }

  /** As an operator asks for it. */
  async failOver(): Promise<void> {
    await this.#asked(this.ports.at(-1) ?? 0, 'FAILOVER', GROUP);
  }

  async killSentinel(n: number): Promise<void> {
    const child = this.#children[n];
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#children.map((_, n) => this.killSentinel(n)));
    await Promise.all(this.servers.map((server) => server.remove()));
    await rm(this.#dir, { recursive: true, force: true });
  }

  async #syncedReplicas(): Promise<number> {
    const client = this.servers[0]?.client({ password: this.#password });
    const info = String(await client?.info('replication'));
    client?.disconnect();
    return [...info.matchAll(/state=online/g)].length;
  }

  async #sentinelWords(port: number, ...words: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const flat = await this.#asked(port, ...words).catch(() => []);
    return new Map(flat.flatMap((name, n) => (n % 2 === 0 ? [[name, flat[n + 1] ?? ''] as const] : [])));
  }

  async #asked(port: number, ...words: readonly string[]): Promise<readonly string[]> {
    const client = new Redis(port, '127.0.0.1', { password: this.#sentinelPassword, retryStrategy: () => null, lazyConnect: true });
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.call('SENTINEL', ...words)) as readonly string[];
    } finally {
      client.disconnect();
    }
  }
}
