import { EXIT, type ExitCode } from '../../runtime/base/exit.ts';
import { conditionOf, isTrue } from '../api/conditions.ts';
import { CONDITION, type ConditionType } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import { countsOf } from './status-text.ts';
import { isBehind } from './trouble.ts';

/** What is waited for: a condition that holds, or that the run is gone. */
export type Goal = ConditionType | 'Deleted';
const GOALS: readonly Goal[] = [...Object.values(CONDITION), 'Deleted'];

export const GOAL_FORM: string = `one of ${GOALS.join(', ')}`;

/** Null where the text names no goal. */
export function goalOf(text: string): Goal | null {
  return GOALS.find((one) => one.toLowerCase() === text.toLowerCase()) ?? null;
}

/** How a wait ends; null while it goes on. */
export interface WaitEnd {
  readonly exit: ExitCode;
  readonly text: string;
}

/** `run`: null where it is gone. What the operator has not seen yet does not count, but for an end, which never changes. */
export function waitEnd(run: RolloutRun | null, goal: Goal, name: string): WaitEnd | null {
  if (run === null)
    return goal === 'Deleted' ? { exit: EXIT.done, text: `${name} is gone` } : { exit: EXIT.paused, text: `${name} was deleted` };
  if (goal === 'Deleted') return null;
  const conditions = run.status?.conditions ?? [];
  if (isTrue(conditions, 'Complete')) return completeEnd(run, goal);
  const failed = conditionOf(conditions, 'Failed');
  if (failed?.status === 'True') {
    return { exit: goal === 'Failed' ? EXIT.done : EXIT.paused, text: `${name} has failed (${failed.reason}): ${failed.message}` };
  }
  if (isBehind(run) || !isTrue(conditions, goal)) return null;
  return { exit: EXIT.done, text: `${name}: ${goal} (${conditionOf(conditions, goal)?.reason ?? ''})` };
}

function completeEnd(run: RolloutRun, goal: Goal): WaitEnd {
  const { done, failed } = countsOf(run);
  const text = `${run.metadata.name} is complete: ${done} items have a result, ${failed} have failed`;
  // A run that was quick has made the progress that was waited for.
  if (goal === 'Complete' || goal === 'Progressing') return { exit: failed === 0 ? EXIT.done : EXIT.someFailed, text };
  return { exit: EXIT.notReachable, text: `${text}; it will not be ${goal} any more` };
}
