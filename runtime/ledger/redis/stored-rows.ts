import { assert } from '../../base/assert.ts';
import type { Epoch, ItemIndex, Row, WorkerId } from '../../model/row.ts';
import { PAGE_BYTES } from '../bitmap.ts';
import { type PackedRow, unpackHead, unpackInFlight, unpackTally } from '../codec.ts';
import type { Place, WorkerInfo } from '../contract.ts';
import { RangePage, type WorkerNames } from '../range-page.ts';
import type { AllRows, Bit, Head, InFlight, StateRow, WorkerRow } from '../rows.ts';
import { stateOf } from './refusal.ts';

/** What the keys of a run hold, read whole; the rulebook's own `scan` judges it. */
export interface Stored {
  readonly head: Uint8Array;
  readonly redone: number;
  readonly state: Uint8Array;
  readonly place: string;
  readonly open: ReadonlyMap<number, Uint8Array>;
  readonly items: ReadonlyMap<ItemIndex, Uint8Array>;
  readonly bits: Readonly<Record<Bit, Uint8Array>>;
  readonly workers: ReadonlyMap<WorkerId, Uint8Array>;
  readonly tallies: ReadonlyMap<Epoch, Uint8Array>;
}

/** Of a hash as the server sends it: name, value, name, value. */
export function entriesOf(flat: readonly Buffer[]): readonly (readonly [Buffer, Buffer])[] {
  const entries: [Buffer, Buffer][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) entries.push([flat[at] as Buffer, flat[at + 1] as Buffer]);
  return entries;
}

export function rowsOf(stored: Stored): AllRows {
  const workers = [...stored.workers]
    .map(([worker, bytes]) => ({ worker, row: workerRowOf(bytes) }))
    .sort((a, b) => (a.worker < b.worker ? -1 : 1));
  const byName = new Map(workers.map(({ worker, row }) => [worker, row]));
  const names = namesOf(workers);
  const inFlight = inFlightOf(stored, names);
  const byIndex = new Map(inFlight.map(({ index, item }) => [index, item]));
  const pages = { done: pagesOf(stored.bits.done), failed: pagesOf(stored.bits.failed) };
  const tallies = [...stored.tallies].map(([epoch, bytes]) => ({ epoch, ...unpackTally(bytes) })).sort((a, b) => a.epoch - b.epoch);
  const state = stateRowOf(stored.state);
  return {
    lease: () => null,
    head: () => headOf(stored.head, stored.redone),
    state: () => state?.state ?? { kind: 'running' },
    stateBy: () => state?.by ?? null,
    place: () => (stored.place === '' ? null : (JSON.parse(stored.place) as Place)),
    inFlight: (index) => byIndex.get(index) ?? null,
    page: (bit, page) => pages[bit].get(page) ?? null,
    worker: (worker) => byName.get(worker) ?? null,
    tally: (epoch) => tallies.find((one) => one.epoch === epoch) ?? null,
    everyInFlight: () => inFlight,
    everyPage: (bit) => [...pages[bit]].map(([page, bytes]) => ({ page, bytes })),
    everyWorker: () => workers,
    everyTally: () => tallies,
  };
}

export function headOf(bytes: Uint8Array, redone: number): Head | null {
  return bytes.length === 0 ? null : { ...unpackHead(bytes), redone };
}

/** A count that is kept as text; empty before it was first counted. */
export function countOf(text: Uint8Array | undefined): number {
  return Number(Buffer.from(text ?? []).toString('latin1'));
}

/** State, stamp and reason (lua/lib/head.lua). */
export function stateRowOf(bytes: Uint8Array): StateRow | null {
  if (bytes.length === 0) return null;
  const text = Buffer.from(bytes);
  const by = { epoch: text.readUInt32LE(1), serial: text.readUInt32LE(5) };
  return { state: stateOf(text.toString('latin1', 0, 1), text.toString('utf8', 9)), by };
}

/** Number, stamp and registration (lua/lib/names.lua). */
export function workerRowOf(bytes: Uint8Array): WorkerRow {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const info = text.length === 12 ? null : (JSON.parse(text.toString('utf8', 12)) as WorkerInfo);
  return { number: text.readUInt32LE(0), info, by: { epoch: text.readUInt32LE(4), serial: text.readUInt32LE(8) } };
}

function namesOf(workers: readonly { readonly worker: WorkerId; readonly row: WorkerRow }[]): WorkerNames {
  const names = new Map<number, WorkerId>([
    [0, 'coordinator'],
    ...workers.map(({ worker, row }): [number, WorkerId] => [row.number, worker]),
  ]);
  return {
    nameOf: (number) => {
      const name = names.get(number);
      assert(name !== undefined, 'the name of a worker');
      return name;
    },
    numberOf: () => assert(false, 'rows that were read are not written') as never,
  };
}

function inFlightOf({ open, items }: Stored, names: WorkerNames): readonly { readonly index: ItemIndex; readonly item: InFlight }[] {
  const opened = [...open].flatMap(([page, bytes]) => new RangePage(page, withBitsTurned(bytes, OPEN_BYTES), names).openItems());
  const others = [...items].map(([index, bytes]) => ({ index, item: itemOf(bytes, names) }));
  return [...opened, ...others].sort((a, b) => a.index - b.index);
}

const OPEN_BYTES = 32;

function itemOf(bytes: Uint8Array, names: WorkerNames): InFlight {
  const { state, second, lastAttempt, faults, row: packed } = unpackInFlight(bytes);
  const named = ({ workerNumber, attempt, claimEpoch }: PackedRow): Row => ({ worker: names.nameOf(workerNumber), attempt, claimEpoch });
  if (state === 'handed-back') return { state, row: named(packed), lastAttempt, faults };
  return { state, row: named(packed), second: second === null ? null : named(second), lastAttempt, faults };
}

/** A bitmap of Redis in the pages of the rulebook, those of zeros left out. */
export function pagesOf(bitmap: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const pages = new Map<number, Uint8Array>();
  for (let from = 0; from < bitmap.length; from += PAGE_BYTES) {
    const part = bitmap.subarray(from, from + PAGE_BYTES);
    if (part.every((byte) => byte === 0)) continue;
    const page = new Uint8Array(PAGE_BYTES);
    page.set(withBitsTurned(part, part.length));
    pages.set(from / PAGE_BYTES, page);
  }
  return pages;
}

/** SETBIT counts from the highest bit of a byte, bitmap.ts from the lowest. */
const TURNED: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => turned(byte));

function turned(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit += 1) if ((byte & (1 << bit)) !== 0) result |= 128 >> bit;
  return result;
}

function withBitsTurned(bytes: Uint8Array, upTo: number): Uint8Array {
  return Uint8Array.from(bytes, (byte, at) => (at < upTo ? (TURNED[byte] ?? 0) : byte));
}
