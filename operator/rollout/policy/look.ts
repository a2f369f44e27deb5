import { type Condition, conditionOf } from '../../api/conditions.ts';
import type { ConditionType } from '../../api/names.ts';

/** How often the coordinator of a run that goes on is asked. */
const ASK_MS = 2_000;
/** How often a run is looked at that stands still until something changes. */
const STILL_MS = 60_000;
/** Whoever has waited for a minute can wait for six seconds more. */
const WAITED_PART = 0.1;

/** What is known of a run of which nothing has changed. */
export interface Rest {
  /** It is suspended, and nothing of it is left. */
  readonly isStill: boolean;
  /** The condition that is False while something of its user's is missing; null where nothing is. */
  readonly waitsFor: ConditionType | null;
  readonly conditions: readonly Condition[];
  readonly nowMs: number;
}

/**
 * When to look at it again. Lists and Secrets of users are in no cache: each look at a run that waits for one is a call of the API server,
 * so that the looks become rarer the longer it waits.
 */
export function lookAgainMs({ isStill, waitsFor, conditions, nowMs }: Rest): number {
  if (isStill) return STILL_MS;
  const waiting = waitsFor === null ? undefined : conditionOf(conditions, waitsFor);
  if (waiting?.status !== 'False') return ASK_MS;
  const waitedMs = nowMs - Date.parse(waiting.lastTransitionTime);
  return Math.min(STILL_MS, Math.max(ASK_MS, Math.round(waitedMs * WAITED_PART)));
}
