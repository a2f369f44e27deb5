import type { Redis, RedisOptions } from 'ioredis';
import { RolloutError } from '../../base/errors.ts';
import { addressText, type ServerAddress } from '../../model/redis-url.ts';
import { askServer } from './ask-server.ts';
import type { FindPrimary } from './connector.ts';
import { fieldsOf } from './findings.ts';
import { keyOf } from './keys.ts';
import { isUnsure, redirected } from './redirection.ts';

/** How the servers of a run are reached: as the client of the library is told, and where one begins to look for the primary. */
export interface ServerOptions extends RedisOptions {
  /** Of one server, or nodes of one Cluster. Where nothing is said, the server is at `host` and `port`. */
  readonly seeds?: readonly ServerAddress[];
  /** Sentinels, which know where the primary of a group is. */
  readonly sentinel?: SentinelGroup;
}

export interface SentinelGroup {
  readonly sentinels: readonly ServerAddress[];
  readonly name: string;
  /** How Sentinels are reached: they have a password of their own. */
  readonly options: RedisOptions;
}

/** Null: the server is where the options say. */
export function primaryFinder(options: ServerOptions, runId: string): FindPrimary | null {
  if (options.sentinel !== undefined) return sentinelFinder(options, options.sentinel);
  return options.seeds === undefined ? null : seedFinder(options, options.seeds, runId);
}

/**
 * A server by itself, or the node of a Cluster that has the slot of the run: a node is asked for a key of the run, and another than that one
 * says where it is. What else is wrong with a server shows when it is used.
 */
function seedFinder(options: RedisOptions, seeds: readonly ServerAddress[], runId: string): FindPrimary {
  const inTurn = turns(seeds);
  let alone: ServerAddress | null = null;
  return async () => {
    if (alone !== null) return alone;
    const tried = inTurn();
    for (const seed of tried) {
      const found = await askServer(options, seed, (node) => slotOwner(node, seed, runId)).catch(() => null);
      if (found === null) continue;
      if (found.isAlone && seeds.length > 1) throw severalServers(seed);
      if (found.isAlone) alone = found.address;
      return found.address;
    }
    return tried[0] as ServerAddress;
  };
}

/** Null: this node cannot say now. */
async function slotOwner(
  node: Redis,
  seed: ServerAddress,
  runId: string,
): Promise<{ readonly address: ServerAddress; readonly isAlone: boolean } | null> {
  const info = node.info('cluster').catch(() => '');
  const said = await node.hget(keyOf(runId, 'head'), '').then(
    () => '',
    (error: Error) => error.message,
  );
  if (isUnsure(said)) return null;
  const isAlone = fieldsOf(await info).get('cluster_enabled') === '0';
  return { address: redirected(said, seed) ?? seed, isAlone };
}

/** As clients of Sentinel do: ask one after the other, and believe only a server that says itself that it is the primary. */
function sentinelFinder(options: RedisOptions, group: SentinelGroup): FindPrimary {
  const inTurn = turns(group.sentinels);
  return async () => {
    const troubles: Error[] = [];
    for (const sentinel of inTurn()) {
      const named = await namedPrimary(group, sentinel).catch((error: Error) => error);
      if (named instanceof Error) troubles.push(named);
      else if (await isReplica(options, named)) troubles.push(stillReplica(named, sentinel));
      else return named;
    }
    throw nowhereBy(troubles);
  };
}

async function namedPrimary({ name, options }: SentinelGroup, sentinel: ServerAddress): Promise<ServerAddress> {
  const at = `Sentinel ${addressText(sentinel)}`;
  const named = await askServer(options, sentinel, (server) => server.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name)).catch(
    (error: Error) => {
      error.message = `${error.message} (${at})`;
      throw error;
    },
  );
  const [host, port] = (named ?? []) as readonly string[];
  if (host === undefined) throw unknownGroup(name, at);
  return { host, port: Number(port) };
}

/** A server that gives no answer, or is not asked, is met by the connection itself. */
async function isReplica(options: RedisOptions, address: ServerAddress): Promise<boolean> {
  const info = await askServer(options, address, (server) => server.info('replication')).catch(() => '');
  return fieldsOf(info).get('role') === 'slave';
}

/** What a Sentinel or a server says weighs more than that others do not answer; that it knows no such group, less than what may pass. */
function nowhereBy(troubles: readonly Error[]): Error {
  const said = troubles.filter(({ message }) => /^[A-Z]+ /.test(message));
  return said[0] ?? troubles.find((error) => error instanceof RolloutError) ?? (troubles[0] as Error);
}

function stillReplica(named: ServerAddress, sentinel: ServerAddress): Error {
  return new Error(`READONLY ${addressText(named)} is a replica, and Sentinel ${addressText(sentinel)} names it as the primary`);
}

function unknownGroup(name: string, at: string): RolloutError {
  return new RolloutError(
    'STORE_UNFIT',
    `the ${at} watches no group of the name ${name}: give the name that SENTINEL MASTERS says there, at the end of the URL`,
  );
}

function severalServers(seed: ServerAddress): RolloutError {
  return new RolloutError(
    'STORE_UNFIT',
    `the URL names several Redis servers, and ${addressText(seed)} is a server by itself: name that one alone, or the Sentinels that watch it (redis+sentinel://), or the nodes of a Cluster`,
  );
}

/** Each time another one is first, so that one that is behind, or says nothing, is not always the first to be asked. */
function turns<T>(all: readonly T[]): () => readonly T[] {
  let first = -1;
  return () => {
    first = (first + 1) % all.length;
    return [...all.slice(first), ...all.slice(0, first)];
  };
}
