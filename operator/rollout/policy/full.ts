import { EXIT } from '../../../runtime/base/exit.ts';
import { limitReached, quantityBytes } from '../../../runtime/model/results-kind.ts';
import { conditionOf } from '../../api/conditions.ts';
import { CONDITION, REASON } from '../../api/names.ts';
import type { RolloutRun } from '../../api/run.ts';
import type { CoordinatorView } from '../coordinator-view.ts';

/**
 * Why a run has stopped whose results have reached their limit on the Redis server; null for any other. Its coordinator would end again.
 * The run stays stopped until the limit of the spec is above the one that was reached, and then goes on: nothing that is recorded is lost.
 */
export function fullReason({ spec, status }: RolloutRun, coordinators: readonly CoordinatorView[]): string | null {
  if (spec.coordinator.store.redis === undefined) return null;
  const limitBytes = quantityBytes(spec.coordinator.results?.inlineLimit);
  return [toldBefore(status), ...lastWords(coordinators)].find((text) => (limitReached(text) ?? -1) >= limitBytes) ?? null;
}

export function fullText(reason: string): string {
  return reason.startsWith(REMEDY) ? reason : `${REMEDY}: ${reason}`;
}

const REMEDY = 'raise spec.coordinator.results.inlineLimit, and the run goes on where it was';

/** Once the coordinator is gone, the condition alone knows. */
function toldBefore(status: RolloutRun['status']): string {
  const found = conditionOf(status?.conditions ?? [], CONDITION.coordinatorAvailable);
  return found?.reason === REASON.resultsFull ? found.message : '';
}

function lastWords(coordinators: readonly CoordinatorView[]): readonly string[] {
  const ends = coordinators.filter(({ isTerminating }) => !isTerminating).flatMap(({ ends: all }) => all);
  return ends
    .filter(({ container, exitCode }) => container === 'coordinator' && exitCode === EXIT.notReachable)
    .map(({ message }) => message);
}
