import { onAbort } from '../../base/abort.ts';
import type { Events } from '../../base/events.ts';
import type { Log } from '../../base/log.ts';
import type { Watchdog } from '../../base/process/watchdog.ts';
import type { LeaseHolder } from '../../lease/contract.ts';
import type { Fenced } from '../../ledger/contract.ts';

export interface FencingOptions {
  readonly leaseHolder: Pick<LeaseHolder, 'fenced' | 'lease'>;
  readonly watchdog: Watchdog;
  readonly events: Events;
  readonly log: Log;
}

/**
 * The holder of the lease knows first that another coordinator has taken the run over. It is said at that moment and not at the end,
 * and from then on the process has seconds to live (L5). Called as soon as the lease is won: whoever listens to the signal later is
 * told after this.
 */
export function announceFencing({ leaseHolder, watchdog, events, log }: FencingOptions): void {
  const { fenced } = leaseHolder;
  onAbort(fenced, () => {
    const { epoch } = leaseHolder.lease();
    const { epoch: byEpoch } = fenced.reason as Fenced;
    // First of all: whatever hangs from here on, the process ends in time.
    watchdog.arm();
    events.emit({ kind: 'coordinator_fenced', epoch, byEpoch });
    log.error({ epoch, byEpoch }, 'another coordinator has taken the run over; this one ends');
  });
}
