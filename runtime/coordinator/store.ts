import { assertNever } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { isProcessDead, isProcessDeadOnThisBoot, type ProcessIdentity } from '../base/process/process-identity.ts';
import type { Random } from '../base/random.ts';
import type { Ledger } from '../ledger/contract.ts';
import type { Limits } from '../ledger/deadline.ts';
import { EMBEDDED_LIMITS, openEmbeddedLedger } from '../ledger/embedded/ledger.ts';
import type { RedisStore } from '../model/store.ts';
import { statePaths } from '../run-dir/paths.ts';
import { untilAnswered } from './perform/ledger-writer.ts';
import type { StoreTrouble } from './perform/store-trouble.ts';
import type { CoordinatorSettings } from './settings.ts';

/** The ledger of the run, and what its kind of store can say of other processes. */
export interface OpenStore {
  readonly ledger: Ledger;
  readonly limits: Limits;
  /** True only when certain; where machines share the store, one cannot tell for another. */
  readonly isDead: (process: ProcessIdentity) => Promise<boolean>;
  /** The process that had to be killed for the lease; null nearly always. */
  readonly killedPid: () => number | null;
}

export interface StoreOptions {
  readonly settings: Pick<CoordinatorSettings, 'stateDir' | 'store' | 'expireAfterMs'>;
  readonly runId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Hears of calls that fail before there is a ledger. */
  readonly trouble: StoreTrouble;
}

export async function openStore(options: StoreOptions): Promise<OpenStore> {
  const { store } = options.settings;
  switch (store.kind) {
    case 'embedded':
      return openEmbedded(options);
    case 'redis':
      return openRedis(options, store);
    default:
      return assertNever(store);
  }
}

async function openEmbedded({ settings, clock }: StoreOptions): Promise<OpenStore> {
  let killedPid: number | null = null;
  const onKilled = (pid: number): void => {
    killedPid = pid;
  };
  const ledger = await openEmbeddedLedger({ dir: statePaths(settings.stateDir).storeDir, clock, onKilled });
  return { ledger, limits: EMBEDDED_LIMITS, isDead: isProcessDead, killedPid: () => killedPid };
}

/** A server that does not answer is asked again for as long as any other call. The client is loaded where it is needed alone. */
async function openRedis(
  { settings: { expireAfterMs }, runId, env, clock, random, log, trouble }: StoreOptions,
  store: RedisStore,
): Promise<OpenStore> {
  const [{ openRedisLedger, REDIS_LIMITS }, { redisOptions }, { requireFit }] = await Promise.all([
    import('../ledger/redis/ledger.ts'),
    import('../ledger/redis/options.ts'),
    import('../ledger/redis/server-check.ts'),
  ]);
  const onError = (err: Error): void => log.debug({ err, store: store.url }, 'the connection to the store is lost; it is made again');
  const asked = <T>(what: string, ask: () => Promise<T>): Promise<T> => untilAnswered({ clock, random }, () => trouble.hear(what, ask));
  const findings = await asked('check', () => requireFit(store, env, runId));
  for (const { what, fix } of findings) log.warn({ store: store.url, what, fix }, 'the store may lose writes');
  const redis = await redisOptions(store, env);
  const ledger = await asked('open', () => openRedisLedger({ runId, redis, random, expireAfterMs, onError }));
  return { ledger, limits: REDIS_LIMITS, isDead: isProcessDeadOnThisBoot, killedPid: () => null };
}
