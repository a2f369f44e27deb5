import type { MachineSettings } from '../../runtime/coordinator/state/state.ts';
import { NO_FAULTS, type Scan } from '../../runtime/ledger/contract.ts';
import type { Row } from '../../runtime/model/row.ts';

export const EPOCH = 3;

export const SETTINGS: MachineSettings = {
  heartbeatIntervalMs: 500,
  ...{ coordinatorFailureTimeoutMs: 5_000, workerSelfFenceTimeoutMs: 4_000 },
  clockSkewBudgetMs: 250,
  ...{ pollWaitMs: 20_000, drainTimeoutMs: 20_000 },
  maxAttempts: 5,
  ...{ breaker: 3, maxFailedItems: null, stallAfterMs: 180_000, stallTimeoutMs: Number.POSITIVE_INFINITY, serveAfterEnd: false },
  stragglers: false,
};
export interface Start {
  readonly running?: readonly {
    readonly index: number;
    readonly row: Row;
    readonly second?: Row;
    readonly lastAttempt?: number;
    readonly failures?: number;
  }[];
  readonly handedBack?: readonly {
    readonly index: number;
    readonly row: Row;
    readonly failures?: number;
    readonly delayMs?: number;
    readonly suspicions?: number;
    readonly crashes?: number;
  }[];
  readonly workers?: readonly { readonly worker: string; readonly bootNonce: string; readonly pid: number }[];
  readonly cursor?: number;
  readonly redone?: number;
  readonly settled?: { readonly done: number; readonly failed: number };
  readonly settings?: Partial<MachineSettings>;
  readonly nowMs?: number;
}

export function scanOf(start: Start): Scan {
  const { running = [], handedBack = [], workers = [] } = start;
  const open = [...running, ...handedBack].map(({ index }) => index);
  const cursor = open.reduce((least, index) => Math.max(least, index + 1), start.cursor ?? 0);
  return {
    kind: 'scanned',
    place: null,
    progress: {
      state: { kind: 'running' },
      epoch: EPOCH,
      cursor,
      running: running.length,
      handedBack: handedBack.length,
      redone: start.redone ?? 0,
      // Whatever is not open below the cursor is terminal.
      ...(start.settled ?? { done: 0, failed: cursor - open.length }),
    },
    running: running.map(({ index, row, second = null, lastAttempt = row.attempt, failures = 0 }) => ({
      ...{ index, row, second, lastAttempt, faults: { ...NO_FAULTS, failures } },
    })),
    handedBack: handedBack.map(({ index, row, failures = 0, delayMs = 0, suspicions = 0, crashes = 0 }) => ({
      ...{ index, row, lastAttempt: row.attempt, faults: { failures, delayMs, suspicions, crashes, restores: 0 } },
    })),
    workers: workers.map(({ worker, bootNonce, pid }) => ({ worker, info: { bootNonce, pid, concurrency: 4, registeredAtMs: 0 } })),
  };
}
