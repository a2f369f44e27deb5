import { RolloutError } from '../../base/errors.ts';
import { openFilesLimit, RAISE_LIMIT } from '../../base/fs/open-files.ts';
import type { ProcessLock } from '../../base/fs/process-lock.ts';
import { isProcessAlive } from '../../base/process/process-identity.ts';
import type { Lease } from '../../model/lease.ts';
import type { StatePaths } from '../../run-dir/paths.ts';
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
  const seen = await withAnyRun(env, paths, async ({ ledger }) => ledger.readLease()).catch(() => null);
  const lease = seen?.lease ?? null;
  if (seen === null || lease === null || lease.holder === '' || !(await isHeld(lease, seen.nowMs))) return;
  await lock.release();
  throw new RolloutError(
    'USAGE',
    `a coordinator (pid ${lease.process.pid}, ${lease.address}) serves the run in ${paths.stateDir}: stop it with \`kill ${lease.process.pid}\` before --fresh moves its directory aside, or name another one with --state`,
  );
}

/** A store that is a server has a clock, by which the lease runs out; the holder may be a process of another machine. */
async function isHeld(lease: Lease, nowMs: number | null): Promise<boolean> {
  return nowMs === null ? isProcessAlive(lease.process) : lease.untilMs > nowMs;
}
