import type { Redis, RedisOptions } from 'ioredis';
import type { Random } from '../../base/random.ts';
import type { Ledger } from '../contract.ts';
import { connectRedis } from './connection.ts';
import { storeFailure } from './failure.ts';
import { itemVerbs } from './item-verbs.ts';
import { leaseVerbs } from './lease.ts';
import { readBits, readProgress, readTallies, scanStored } from './reads.ts';
import { runVerbs } from './run-verbs.ts';
import { Session } from './session.ts';

export interface RedisLedgerOptions {
  readonly runId: string;
  readonly redis: RedisOptions;
  readonly random: Random;
  /** The connection was lost or refused; it is tried again. For the log. */
  readonly onError: (error: Error) => void;
}

/** The ledger of one run on a Redis server (SPEC.md). Rejects where the server cannot be reached at all. */
export async function openRedisLedger({ runId, redis: options, random, onError }: RedisLedgerOptions): Promise<Ledger> {
  const redis = connectRedis(options, onError);
  const session = new Session(redis, runId);
  await connected(redis);
  return {
    ...leaseVerbs(session, random),
    ...itemVerbs(session),
    ...runVerbs(session),
    scan: (epoch) => scanStored(session, epoch),
    progress: () => readProgress(redis, runId),
    bits: (from, count) => readBits(session, from, count),
    tallies: () => readTallies(redis, runId),
    dispose: async () => redis.disconnect(),
  };
}

/** A client that could not connect would go on trying by itself. What `connect` rejects with does not say why; the client says it apart. */
async function connected(redis: Redis): Promise<void> {
  let why: Error | null = null;
  const onError = (error: Error): void => {
    why ??= error;
  };
  redis.on('error', onError);
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    throw storeFailure(why ?? error);
  } finally {
    redis.off('error', onError);
  }
}
