import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { ToParent } from '../../base/process/supervised.ts';
import { onEnd, type ProcessEnd, type Restarts } from './restart.ts';

/** What the supervisor does about the end of one of its processes. Pure; supervisor.ts performs it. */

export type CoordinatorAction =
  | { readonly kind: 'restart'; readonly pauseMs: number; readonly restarts: Restarts }
  /** The run is over, for the reason told by the exit code. `isFailure`: the last lines of its log are shown. */
  | { readonly kind: 'end'; readonly exit: ExitCode; readonly isFailure: boolean };

/** `hasGivenUp`: it has said that starting it again does not help. */
export function onCoordinatorEnd(restarts: Restarts, end: ProcessEnd, hasGivenUp = false): CoordinatorAction {
  if (hasGivenUp && end.code === EXIT.notReachable) return { kind: 'end', exit: EXIT.notReachable, isFailure: true };
  switch (end.code) {
    case EXIT.done:
    case EXIT.someFailed:
    case EXIT.paused:
      return { kind: 'end', exit: end.code, isFailure: false };
    case EXIT.usage:
    case EXIT.fenced:
      return { kind: 'end', exit: end.code, isFailure: true };
    default: {
      const decision = onEnd(restarts, end);
      if (decision.kind === 'give-up') return { kind: 'end', exit: EXIT.notReachable, isFailure: true };
      return decision;
    }
  }
}

export type WorkerAction =
  | { readonly kind: 'restart'; readonly pauseMs: number; readonly restarts: Restarts }
  /** It is not started again. `drained`: on purpose; the others say why the run ends once no worker is left. */
  | { readonly kind: 'stay-away'; readonly why: WorkerAbsence };

export type WorkerAbsence = 'drained' | 'backend-unreachable' | 'misconfigured' | 'failing';

export function onWorkerEnd(restarts: Restarts, end: ProcessEnd): WorkerAction {
  if (end.code === EXIT.done) return { kind: 'stay-away', why: 'drained' };
  if (end.code === EXIT.notReachable) return { kind: 'stay-away', why: 'backend-unreachable' };
  if (end.code === EXIT.usage) return { kind: 'stay-away', why: 'misconfigured' };
  const decision = onEnd(restarts, end);
  return decision.kind === 'give-up' ? { kind: 'stay-away', why: 'failing' } : decision;
}

/** The exit code of a run whose last worker has left for good while items are still to do. */
export function exitWithoutWorkers(absences: readonly WorkerAbsence[]): ExitCode {
  if (absences.length > 0 && absences.every((why) => why === 'misconfigured')) return EXIT.usage;
  return EXIT.notReachable;
}

/** For people: a process waits for something that they can change, or has stopped waiting. */
export function describeWait(name: string, message: Exclude<ToParent, { readonly kind: 'listening' | 'given-up' | 'store' }>): string {
  return message.kind === 'waiting' ? `${name} waits: ${message.reason}` : `${name} goes on`;
}

/** A worker has ended with 0 while items are still to do. */
export function describeLeft(name: string): string {
  return `worker ${name} has left, as it was told to (SIGTERM, a drain or a hint); it is not started again in this run`;
}
