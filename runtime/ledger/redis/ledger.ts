import type { Random } from '../../base/random.ts';
import type { Ledger } from '../contract.ts';
import type { Limits } from '../deadline.ts';
import { Connection } from './connection.ts';
import { itemVerbs } from './item-verbs.ts';
import { leaseVerbs } from './lease.ts';
import type { ServerOptions } from './primary.ts';
import { readBits, readProgress, readTallies, scanStored } from './reads.ts';
import { runVerbs } from './run-verbs.ts';
import { Session } from './session.ts';

export interface RedisLedgerOptions {
  readonly runId: string;
  readonly redis: ServerOptions;
  readonly random: Random;
  /** How long after its end the keys of a finished run are kept; for ever where it is not said, or 0. */
  readonly expireAfterMs?: number;
  /** The connection was lost or refused; it is tried again. For the log. */
  readonly onError: (error: Error) => void;
  /** The server that has the run, once there is a connection to it, and another one after a fail-over. For the log. */
  readonly onServer?: (server: string) => void;
}

const LONG_MS = 120_000;
/** They read or change as much as the run is long, in many round trips; each of these is limited by itself (connection.ts). */
export const REDIS_LIMITS: Limits = { scan: LONG_MS, bits: LONG_MS, reopen: LONG_MS };

/** A run on a Redis server, as one caller uses it. */
export interface RedisRun {
  readonly ledger: Ledger;
  /** Of the same connection, for what else of the run is kept on the server. It lives as long as the ledger. */
  readonly session: Session;
}

/** The ledger of one run on a Redis server (SPEC.md). Rejects where the server cannot be reached at all, or no primary is found. */
export async function openRedisLedger(options: RedisLedgerOptions): Promise<Ledger> {
  return (await openRedisRun(options)).ledger;
}

export async function openRedisRun(run: RedisLedgerOptions): Promise<RedisRun> {
  const { runId, redis: options, random, expireAfterMs = 0, onError, onServer = () => undefined } = run;
  const connection = new Connection(options, onError, runId);
  const session = new Session(connection, runId);
  let server = '';
  connection.on('ready', () => {
    if (connection.server !== server) onServer(connection.server);
    server = connection.server;
  });
  await connection.open();
  const ledger: Ledger = {
    ...leaseVerbs(session, random),
    ...itemVerbs(session),
    ...runVerbs(session, expireAfterMs),
    scan: (epoch) => scanStored(session, epoch),
    progress: () => readProgress(session),
    bits: (from, count) => readBits(session, from, count),
    tallies: () => readTallies(session),
    dispose: async () => connection.disconnect(),
  };
  return { ledger, session };
}
