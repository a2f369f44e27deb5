import { type Condition, conditionOf } from '../api/conditions.ts';
import { CONDITION, type ConditionType } from '../api/names.ts';
import type { RunStatus } from '../api/types.gen.ts';

/** What people are told of a run beside its status: one Event for each transition. */
export interface RunEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Of these conditions a change of reason is told as well: it is what `kubectl describe` is asked for. */
const TOLD: readonly ConditionType[] = Object.values(CONDITION);
/** Of these a status of False is bad news, of the others True is. */
const GOOD: ReadonlySet<string> = new Set<ConditionType>([
  'InputReady',
  'CoordinatorAvailable',
  'CertificatesReady',
  'Progressing',
  'WorkersReady',
  'Complete',
  'NodeSignalsAvailable',
]);
/** States in which a run begins, or is expected to be for a while. */
const USUAL: ReadonlySet<string> = new Set([
  'NotEnded',
  'Ended',
  'NoneDraining',
  'Resumed',
  'WaitingForCoordinator',
  'CoordinatorStarting',
  'CertificatesPending',
  'WaitingForWorkers',
  'WorkersDraining',
  'Suspended',
  'Suspending',
  'NodesForbidden',
]);

/** Pure. `before`: undefined for a run that is seen for the first time. */
export function eventsOf(before: RunStatus | undefined, after: RunStatus): readonly RunEvent[] {
  return TOLD.flatMap((type) => {
    const [was, is] = [conditionOf(before?.conditions ?? [], type), conditionOf(after.conditions ?? [], type)];
    if (is === undefined || (was?.status === is.status && was.reason === is.reason)) return [];
    if (is.reason === 'Ended' || (was === undefined && is.status === 'False' && USUAL.has(is.reason))) return [];
    return [eventOf(is)];
  });
}

function eventOf({ type, status, reason, message }: Condition): RunEvent {
  const isGood = GOOD.has(type) === (status === 'True') || USUAL.has(reason);
  return { type: isGood ? 'Normal' : 'Warning', reason, message };
}
