import { assertNever } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import { systemRandom } from '../../base/random.ts';
import { CallFailed } from '../../ledger/call-failed.ts';
import type { Ledger } from '../../ledger/contract.ts';
import { openLedgerReadOnly } from '../../ledger/embedded/ledger.ts';
import type { LedgerReader } from '../../ledger/views.ts';
import type { Progress } from '../../model/run.ts';
import { EMBEDDED, type RedisStore, type Store } from '../../model/store.ts';
import { withWayOut } from '../../model/way-out.ts';
import type { KeptInput } from '../../results/inline/input.ts';
import type { PlaceReads } from '../../results/place/contract.ts';
import { directoryPlace } from '../../results/place/directory.ts';
import { highestSegment } from '../../results/place/segments.ts';
import { readEpochMark } from '../../run-dir/epoch-mark.ts';
import { readFinishedRun } from '../../run-dir/finished-run.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import { type RunFile, readRunFile } from '../../run-dir/run-file.ts';
import { ledgerBehind, ledgerExpired, type Standing, standingOf } from '../../run-dir/standing.ts';

/** The ledger of the run of a state directory, read without disturbing its processes. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** What is read of a run: its ledger, and where its results are. */
export interface RunReads {
  readonly ledger: LedgerReader;
  readonly place: PlaceReads;
  /** Which list the run has, where its results are on a server; null where that is written down in the state directory, or nowhere yet. */
  readonly keptInput: () => Promise<KeptInput | null>;
}

interface OpenReads extends RunReads {
  readonly ledger: LedgerReader & Pick<Ledger, 'dispose'>;
}

/** Where a run is kept. */
export type RunKept = Pick<RunFile, 'runId' | 'store' | 'results'>;

/** `kept`: left out, as `run.json` says. */
export async function withRun<T>(env: Environment, paths: StatePaths, use: (reads: RunReads) => Promise<T>, kept?: RunKept): Promise<T> {
  return withStanding(
    env,
    paths,
    async (standing, reads, store) => {
      if (standing.kind === 'expired') throw ledgerExpired(standing, store, paths.stateDir);
      return use(reads);
    },
    kept,
  );
}

/** Where the run stands by its ledger or, where that has expired, as it ended. */
export async function readStanding(env: Environment, paths: StatePaths): Promise<KnownStanding> {
  return withStanding(env, paths, async (standing) => standing);
}

export async function readProgress(env: Environment, paths: StatePaths): Promise<Progress> {
  return (await readStanding(env, paths)).progress;
}

type KnownStanding = Exclude<Standing, { readonly kind: 'behind' }>;

/** Refuses a ledger that knows less than the state directory: what it says of the run is not true. */
async function withStanding<T>(
  env: Environment,
  paths: StatePaths,
  use: (standing: KnownStanding, reads: RunReads, store: Store) => Promise<T>,
  kept?: RunKept,
): Promise<T> {
  // Read before the ledger: a coordinator wins its epoch there before it is written down here.
  const seen = await seenEpoch(paths);
  const seeing = async (reads: RunReads, store: Store): Promise<T> => {
    const finished = store.kind === 'redis' ? await readFinishedRun(paths.finished) : null;
    const standing = standingOf(await reads.ledger.progress(), seen, finished);
    if (standing.kind === 'behind') throw ledgerBehind(standing, paths.stateDir);
    return use(standing, reads, store);
  };
  return withAnyRun(env, paths, seeing, kept);
}

/** Whatever the ledger knows, for those who only ask whether somebody uses it. */
export async function withAnyRun<T>(
  env: Environment,
  paths: StatePaths,
  use: (reads: RunReads, store: Store) => Promise<T>,
  kept?: RunKept,
): Promise<T> {
  const { store, runId, results } = kept ?? (await readRunFile(paths.stateDir)) ?? NOWHERE_ELSE;
  const asked = async (reads: RunReads): Promise<T> => use(reads, store);
  const directory = directoryPlace(paths.segmentsDir);
  const inDirectory = { place: directory, keptInput: async () => null };
  try {
    switch (store.kind) {
      case 'embedded':
        return await using({ ledger: await openLedgerReadOnly(paths.storeDir), ...inDirectory }, asked);
      case 'redis':
        return await answering(store, async () =>
          using(await openReads(env, store, runId, results === 'inline' ? null : inDirectory), asked),
        );
      default:
        return assertNever(store);
    }
  } catch (error) {
    throw withWayOut(error, store);
  }
}

/** What a directory without a `run.json` is taken for. */
const NOWHERE_ELSE: RunKept = { store: EMBEDDED, runId: '', results: 'directory' };

/** The highest epoch that the state directory has seen, -1 for none (L3). */
async function seenEpoch({ epochMark, segmentsDir }: StatePaths): Promise<number> {
  return Math.max(await readEpochMark(epochMark), await highestSegment(directoryPlace(segmentsDir)));
}

async function using<T>(reads: OpenReads, use: (reads: RunReads) => Promise<T>): Promise<T> {
  try {
    return await use(reads);
  } finally {
    await reads.ledger.dispose();
  }
}

/** `inDirectory` null: the results are on the server as well. The client is loaded where it is needed alone. */
async function openReads(
  env: Environment,
  store: RedisStore,
  runId: string,
  inDirectory: Omit<RunReads, 'ledger'> | null,
): Promise<OpenReads> {
  const [{ openRedisRun }, { redisOptions }, { inlineReads }, { keptInput }] = await Promise.all([
    import('../../ledger/redis/ledger.ts'),
    import('../../ledger/redis/options.ts'),
    import('../../results/inline/place.ts'),
    import('../../results/inline/input.ts'),
  ]);
  const redis = await redisOptions(store, env);
  const { ledger, session } = await openRedisRun({ runId, redis, random: systemRandom, onError: () => undefined });
  if (inDirectory !== null) return { ledger, ...inDirectory };
  return { ledger, place: inlineReads({ session, runId, server: store.url }), keptInput: () => keptInput(session) };
}

/** Who gives a command waits for no server: it is told at once. */
export async function answering<T>(store: RedisStore, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof CallFailed)) throw cause;
    throw new RolloutError(
      'STORE_FAILED',
      `${store.url} does not answer (${cause.message}): start it, or check the address and the network, and give the same command again; what is recorded is kept`,
      { cause },
    );
  }
}
