import { dirname } from 'node:path';
import { RolloutError } from '../base/errors.ts';
import { type ProcessLock, takeLock } from '../base/fs/process-lock.ts';
import type { ProcessIdentity } from '../base/process/process-identity.ts';
import { describeProcess, isNear } from '../base/process/process-identity.ts';

/**
 * One `rollout run` at a time per state directory. The ledger is safe without it: the lock spares people two supervisors whose
 * processes fence one another.
 */
export async function lockRun(dir: string): Promise<ProcessLock> {
  const attempt = await takeLock(dir);
  if (attempt.kind === 'held') throw await held(dir, attempt.by);
  return attempt.lock;
}

async function held(dir: string, by: ProcessIdentity): Promise<RolloutError> {
  const who = await describeProcess(by);
  const stop = (await isNear(by)) ? `stop it with \`kill ${by.pid}\`` : 'stop it, or its container, where it runs,';
  return new RolloutError(
    'USAGE',
    `another \`rollout run\` (${who}) is working on this state directory: look at it with \`rollout status --watch --state ${dirname(dir)}\`, or ${stop} first (lock: ${dir})`,
  );
}
