import { assert } from '../../base/assert.ts';
import type { Lease } from '../../model/lease.ts';
import type { ItemIndex, Row } from '../../model/row.ts';
import { clearBit, PAGE_BYTES, pageOf, setBit } from '../bitmap.ts';
import { type PackedRow, packHead, packInFlight, packTally, unpackHead, unpackInFlight, unpackTally } from '../codec.ts';
import type { Place } from '../contract.ts';
import type { AllRows, Bit, InFlight, StateRow, WorkerRow, Writes } from '../rows.ts';
import { FORMAT_VERSION } from './database.ts';
import type { KeyValues } from './key-values.ts';
import { isPageOf, itemKey, KEY, numberOf, pageKey, tallyKey, workerKey, workerNameKey, workerOf } from './keys.ts';
import { list } from './list.ts';
import { type Names, readJson, readWorker } from './names.ts';
import { Ranges } from './ranges.ts';

/** The rows of the rulebook in LMDB. Inside a transaction, reads see it and writes belong to it. */
export interface Table {
  readonly rows: AllRows;
  apply(writes: Writes): void;
}

/** For one decision, or one read: each page of ranges that it touches is read once. */
export function tableOf(database: KeyValues, names: Names): Table {
  const ranges = new Ranges(database, names);
  return {
    rows: rowsOf(database, names, ranges),
    apply: (writes) => applyWrites(database, names, ranges, writes),
  };
}

function named(names: Names, { workerNumber, attempt, claimEpoch }: PackedRow): Row {
  return { worker: names.nameOf(workerNumber), attempt, claimEpoch };
}

function numbered(names: Names, { worker, attempt, claimEpoch }: Row): PackedRow {
  return { workerNumber: names.numberOf(worker), attempt, claimEpoch };
}

function packed(names: Names, item: InFlight): Uint8Array {
  const { state, lastAttempt, faults } = item;
  const second = item.state === 'handed-back' || item.second === null ? null : numbered(names, item.second);
  return packInFlight({ state, row: numbered(names, item.row), second, lastAttempt, faults });
}

function rowsOf(database: KeyValues, names: Names, ranges: Ranges): AllRows {
  const page = (bit: Bit, number: number): Uint8Array | null => database.getBinary(pageKey(bit, number)) ?? null;
  const unpack = (bytes: Uint8Array): InFlight => {
    const { state, second, lastAttempt, faults, ...packed } = unpackInFlight(bytes);
    const row = named(names, packed.row);
    if (state === 'running') return { state, row, second: second === null ? null : named(names, second), lastAttempt, faults };
    assert(second === null, 'a handed-back item has one row (L15)');
    return { state, row, lastAttempt, faults };
  };
  return {
    lease: () => readJson<Lease>(database, KEY.lease),
    head: () => {
      const bytes = database.getBinary(KEY.head);
      return bytes === undefined ? null : unpackHead(bytes);
    },
    state: () => readJson<StateRow>(database, KEY.state)?.state ?? { kind: 'running' },
    stateBy: () => readJson<StateRow>(database, KEY.state)?.by ?? null,
    place: () => readJson<Place>(database, KEY.place),
    inFlight: (index) => {
      const open = ranges.itemAt(index);
      if (open !== null) return open;
      const bytes = database.getBinary(itemKey(index));
      return bytes === undefined ? null : unpack(bytes);
    },
    page,
    worker: (worker) => readWorker(database, worker),
    everyInFlight: () =>
      [...ranges.everyOpen(), ...list(database, 'item', (key, value) => ({ index: numberOf(key), item: unpack(value) }))].sort(
        (a, b) => a.index - b.index,
      ),
    everyPage: (bit) => list(database, 'page', (key, value) => (isPageOf(bit, key) ? [{ page: numberOf(key), bytes: value }] : [])).flat(),
    everyWorker: () =>
      list(database, 'worker', (key, value) => ({ worker: workerOf(key), row: JSON.parse(value.toString()) as WorkerRow })),
    tally: (epoch) => {
      const bytes = database.getBinary(tallyKey(epoch));
      return bytes === undefined ? null : unpackTally(bytes);
    },
    everyTally: () => list(database, 'tally', (key, value) => ({ epoch: numberOf(key), ...unpackTally(value) })),
  };
}

function applyWrites(database: KeyValues, names: Names, ranges: Ranges, writes: Writes): void {
  const put = (key: Buffer, value: Uint8Array | string): void => {
    database.putSync(key, typeof value === 'string' ? Buffer.from(value) : Buffer.from(value.buffer, value.byteOffset, value.byteLength));
  };
  if (writes.lease !== undefined) {
    put(KEY.format, String(FORMAT_VERSION));
    put(KEY.lease, JSON.stringify(writes.lease));
  }
  if (writes.head !== undefined) put(KEY.head, packHead(writes.head));
  if (writes.state !== undefined) put(KEY.state, JSON.stringify(writes.state));
  if (writes.place !== undefined) put(KEY.place, JSON.stringify(writes.place));
  for (const tally of writes.tallies ?? []) put(tallyKey(tally.epoch), packTally(tally));
  if (writes.worker !== undefined) {
    const { worker, row } = writes.worker;
    put(workerKey(worker), JSON.stringify(row));
    put(workerNameKey(row.number), worker);
  }
  for (const range of writes.granted ?? []) ranges.grant(range);
  if (writes.items !== undefined) applyItems(database, names, ranges, writes, put);
  ranges.write();
}

type Put = (key: Buffer, value: Uint8Array) => void;

/** Each touched page of a bitmap is read and written once, however many of its items are settled. */
function applyItems(database: KeyValues, names: Names, ranges: Ranges, { items, cleared }: Writes, put: Put): void {
  const pages = { done: new Map<number, Uint8Array>(), failed: new Map<number, Uint8Array>() };
  const pageFor = (bit: Bit, index: ItemIndex): Uint8Array => {
    const number = pageOf(index);
    const bytes = pages[bit].get(number) ?? pageCopy(database, bit, number);
    pages[bit].set(number, bytes);
    return bytes;
  };
  for (const [index, item] of items ?? []) {
    const wasOpen = ranges.close(index);
    if (item.state === 'running' || item.state === 'handed-back') {
      put(itemKey(index), packed(names, item));
      continue;
    }
    if (!wasOpen) database.removeSync(itemKey(index));
    setBit(pageFor(item.state, index), index);
  }
  for (const [index, bit] of cleared ?? []) clearBit(pageFor(bit, index), index);
  for (const bit of ['done', 'failed'] as const) {
    for (const [number, bytes] of pages[bit]) put(pageKey(bit, number), bytes);
  }
}

function pageCopy(database: KeyValues, bit: Bit, number: number): Uint8Array {
  const bytes = database.getBinary(pageKey(bit, number));
  if (bytes === undefined) return new Uint8Array(PAGE_BYTES);
  assert(bytes.length === PAGE_BYTES, 'a page of a bitmap is whole');
  return Uint8Array.from(bytes);
}
