import type { Clock } from '../../base/clock.ts';
import { EXIT } from '../../base/exit.ts';
import { onStore, reasonToEnd, type StoreOutage } from './store-outage.ts';
import { INTERRUPTED, type SupervisionEnd } from './supervised-run.ts';

const LOOK_MS = 500;

/** Listens to what the coordinators of a run tell of their store. */
export class StoreWatch {
  readonly #clock: Clock;
  readonly #waitMs: number;
  #outage: StoreOutage | null = null;

  constructor(clock: Clock, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  hear(trouble: string | null): void {
    this.#outage = onStore(this.#outage, this.#clock.monotonicMs(), trouble);
  }

  /** Resolves when no coordinator could use the store for as long as it may be away. */
  async untilGone(stopped: AbortSignal): Promise<SupervisionEnd> {
    while (!stopped.aborted) {
      const reason = reasonToEnd(this.#outage, this.#clock.monotonicMs(), this.#waitMs);
      if (reason !== null) return { exit: EXIT.notReachable, failed: null, reason };
      await this.#clock.sleep(LOOK_MS, stopped);
    }
    return INTERRUPTED;
  }
}
