import type { Clock } from '../../base/clock.ts';
import { isNoSpace, SPACE_ADVICE } from '../../base/fs/disk-space.ts';
import type { Log } from '../../base/log.ts';
import type { Epoch } from '../../model/row.ts';

export interface SeenEpochsOptions {
  readonly raiseEpochMark: (epoch: Epoch) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** A candidate looks at the lease many times a second; a full disk is not asked so often. */
const RETRY_MS = 5_000;

/**
 * Keeps in the state directory which epochs a candidate has seen in the store (L3): the host of a coordinator that only waits has nothing
 * else of the run. After its first look the disk is written where an epoch is higher than what is kept, and never else. A full disk keeps nobody from waiting
 * for the lease; any other failure of it ends the candidate, as it would end a coordinator that leads.
 */
export class SeenEpochs {
  readonly #options: SeenEpochsOptions;
  #kept = -1;
  /** Null while the disk takes what it is given. */
  #retryAtMs: number | null = null;

  constructor(options: SeenEpochsOptions) {
    this.#options = options;
  }

  async keep(epoch: Epoch): Promise<void> {
    const { raiseEpochMark, clock } = this.#options;
    if (epoch <= this.#kept || (this.#retryAtMs !== null && clock.monotonicMs() < this.#retryAtMs)) return;
    try {
      await raiseEpochMark(epoch);
    } catch (error) {
      if (!isNoSpace(error)) throw error;
      this.#onFull(epoch, error);
      return;
    }
    this.#onKept(epoch);
  }

  #onFull(epoch: Epoch, err: unknown): void {
    const { clock, log } = this.#options;
    if (this.#retryAtMs === null)
      log.error(
        { err, epoch },
        `no space to keep that this epoch of the run is in use; ${SPACE_ADVICE}. Until then a start on this host does not know of it if the store loses the run`,
      );
    this.#retryAtMs = clock.monotonicMs() + RETRY_MS;
  }

  #onKept(epoch: Epoch): void {
    if (this.#retryAtMs !== null) this.#options.log.info({ epoch }, 'there is space again: the epoch is kept');
    this.#retryAtMs = null;
    this.#kept = epoch;
  }
}
