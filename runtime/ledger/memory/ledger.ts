import { mustGet } from '../../base/assert.ts';
import type { Lease } from '../../model/lease.ts';
import type { Epoch, ItemIndex, WorkerId } from '../../model/row.ts';
import type { Tally } from '../../model/tally.ts';
import { clearBit, PAGE_BYTES, pageOf, setBit } from '../bitmap.ts';
import type { Ledger, Place } from '../contract.ts';
import type { AllRows, Bit, Decision, HandedOut, Head, InFlight, StateRow, WorkerRow, Writes } from '../rows.ts';
import { type Engine, ledgerOver } from '../rules/verbs.ts';

/**
 * The ledger in the memory of one process: the whole rulebook, nothing kept over a restart. Several coordinators of one process
 * may share it, as they would share a store. It has no chance in it, and a clock only if it is given one.
 */
export function createMemoryLedger(nowMs: () => number | null = () => null): Ledger {
  return ledgerOver(memoryEngine(nowMs));
}

interface Tables {
  lease: Lease | null;
  head: Head | null;
  state: StateRow | null;
  place: Place | null;
  readonly inFlight: Map<ItemIndex, InFlight>;
  readonly pages: Readonly<Record<Bit, Map<number, Uint8Array>>>;
  readonly workers: Map<WorkerId, WorkerRow>;
  readonly tallies: Map<Epoch, Tally>;
}

function emptyTables(): Tables {
  return {
    lease: null,
    head: null,
    state: null,
    place: null,
    inFlight: new Map(),
    pages: { done: new Map(), failed: new Map() },
    workers: new Map(),
    tallies: new Map(),
  };
}

/** What a store holds before the first coordinator won. */
export function emptyRows(): AllRows {
  return rowsOf(emptyTables());
}

function memoryEngine(nowMs: () => number | null): Engine {
  const tables = emptyTables();
  const rows = rowsOf(tables);
  return {
    transact: async <T>(decide: (all: AllRows) => Decision<T>): Promise<T> => {
      const { reply, writes } = decide(rows);
      if (writes !== null) apply(tables, writes);
      return reply;
    },
    read: async (read) => read(rows),
    nowMs,
    dispose: async () => undefined,
  };
}

function rowsOf(tables: Tables): AllRows {
  const page = (bit: Bit, number: number): Uint8Array | null => tables.pages[bit].get(number) ?? null;
  return {
    lease: () => tables.lease,
    head: () => tables.head,
    state: () => tables.state?.state ?? { kind: 'running' },
    stateBy: () => tables.state?.by ?? null,
    place: () => tables.place,
    inFlight: (index) => tables.inFlight.get(index) ?? null,
    worker: (worker) => tables.workers.get(worker) ?? null,
    everyInFlight: () => [...tables.inFlight].sort(([a], [b]) => a - b).map(([index, item]) => ({ index, item })),
    everyPage: (bit) => [...tables.pages[bit]].sort(([a], [b]) => a - b).map(([number, bytes]) => ({ page: number, bytes })),
    page,
    everyWorker: () => [...tables.workers].sort(([a], [b]) => (a < b ? -1 : 1)).map(([worker, row]) => ({ worker, row })),
    tally: (epoch) => tables.tallies.get(epoch) ?? null,
    everyTally: () => [...tables.tallies].sort(([a], [b]) => a - b).map(([epoch, tally]) => ({ epoch, ...tally })),
  };
}

function apply(tables: Tables, writes: Writes): void {
  tables.lease = writes.lease ?? tables.lease;
  tables.head = writes.head ?? tables.head;
  tables.state = writes.state ?? tables.state;
  tables.place = writes.place ?? tables.place;
  if (writes.worker !== undefined) tables.workers.set(writes.worker.worker, writes.worker.row);
  for (const { epoch, ...tally } of writes.tallies ?? []) tables.tallies.set(epoch, tally);
  for (const [index, bit] of writes.cleared ?? []) clearBit(mustGet(tables.pages[bit].get(pageOf(index)), 'the page of a bit'), index);
  for (const { from, count, item } of writes.granted ?? []) for (let n = 0; n < count; n += 1) tables.inFlight.set(from + n, item);
  for (const [index, item] of writes.items ?? []) applyItem(tables, index, item);
}

function applyItem(tables: Tables, index: ItemIndex, item: HandedOut): void {
  if (item.state === 'running' || item.state === 'handed-back') {
    tables.inFlight.set(index, item);
    return;
  }
  tables.inFlight.delete(index);
  const pages = tables.pages[item.state];
  const bytes = pages.get(pageOf(index)) ?? new Uint8Array(PAGE_BYTES);
  setBit(bytes, index);
  pages.set(pageOf(index), bytes);
}
