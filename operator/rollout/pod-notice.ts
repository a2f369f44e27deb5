import { sigtermDrainMs } from '../../runtime/model/hint.ts';
import type { Pod } from '../kube/kind.ts';

/** What a pod says of its own end. */
export interface PodNotice {
  /** When its worker has to have left (wall clock): a quarter of the grace period is kept for its way out. */
  readonly deadlineMs: number;
  /** One line for people. */
  readonly reason: string;
}

/** What Kubernetes gives a pod that says nothing else. */
const DEFAULT_GRACE_SECONDS = 30;
/** Set by whoever is about to end a pod in its place: an eviction, a preemption, a taint, or its node. */
const DISRUPTED = 'DisruptionTarget';

/**
 * Null for a pod that is to stay. The condition may come before the deletion, and is taken back where no deletion follows. A deletion
 * counts also without it, since it may leave less time than the grace period that the worker has been started with.
 */
export function podNotice({ metadata, spec, status }: Pod): PodNotice | null {
  const disruption = status?.conditions?.find(({ type, status: is }) => type === DISRUPTED && is === 'True');
  const why = disruption === undefined ? '' : `: ${disruption.message ?? disruption.reason ?? DISRUPTED}`;
  if (metadata.deletionTimestamp !== undefined) {
    const graceMs = (metadata.deletionGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1_000;
    return { deadlineMs: leaveBy(Date.parse(metadata.deletionTimestamp) - graceMs, graceMs), reason: `the pod is being deleted${why}` };
  }
  if (disruption === undefined) return null;
  const fromMs = Date.parse(disruption.lastTransitionTime ?? '');
  // Whoever has left the time out gets no drain: the deletion follows, and has one.
  if (Number.isNaN(fromMs)) return null;
  const graceMs = (spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS) * 1_000;
  return { deadlineMs: leaveBy(fromMs, graceMs), reason: `the pod is about to be ended${why}` };
}

function leaveBy(fromMs: number, graceMs: number): number {
  return fromMs + sigtermDrainMs(graceMs);
}
