import { assert } from '../../base/assert.ts';
import type { Events } from '../../base/events.ts';
import type { Log } from '../../base/log.ts';
import type { Watchdog } from '../../base/process/watchdog.ts';
import type { LeaseHolder } from '../../lease/contract.ts';
import type { Epoch } from '../../model/row.ts';

/**
 * The moment at which this process learns that another coordinator has taken the run over, whoever tells it first: the holder of
 * the lease, or any word to the ledger. It is said once, at that moment and not at the end, and from then on the process has
 * seconds to live (L5).
 */
export interface Fencing {
  fence(epoch: Epoch, byEpoch: Epoch): void;
  /** From the win on, whatever the coordinator is just doing. */
  watch(leaseHolder: LeaseHolder): void;
  isFenced(): boolean;
  /** Resolves at that moment. */
  readonly fenced: Promise<void>;
}

export interface FencingOptions {
  readonly watchdog: Watchdog;
  readonly events: Events;
  readonly log: Log;
  /** Last of all. */
  readonly onFenced: () => void;
}

export function createFencing({ watchdog, events, log, onFenced }: FencingOptions): Fencing {
  let isFenced = false;
  let announce: () => void = () => undefined;
  const fenced = new Promise<void>((resolve) => {
    announce = resolve;
  });
  const fence = (epoch: Epoch, byEpoch: Epoch): void => {
    if (isFenced) return;
    assert(byEpoch > epoch, 'a coordinator is fenced by a later epoch (L42)');
    isFenced = true;
    // First of all: whatever hangs from here on, the process ends in time.
    watchdog.arm();
    events.emit({ kind: 'coordinator_fenced', epoch, byEpoch });
    log.error({ epoch, byEpoch }, 'another coordinator has taken the run over; this one ends');
    announce();
    onFenced();
  };
  return {
    fence,
    // The promise never rejects; what is thrown here is a bug, and rises.
    watch: (leaseHolder) => void leaseHolder.lost.then(({ epoch }) => fence(leaseHolder.lease().epoch, epoch)),
    isFenced: () => isFenced,
    fenced,
  };
}
