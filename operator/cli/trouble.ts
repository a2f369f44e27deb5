import { type Condition, isTrue } from '../api/conditions.ts';
import type { ConditionType } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';

/** What each condition should be while a run goes on; null where it may be either, or only says what the operator may do. */
const EXPECTED: Readonly<Record<ConditionType, 'True' | 'False' | null>> = {
  InputReady: 'True',
  CoordinatorAvailable: 'True',
  CertificatesReady: 'True',
  Progressing: 'True',
  WorkersReady: 'True',
  Draining: null,
  Suspended: null,
  Complete: null,
  Failed: 'False',
  NodeSignalsAvailable: null,
};

/** The conditions that are not as they should be, in the order of the status. Of a run that is over only that it has failed. */
export function troublesOf({ spec, status }: RolloutRun): readonly Condition[] {
  const conditions = status?.conditions ?? [];
  if (isTrue(conditions, 'Complete')) return [];
  const failed = conditions.filter(({ type, status: is }) => type === 'Failed' && is === 'True');
  if (failed.length > 0) return failed;
  const wrong = conditions.filter((one) => isWrong(one));
  // A run that is suspended has no coordinator and makes no progress: it is meant so.
  return spec.suspend ? wrong.filter(({ type }) => type === 'InputReady') : wrong;
}

function isWrong({ type, status }: Condition): boolean {
  const expected = Object.hasOwn(EXPECTED, type) ? EXPECTED[type as ConditionType] : null;
  return expected !== null && status !== expected;
}

/** In one sentence; when it changed last is left out. */
export function troubleText({ type, status, reason, message }: Condition): string {
  return `${type} is ${status} (${reason}): ${message}`;
}

/** The operator has not seen the spec as it is now. */
export function isBehind({ metadata, status }: RolloutRun): boolean {
  return (status?.observedGeneration ?? 0) < (metadata.generation ?? 0);
}
