import { RolloutError } from '../base/errors.ts';
import type { Progress } from '../model/run.ts';
import { type Store, storeText } from '../model/store.ts';
import type { FinishedRun } from './finished-run.ts';

/** What a ledger says of its run, compared with what the state directory knows of it. Pure. */
export type Standing =
  | { readonly kind: 'current'; readonly progress: Progress }
  /** The run is finished, and its keys have expired: this is how it ended. */
  | { readonly kind: 'expired'; readonly progress: Progress }
  /** The ledger lacks what was recorded under later epochs (L3). `ended`: how the run ended under an earlier one, where its keys may be gone. */
  | { readonly kind: 'behind'; readonly epoch: number; readonly seen: number; readonly ended: FinishedRun | null };

/** `seen`: the highest epoch that the directory has seen, -1 for none; `finished`: how the run ended, where its keys may expire. */
export function standingOf(progress: Progress, seen: number, finished: FinishedRun | null): Standing {
  const { epoch } = progress;
  if (epoch >= seen) return { kind: 'current', progress };
  if (epoch >= 0) return { kind: 'behind', epoch, seen, ended: null };
  // Under a later epoch it was reopened, or may have been.
  if (finished?.epoch !== seen) return { kind: 'behind', epoch, seen, ended: finished };
  const { done, failed } = finished;
  const ended = { epoch: seen, cursor: done + failed, running: 0, handedBack: 0, done, failed, redone: 0 };
  return { kind: 'expired', progress: { state: { kind: 'completed' }, ...ended } };
}

export function ledgerBehind({ epoch, seen, ended }: Extract<Standing, { readonly kind: 'behind' }>, stateDir: string): RolloutError {
  const there = epoch < 0 ? 'has nothing of this run' : `is at epoch ${epoch}`;
  return new RolloutError(
    'LEDGER_BEHIND',
    `The ledger ${there}, but the run in ${stateDir} was at epoch ${seen} already: what was recorded since is missing from it.${endText(ended)}`,
  );
}

function endText(ended: FinishedRun | null): string {
  if (ended === null) return '';
  const { epoch, done, failed } = ended;
  return ` It ended under epoch ${epoch} with ${done} done and ${failed} failed, and its output was written; a later coordinator may have reopened it.`;
}

export function ledgerExpired({ progress }: Extract<Standing, { readonly kind: 'expired' }>, store: Store, stateDir: string): RolloutError {
  return new RolloutError(
    'LEDGER_EXPIRED',
    `The run in ${stateDir} is finished (${progress.done} done, ${progress.failed} failed), and its keys are no longer on ${storeText(store)}: they expire some time after the end (--redis-expire-after). What needs them can no longer be done. The output files stay as they were written; to execute the list once more, start over with --fresh.`,
  );
}
