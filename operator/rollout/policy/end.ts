import { EXIT, type ExitCode } from '../../../runtime/base/exit.ts';
import { isOverLimit } from '../../../runtime/model/failure-limit.ts';
import type { ContainerEnd, CoordinatorAnswer, CoordinatorView } from '../coordinator-view.ts';

/** How a run is over. Once it is, that never changes. */
export type RunEnd =
  | { readonly kind: 'complete'; readonly reason: 'AllItemsDone' | 'CompletedWithFailures'; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: FailedReason; readonly message: string };

export type FailedReason =
  | 'TooManyFailedItems'
  | 'Paused'
  | 'InputInvalid'
  | 'CoordinatorFailed'
  | 'DeadlineExceeded'
  | 'TooManyMissingWorkers';

export interface EndFacts {
  readonly answer: CoordinatorAnswer | null;
  readonly coordinators: readonly CoordinatorView[];
  readonly deadlineLeftMs: number;
  readonly missingLeftMs: number;
}

/**
 * Null while it goes on. The coordinator says that it is completed when the results are exported and durable. One that ends for its settings,
 * its list or a pause would end again in the same way; after any other end it is started again.
 */
export function endOf({ answer, coordinators, deadlineLeftMs, missingLeftMs }: EndFacts): RunEnd | null {
  if (answer?.status.state.kind === 'completed') return completed(answer.status);
  const ends = coordinators.filter(({ isTerminating }) => !isTerminating).flatMap(({ ends: all }) => all);
  const endedWith = (container: ContainerEnd['container'], exit: ExitCode): ContainerEnd | undefined =>
    ends.find((one) => one.container === container && one.exitCode === exit);
  const input = endedWith('input', EXIT.usage);
  if (input !== undefined) return { kind: 'failed', reason: 'InputInvalid', message: input.message };
  const refused = endedWith('coordinator', EXIT.usage);
  if (refused !== undefined) return { kind: 'failed', reason: 'CoordinatorFailed', message: refused.message };
  const paused = endedWith('coordinator', EXIT.paused);
  if (paused !== undefined) return pausedEnd(paused.message);
  if (deadlineLeftMs <= 0) {
    return { kind: 'failed', reason: 'DeadlineExceeded', message: 'spec.activeDeadlineSeconds is over; what is recorded is kept' };
  }
  if (missingLeftMs <= 0) {
    return {
      kind: 'failed',
      reason: 'TooManyMissingWorkers',
      message: 'more workers than spec.workers.maxMissing have been missing for 10 minutes',
    };
  }
  return null;
}

function completed({ done, failed }: CoordinatorAnswer['status']): RunEnd {
  const message = `${done} items have a result, ${failed} have failed`;
  return { kind: 'complete', reason: failed === 0 ? 'AllItemsDone' : 'CompletedWithFailures', message };
}

/** The coordinator has paused the run by itself, and says why. */
function pausedEnd(message: string): RunEnd {
  const reason = isOverLimit(message) ? 'TooManyFailedItems' : 'Paused';
  return { kind: 'failed', reason, message: `${message}; what is recorded is kept` };
}
