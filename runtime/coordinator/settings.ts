import { resolve } from 'node:path';
import * as z from 'zod';
import type { Rules } from '../base/config/settings.ts';
import { type Given, loadSettings } from '../base/config/settings-file.ts';
import { loopback } from '../base/loopback.ts';
import { INLINE_LIMIT_BYTES } from '../model/results-kind.ts';
import type { ItemForm } from '../model/session.ts';
import { EXPIRE_AFTER_MS, expiryProblem, namedStore, redisStoreProblem, type Store, withPaths } from '../model/store.ts';
import { checkBeats, checkTiming, type Timing } from '../model/timing.ts';
import { defaultStateDir, statePaths } from '../run-dir/paths.ts';
import { COORDINATOR } from '../settings/coordinator.ts';
import { shapeOf } from '../settings/schema.ts';
import type { Read } from '../settings/setting.ts';
import { LEASE_TIMING, TIMING, timingOf } from '../settings/timing.ts';
import type { HealthPlace } from './server/health.ts';

type CoordinatorFile = Read<typeof COORDINATOR & typeof TIMING & typeof LEASE_TIMING>;

/** What has another name or form once it is checked. */
type Changed = 'raw' | 'tls' | 'store' | 'hints' | 'timing' | 'http' | 'listen' | 'stateDir' | Measured;
type Measured = 'drainTimeout' | 'minFreeSpace' | 'stallAfter' | 'stallTimeout';

/** The checked settings of a coordinator (coordinator.yaml). Relative paths are those of the working directory. */
export interface CoordinatorSettings extends Omit<CoordinatorFile, Changed> {
  /** host:port; port 0 is the system's choice. */
  readonly listen: string;
  /** Where the health endpoints are; null for none. */
  readonly http: HealthPlace | null;
  readonly stateDir: string;
  readonly minFreeBytes: number;
  readonly tlsDir: string;
  /** Where the ledger is. */
  readonly store: Store;
  /** How long after its end a server keeps the keys of a finished run; 0 for ever. */
  readonly expireAfterMs: number;
  /** So much the results of a run may take where they are kept in Redis. */
  readonly inlineLimitBytes: number;
  readonly form: ItemForm;
  readonly stallAfterMs: number;
  /** Infinity for never. */
  readonly stallTimeoutMs: number;
  readonly drainTimeoutMs: number;
  /** Null: there is no file with hints. */
  readonly hintsFile: string | null;
  readonly timing: Timing;
}

export async function loadCoordinatorSettings(path: string, given: Given = {}): Promise<CoordinatorSettings> {
  const file = await loadSettings(path, rules(), given);
  const { raw, tls, store, hints, timing, drainTimeout, minFreeSpace, stallAfter, stallTimeout, ...same } = file;
  const stateDir = file.stateDir ?? defaultStateDir(file.output);
  return {
    ...same,
    listen: file.listen ?? onThisHost(COORDINATOR.listen.otherwise),
    http: healthPlace(file.http),
    stateDir,
    minFreeBytes: minFreeSpace,
    tlsDir: tls.dir ?? statePaths(stateDir).tlsDir,
    store: storeOf(store),
    expireAfterMs: store.expireAfter ?? EXPIRE_AFTER_MS,
    inlineLimitBytes: file.results.inlineLimit ?? INLINE_LIMIT_BYTES,
    form: raw ? 'raw' : 'batch',
    drainTimeoutMs: drainTimeout,
    stallAfterMs: stallAfter,
    stallTimeoutMs: stallTimeout ?? Number.POSITIVE_INFINITY,
    hintsFile: hints.file,
    timing: timingOf(file, timing.leaseRenewInterval),
  };
}

function healthPlace(http: string | null): HealthPlace | null {
  if (http === 'none') return null;
  return { listen: http ?? onThisHost(COORDINATOR.http.otherwise), isGiven: http !== null };
}

/** A host that has only IPv6 has another loopback address than the one that is documented. */
function onThisHost(address: string): string {
  return address.replace('127.0.0.1', loopback());
}

function rules(): Rules<CoordinatorFile> {
  return {
    schema: z.strictObject(shapeOf({ ...COORDINATOR, ...TIMING, ...LEASE_TIMING })),
    check: (file) => [
      ...storeProblems(file.store),
      ...checkTiming(timingOf(file, file.timing.leaseRenewInterval)),
      ...checkBeats(timingOf(file, null)),
    ],
  };
}

function storeOf(file: CoordinatorFile['store']): Store {
  const store = namedStore(file);
  return withPaths(store, (path) => resolve(path));
}

function storeProblems(file: CoordinatorFile['store']): readonly { readonly field: string; readonly problem: string }[] {
  if (file.embedded !== null && file.redis !== null) return [{ field: 'store', problem: 'must name embedded or redis, not both' }];
  const [problem, ofExpiry] = [redisStoreProblem(file), expiryProblem(file.expireAfter)];
  return [
    ...(problem === null ? [] : [{ field: 'store.redis', problem }]),
    ...(ofExpiry === null ? [] : [{ field: 'store.expireAfter', problem: ofExpiry }]),
  ];
}
