import type { Epoch, ItemRef, WorkerId } from '../../model/row.ts';
import type { Outcome } from '../../model/session.ts';

/**
 * The worker's own store: outcomes that no coordinator has acknowledged (L34), the highest epoch seen, and whose store it is (L33).
 * What is asked for is done in the order in which it was asked for; each promise resolves once its change is durable.
 */
export interface Outbox {
  /** What an earlier process of this worker left; some of it may have been acknowledged, since forgetting is not written. */
  readonly found: readonly Outcome[];
  /** 0 where no coordinator of this run has been met. */
  readonly highestEpoch: Epoch;
  put(outcomes: readonly Outcome[]): Promise<void>;
  /** Resolves once the files that are of no use any more are removed; that they held is not kept any longer. */
  forget(refs: readonly ItemRef[]): Promise<void>;
  keepEpoch(epoch: Epoch): Promise<void>;
  close(): Promise<void>;
}

/** The largest outcome has 15 MiB; with less room the next one might not fit. */
export const OUTBOX_FREE_BYTES: number = 16 * 2 ** 20;

/** Waits until the disk with the worker's store has room, and says so; resolves also when the signal aborts. Whether room was short. */
export type WaitForDiskSpace = (signal: AbortSignal) => Promise<boolean>;

export interface OutboxOwner {
  /** The folder of the store. */
  readonly dir: string;
  readonly workerId: WorkerId;
  readonly runId: string;
  /** Asked where the disk is short: what is to be written is written once this resolves. */
  readonly waitForDiskSpace: WaitForDiskSpace;
}
