import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ExecutionContext, TestFn } from 'ava';
import { assert } from '../../runtime/base/assert.ts';
import { seededRandom } from '../../runtime/base/random.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { keyOf, keysOf } from '../../runtime/ledger/redis/keys.ts';
import { openRedisLedger } from '../../runtime/ledger/redis/ledger.ts';
import type { ServerOptions } from '../../runtime/ledger/redis/primary.ts';
import { redisTarget } from '../../runtime/model/redis-url.ts';
import { freePort } from './free-port.ts';
import { RedisServer } from './redis-server.ts';
import { until } from './until.ts';

const run = promisify(execFile);
const FORM_MS = 60_000;
const MIGRATE_MS = 5_000;
const PRIMARIES = 3;
/** Of the keys of a run. */
export const ALL: number = Number.POSITIVE_INFINITY;

interface ClusterOptions {
  /** For each primary. */
  readonly replicas?: 0 | 1;
  readonly settings?: readonly string[];
  /** Settings under which each node speaks TLS, too, on a port of its own. */
  readonly tls?: readonly string[];
}

/** A Redis Cluster of one test. */
export async function redisCluster(t: ExecutionContext, options: ClusterOptions = {}): Promise<RedisCluster> {
  const cluster = new RedisCluster();
  t.teardown(() => cluster.remove());
  await cluster.start(options);
  return cluster;
}

/** A Redis Cluster that all tests of a file share. */
export async function redisClusterOf(test: TestFn, options: ClusterOptions = {}): Promise<RedisCluster> {
  const cluster = new RedisCluster();
  await cluster.start(options);
  test.after.always(() => cluster.remove());
  return cluster;
}

/** Three primaries and, where that is asked for, replicas of them. */
export class RedisCluster {
  readonly nodes: RedisServer[] = [];
  readonly tlsPorts: number[] = [];

  async start({ replicas = 0, settings = [], tls }: ClusterOptions): Promise<void> {
    const addresses: string[] = [];
    for (let n = 0; n < PRIMARIES * (1 + replicas); n += 1) {
      // A node that is silent for so long is taken for dead.
      const own = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1500', '--cluster-port', String(await freePort())];
      const node = new RedisServer(await freePort(), [...own, ...settings, ...(await this.#tlsSettings(tls))]);
      this.nodes.push(node);
      await node.start();
      addresses.push(`127.0.0.1:${node.port}@${own.at(-1)}`);
    }
    await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-replicas', String(replicas), '--cluster-yes']);
    await until('each node sees the Cluster whole', FORM_MS, () => this.#isWhole(replicas));
  }

  /** Names the nodes that were primaries at first. */
  get url(): string {
    const hosts = this.nodes.slice(0, PRIMARIES).map(({ port }) => `127.0.0.1:${port}`);
    return `redis://${hosts.join(',')}`;
  }

  get options(): ServerOptions {
    return { seeds: redisTarget(this.url).servers };
  }

  /** A ledger of the run, disposed of by the caller. */
  open(runId: string, more: Partial<ServerOptions> = {}): Promise<Ledger> {
    const redis = { ...this.options, ...more };
    return openRedisLedger({ runId, redis, random: seededRandom(1), onError: () => undefined });
  }

  newRun(): string {
    return this.nodes[0]?.newRun() ?? '';
  }

  /** The node that has the slot of the run, as the first of those that run sees it. */
  async ownerOf(runId: string): Promise<RedisServer> {
    for (const node of this.nodes) {
      const said = await asked(node, 'HGET', keyOf(runId, 'head'), '').then(
        () => '',
        (error: Error) => error.message,
      );
      const port = /^MOVED \d+ .*:(\d+)$/.exec(said)?.[1] ?? (said === '' ? String(node.port) : undefined);
      if (port !== undefined) return this.#at(Number(port));
    }
    throw new Error(`no node has ${runId}`);
  }

  /** Another primary. */
  otherThan(owner: RedisServer): RedisServer {
    const other = this.nodes.slice(0, PRIMARIES).find((node) => node !== owner);
    assert(other !== undefined, 'there are several nodes');
    return other;
  }

  async replicaOf(owner: RedisServer): Promise<RedisServer> {
    const [, port] = /slave0:ip=[^,]*,port=(\d+)/.exec(String(await asked(owner, 'INFO', 'replication'))) ?? [];
    return this.#at(Number(port));
  }

  /** The slot of the run is on its way from one node to the other; the first `keys` of its keys are there. */
  async beginMove(runId: string, from: RedisServer, to: RedisServer, keys: number): Promise<void> {
    const slot = await slotOf(from, runId);
    await asked(to, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', await idOf(from));
    await asked(from, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', await idOf(to));
    await migrate(runId, from, to, keys);
  }

  /** The node to which it was on its way has the slot, and all keys of the run. */
  async endMove(runId: string, from: RedisServer, to: RedisServer): Promise<void> {
    await migrate(runId, from, to, ALL);
    const [slot, id] = [await slotOf(from, runId), await idOf(to)];
    for (const node of [to, from, ...this.nodes.filter((one) => one !== to && one !== from)])
      await asked(node, 'CLUSTER', 'SETSLOT', slot, 'NODE', id);
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.remove()));
  }

  async #tlsSettings(tls: ClusterOptions['tls']): Promise<readonly string[]> {
    if (tls === undefined) return [];
    const port = await freePort();
    this.tlsPorts.push(port);
    return ['--tls-port', String(port), '--tls-cluster', 'yes', ...tls];
  }

  async #isWhole(replicas: number): Promise<boolean> {
    const seen = await Promise.all(
      this.nodes.map(async (node) => String([await asked(node, 'CLUSTER', 'INFO'), await asked(node, 'INFO', 'replication')])),
    );
    const synced = seen.filter((info) => info.includes('master_link_status:up')).length;
    return seen.every((info) => info.includes('cluster_state:ok')) && synced === PRIMARIES * replicas;
  }

  #at(port: number): RedisServer {
    const node = this.nodes.find((one) => one.port === port);
    assert(node !== undefined, `a node on port ${port}`);
    return node;
  }
}

async function asked(node: RedisServer, ...words: readonly (string | number)[]): Promise<unknown> {
  const client = node.client({ retryStrategy: () => null, maxRetriesPerRequest: 0 });
  const [command = '', ...args] = words.map(String);
  try {
    return await client.call(command, ...args);
  } finally {
    client.disconnect();
  }
}

async function migrate(runId: string, from: RedisServer, to: RedisServer, keys: number): Promise<void> {
  for (const key of keysOf(runId).slice(0, keys)) await asked(from, 'MIGRATE', '127.0.0.1', to.port, key, 0, MIGRATE_MS);
}

async function slotOf(node: RedisServer, runId: string): Promise<number> {
  return Number(await asked(node, 'CLUSTER', 'KEYSLOT', keyOf(runId, 'head')));
}

async function idOf(node: RedisServer): Promise<string> {
  return String(await asked(node, 'CLUSTER', 'MYID'));
}
