import { conditionOf, isTrue } from '../api/conditions.ts';
import type { RunStatus } from '../api/types.gen.ts';

/** What a run's status says of its times: those of the wall clock, since an operator that is started again has no other. */
export interface RunClocks {
  readonly startTimeMs: number | null;
  /** Null while it is not suspended. */
  readonly suspendedSinceMs: number | null;
  /** Of suspensions that are over. */
  readonly suspendedSeconds: number;
}

export function clocksOf(status: RunStatus | undefined): RunClocks {
  const suspended = conditionOf(status?.conditions ?? [], 'Suspended');
  return {
    startTimeMs: status?.startTime === undefined ? null : Date.parse(status.startTime),
    suspendedSinceMs: suspended?.status === 'True' ? Date.parse(suspended.lastTransitionTime) : null,
    suspendedSeconds: status?.suspendedSeconds ?? 0,
  };
}

export function hasEnded(status: RunStatus | undefined): status is RunStatus {
  const conditions = status?.conditions ?? [];
  return isTrue(conditions, 'Complete') || isTrue(conditions, 'Failed');
}
