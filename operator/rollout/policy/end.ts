import type { CoordinatorAnswer, CoordinatorView } from '../coordinator-view.ts';

/** How a run is over. Once it is, that never changes. */
export type RunEnd =
  | { readonly kind: 'complete'; readonly reason: 'AllItemsDone' | 'CompletedWithFailures'; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: FailedReason; readonly message: string };

export type FailedReason = 'TooManyFailedItems' | 'Paused' | 'InputInvalid' | 'CoordinatorFailed' | 'DeadlineExceeded';

/** The exit codes of the coordinator after which no other start would do better (README, Exit codes). */
const USAGE = 2;
const PAUSED = 5;

export interface EndFacts {
  readonly answer: CoordinatorAnswer | null;
  readonly coordinators: readonly CoordinatorView[];
  readonly deadlineLeftMs: number;
}

/** Null while it goes on. The coordinator says that it is completed when the results are exported and durable. */
export function endOf({ answer, coordinators, deadlineLeftMs }: EndFacts): RunEnd | null {
  if (answer?.status.state.kind === 'completed') return completed(answer.status);
  const ends = coordinators.filter(({ isTerminating }) => !isTerminating).flatMap(({ ends: all }) => all);
  const input = ends.find(({ container, exitCode }) => container === 'input' && exitCode === USAGE);
  if (input !== undefined) return { kind: 'failed', reason: 'InputInvalid', message: input.message };
  const refused = ends.find(({ container, exitCode }) => container === 'coordinator' && exitCode === USAGE);
  if (refused !== undefined) return { kind: 'failed', reason: 'CoordinatorFailed', message: refused.message };
  const paused = ends.find(({ container, exitCode }) => container === 'coordinator' && exitCode === PAUSED);
  if (paused !== undefined) return pausedEnd(paused.message);
  if (deadlineLeftMs <= 0) {
    return { kind: 'failed', reason: 'DeadlineExceeded', message: 'spec.activeDeadlineSeconds is over; what is recorded is kept' };
  }
  return null;
}

function completed({ done, failed }: CoordinatorAnswer['status']): RunEnd {
  const message = `${done} items have a result, ${failed} have failed`;
  return { kind: 'complete', reason: failed === 0 ? 'AllItemsDone' : 'CompletedWithFailures', message };
}

/** The coordinator pauses a run by itself for one of two reasons, and says which. */
function pausedEnd(message: string): RunEnd {
  const reason = /more items than|have failed|failed items/i.test(message) ? 'TooManyFailedItems' : 'Paused';
  return { kind: 'failed', reason, message: `${message}; what is recorded is kept` };
}
