import { RolloutError } from '../../base/errors.ts';
import { openFilesLimit, RAISE_LIMIT } from '../../base/fs/open-files.ts';
import type { ProcessLock } from '../../base/fs/process-lock.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
import { heldLease } from '../status/held-lease.ts';
import { type Environment, withAnyRun } from '../status/stored-ledger.ts';

/** What a process has open besides its requests: modules, stores, logs, connections. */
const OWN_FILES = 64;

/** A process that meets the limit later fails where nobody expects it. */
export function refuseFewFiles(concurrency: number, limit: number | null = openFilesLimit()): void {
  const wanted = OWN_FILES + concurrency;
  if (limit === null || limit >= wanted) return;
  throw new RolloutError(
    'USAGE',
    `a process may have ${limit} files open here, and with --concurrency ${concurrency} it needs ${wanted}: ${RAISE_LIMIT}, or lower --concurrency`,
  );
}

/** A coordinator that was started by hand holds no lock of a `rollout run`: its directory is not moved away under it. */
export async function refuseServed(env: Environment, paths: StatePaths, lock: ProcessLock): Promise<void> {
  // A store that cannot be read serves nobody: --fresh is the way out of it.
  const lease = await withAnyRun(env, paths, async ({ ledger }) => heldLease(ledger)).catch(() => null);
  if (lease === null) return;
  await lock.release();
  throw new RolloutError(
    'USAGE',
    `a coordinator (pid ${lease.process.pid}, ${lease.address}) serves the run in ${paths.stateDir}: stop it with \`kill ${lease.process.pid}\` before --fresh moves its directory aside, or name another one with --state`,
  );
}
