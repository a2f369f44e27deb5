import type { Redis, RedisOptions } from 'ioredis';
import { RolloutError } from '../../base/errors.ts';
import { addressText, type ServerAddress } from '../../model/redis-url.ts';
import { askServer } from './ask-server.ts';
import { isServerWord } from './client-error.ts';
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
    const silent: ServerAddress[] = [];
    for (const seed of inTurn()) {
      const found = await askServer(options, seed, (node) => slotOwner(node, seed, runId)).catch(() => null);
      if (found === null) silent.push(seed);
      else if (!found.isAlone) return found.address;
      else if (seeds.length === 1) {
        alone = found.address;
        return alone;
      }
    }
    // A node that was made anew is by itself while the others are a Cluster: only all of them together say that there is none.
    const [first] = silent;
    if (first === undefined) throw severalServers(seeds[0] as ServerAddress);
    return first;
  };
}

/** Null: this node cannot say now. Rejects where it says nothing. */
async function slotOwner(
  node: Redis,
  seed: ServerAddress,
  runId: string,
): Promise<{ readonly address: ServerAddress; readonly isAlone: boolean } | null> {
  const info = node.info('cluster').catch(() => '');
  const said = await node.hget(keyOf(runId, 'head'), '').then(
    () => '',
    (error: Error) => {
      if (!isServerWord(error)) throw error;
      return error.message;
    },
  );
  if (isUnsure(said)) return null;
  const isAlone = fieldsOf(await info).get('cluster_enabled') === '0';
  return { address: redirected(said, seed) ?? seed, isAlone };
}

/**
 * As clients of Sentinel do: ask one after the other, and believe only a server that says itself that it is the primary. One that says nothing
 * is met by the connection, unless a Sentinel names another: the first to be asked may be behind.
 */
function sentinelFinder(options: RedisOptions, group: SentinelGroup): FindPrimary {
  const inTurn = turns(group.sentinels);
  return async () => {
    const troubles: Error[] = [];
    let silent: ServerAddress | null = null;
    for (const sentinel of inTurn()) {
      const found = await foundBy(options, group, sentinel).catch((error: Error) => error);
      if (found instanceof Error) troubles.push(found);
      else if (!found.isSilent) return found.address;
      else silent ??= found.address;
    }
    if (silent !== null) return silent;
    throw nowhereBy(troubles);
  };
}

/** Rejects where this Sentinel names none. */
async function foundBy(
  options: RedisOptions,
  group: SentinelGroup,
  sentinel: ServerAddress,
): Promise<{ readonly address: ServerAddress; readonly isSilent: boolean }> {
  const address = await namedPrimary(group, sentinel);
  const role = await roleOf(options, address);
  if (role === 'replica') throw stillReplica(address, sentinel);
  return { address, isSilent: role === 'silent' };
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

/** A server that refuses this user, or this question, is met by the connection itself. */
async function roleOf(options: RedisOptions, address: ServerAddress): Promise<'primary' | 'replica' | 'silent'> {
  try {
    const info = await askServer(options, address, (server) => server.info('replication'));
    return fieldsOf(info).get('role') === 'slave' ? 'replica' : 'primary';
  } catch (error) {
    return isServerWord(error as Error) ? 'primary' : 'silent';
  }
}

/**
 * What a Sentinel or a server says weighs more than that others do not answer. That a Sentinel knows no such group is believed where all of
 * them say so: one that was started anew knows none.
 */
function nowhereBy(troubles: readonly Error[]): Error {
  return troubles.find(isServerWord) ?? troubles.find((error) => !(error instanceof RolloutError)) ?? (troubles[0] as Error);
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
