import { PAGE_BYTES, pageOf, setBit } from '../../runtime/ledger/bitmap.ts';
import { type Faults, NO_FAULTS, type Place } from '../../runtime/ledger/contract.ts';
import type { AllRows, HandedBack, Head, InFlight, Running, WorkerRow } from '../../runtime/ledger/rows.ts';
import type { Lease } from '../../runtime/model/lease.ts';
import type { Stamp } from '../../runtime/model/row.ts';
import type { RunState } from '../../runtime/model/run.ts';
import type { EpochTally } from '../../runtime/model/tally.ts';
import { SOME_PLACE, SOME_WORKER } from './ledger-start.ts';

export interface Given {
  readonly head?: Partial<Head> | null;
  readonly lease?: Lease | null;
  readonly state?: RunState;
  readonly place?: Place | null;
  readonly inFlight?: Readonly<Record<number, InFlight>>;
  readonly done?: readonly number[];
  readonly failed?: readonly number[];
  readonly tallies?: readonly EpochTally[];
  readonly stateBy?: Stamp | null;
  readonly workers?: Readonly<Record<string, Omit<WorkerRow, 'by'> & { readonly by?: Stamp }>>;
}

const HEAD: Head = {
  epoch: 3,
  cursor: 0,
  running: 0,
  handedBack: 0,
  done: 0,
  failed: 0,
  workerNumbers: 1,
  highestAttempt: 1_000,
  redone: 0,
};

const FIRST_STAMP: Stamp = { epoch: 0, serial: 0 };

/** Rows as a test states them, contradictions included; epoch 3, bound, with worker w1, unless it says otherwise. */
export function rowsOf(given: Given = {}): AllRows {
  const pages = { done: pagesOf(given.done ?? []), failed: pagesOf(given.failed ?? []) };
  const workers: Readonly<Record<string, WorkerRow>> = Object.fromEntries(
    Object.entries(given.workers ?? { w1: { number: 1, info: SOME_WORKER } }).map(([name, row]) => [name, { by: FIRST_STAMP, ...row }]),
  );
  const inFlight = given.inFlight ?? {};
  const { done, failed } = { ...HEAD, ...given.head };
  const tallies = given.tallies ?? [{ epoch: 3, count: done + failed, low: 0, high: 0 }];
  return {
    lease: () => given.lease ?? null,
    head: () => (given.head === null ? null : { ...HEAD, ...given.head }),
    state: () => given.state ?? { kind: 'running' },
    stateBy: () => given.stateBy ?? null,
    place: () => (given.place === undefined ? SOME_PLACE : given.place),
    inFlight: (index) => inFlight[index] ?? null,
    page: (bit, page) => pages[bit].get(page) ?? null,
    worker: (worker) => workers[worker] ?? null,
    everyInFlight: () => Object.entries(inFlight).map(([index, item]) => ({ index: Number(index), item })),
    everyPage: (bit) => [...pages[bit]].map(([page, bytes]) => ({ page, bytes })),
    everyWorker: () => Object.entries(workers).map(([worker, row]) => ({ worker, row })),
    tally: (epoch) => tallies.find((one) => one.epoch === epoch) ?? null,
    everyTally: () => tallies,
  };
}

function pagesOf(indexes: readonly number[]): Map<number, Uint8Array> {
  const pages = new Map<number, Uint8Array>();
  for (const index of indexes) {
    const bytes = pages.get(pageOf(index)) ?? new Uint8Array(PAGE_BYTES);
    setBit(bytes, index);
    pages.set(pageOf(index), bytes);
  }
  return pages;
}

/** One row, and the last attempt given is its own. */
export function running(worker = 'w1', attempt = 1, claimEpoch = 3, faults: Partial<Faults> = {}): Running {
  const row = { worker, attempt, claimEpoch };
  return { state: 'running', row, second: null, lastAttempt: attempt, faults: { ...NO_FAULTS, ...faults } };
}

export function handedBack(worker = 'w1', attempt = 1, claimEpoch = 3, faults: Partial<Faults> = {}): HandedBack {
  return { state: 'handed-back', row: { worker, attempt, claimEpoch }, lastAttempt: attempt, faults: { ...NO_FAULTS, ...faults } };
}

/** Two rows: attempt 1 of w1 and attempt 2 of w2 (L13). */
export function twice(more: Partial<Running> = {}): Running {
  return { ...running(), second: { worker: 'w2', attempt: 2, claimEpoch: 3 }, lastAttempt: 2, ...more };
}
