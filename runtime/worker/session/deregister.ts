import type { Clock } from '../../base/clock.ts';
import type { Deregistration } from '../../model/session.ts';
import type { Link } from './link.ts';

/** Deregistering is a courtesy: without it the coordinator notices the silence, and the process must end. One message takes no longer. */
const LEAST_DEREGISTER_MS = 200;

/**
 * Whether a coordinator has heard it. A worker that leaves at its start may have met a passive coordinator only: that one names the
 * primary, or the list has it. Others are not tried again.
 */
export async function deregister(
  { link, clock }: { readonly link: Pick<Link, 'call' | 'move'>; readonly clock: Pick<Clock, 'monotonicMs'> },
  deregistration: Deregistration,
  byMs: number,
): Promise<boolean> {
  for (;;) {
    const deadlineMs = Math.max(LEAST_DEREGISTER_MS, byMs - clock.monotonicMs());
    const called = await link.call((client) => client.deregister(deregistration, deadlineMs));
    if (called.kind === 'reply') return true;
    if (called.kind === 'left' || !called.isPassive || clock.monotonicMs() >= byMs) return false;
    await link.move();
  }
}
