import { assertNever } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { isProcessDead, isProcessDeadOnThisBoot, type ProcessIdentity } from '../base/process/process-identity.ts';
import type { Random } from '../base/random.ts';
import type { Ledger } from '../ledger/contract.ts';
import { answered, type Limits } from '../ledger/deadline.ts';
import { EMBEDDED_LIMITS, openEmbeddedLedger } from '../ledger/embedded/ledger.ts';
import type { Session } from '../ledger/redis/session.ts';
import type { RedisStore } from '../model/store.ts';
import { throughCalls } from '../results/place/calls.ts';
import type { ResultsPlace } from '../results/place/contract.ts';
import { directoryPlace } from '../results/place/directory.ts';
import { readEpochMark } from '../run-dir/epoch-mark.ts';
import { statePaths } from '../run-dir/paths.ts';
import type { RunFile } from '../run-dir/run-file.ts';
import type { Admission } from './boot/admission.ts';
import { untilAnswered } from './perform/ledger-writer.ts';
import type { StoreTrouble } from './perform/store-trouble.ts';
import type { CoordinatorSettings } from './settings.ts';

/** The ledger of the run, and what its kind of store can say of other processes. */
export interface OpenStore {
  readonly ledger: Ledger;
  /** Where the results are; each call is asked until it is answered (L20). */
  readonly results: ResultsPlace;
  /** What the list is asked for where the results are in Redis; else null. */
  readonly admission: Admission | null;
  readonly limits: Limits;
  /** True only when certain; where machines share the store, one cannot tell for another. */
  readonly isDead: (process: ProcessIdentity) => Promise<boolean>;
  /** The process that had to be killed for the lease; null nearly always. */
  readonly killedPid: () => number | null;
}

export interface StoreOptions {
  readonly settings: Pick<CoordinatorSettings, 'stateDir' | 'store' | 'expireAfterMs' | 'inlineLimitBytes'>;
  readonly run: Pick<RunFile, 'runId' | 'results'>;
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
  const results = directoryOf(settings);
  return { ledger, results, admission: null, limits: EMBEDDED_LIMITS, isDead: isProcessDead, killedPid: () => killedPid };
}

function directoryOf({ stateDir }: StoreOptions['settings']): ResultsPlace {
  return directoryPlace(statePaths(stateDir).segmentsDir);
}

/** A server that does not answer is asked again for as long as any other call. The client is loaded where it is needed alone. */
async function openRedis(options: StoreOptions, store: RedisStore): Promise<OpenStore> {
  const { settings, run, env, clock, random, log, trouble } = options;
  const { runId } = run;
  const [{ openRedisRun, REDIS_LIMITS }, { redisOptions }, { requireFit, requireStillFit }] = await Promise.all([
    import('../ledger/redis/ledger.ts'),
    import('../ledger/redis/options.ts'),
    import('../ledger/redis/server-check.ts'),
  ]);
  const onError = (err: Error): void => log.debug({ err, store: store.url }, 'the connection to the store is lost; it is made again');
  const onServer = (server: string): void => log.info({ store: store.url, server }, 'the ledger is on this server');
  const asked = <T>(what: string, ask: () => Promise<T>): Promise<T> => untilAnswered({ clock, random }, () => trouble.hear(what, ask));
  const hasBegun = (await readEpochMark(statePaths(settings.stateDir).epochMark)) >= 0;
  const findings = await asked('check', () => (hasBegun ? requireStillFit : requireFit)(store, env, runId));
  for (const { what, fix } of findings) log.warn({ store: store.url, what, fix }, 'the store may lose writes');
  const redis = await redisOptions(store, env);
  const { expireAfterMs } = settings;
  const { ledger, session } = await asked('open', () => openRedisRun({ runId, redis, random, expireAfterMs, onError, onServer }));
  const kept = run.results === 'inline' ? await inlineOf(options, store, session) : { results: directoryOf(settings), admission: null };
  return { ledger, ...kept, limits: REDIS_LIMITS, isDead: isProcessDeadOnThisBoot, killedPid: () => null };
}

/** An append is several round trips, each of which is limited by itself (ledger/redis/connection.ts). */
const RESULTS_CALL_MS = 120_000;

async function inlineOf(
  { settings, run, clock, random, trouble }: StoreOptions,
  store: RedisStore,
  session: Session,
): Promise<Pick<OpenStore, 'results' | 'admission'>> {
  const [{ inlinePlace }, { bindInput }] = await Promise.all([import('../results/inline/place.ts'), import('../results/inline/input.ts')]);
  const { inlineLimitBytes: limitBytes } = settings;
  const through = <T>(verb: string, call: () => Promise<T>): Promise<T> =>
    untilAnswered({ clock, random }, () => trouble.hear(verb, () => answered(clock, RESULTS_CALL_MS, verb, call())));
  return {
    results: throughCalls(inlinePlace({ session, runId: run.runId, server: store.url, limitBytes, random }), through),
    admission: { limitBytes, bind: (epoch, input, instead) => through('bind input', () => bindInput(session, epoch, input, instead)) },
  };
}
