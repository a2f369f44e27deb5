import { assert } from '../base/assert.ts';
import { isU32 } from '../base/u32.ts';
import type { Attempt, Row } from '../model/row.ts';
import type { Tally } from '../model/tally.ts';
import type { Faults } from './contract.ts';
import { NO_FAULTS } from './contract.ts';
import type { Head, InFlight } from './rows.ts';

/**
 * The packed rows of a store. An item in flight takes 13 bytes, little-endian:
 *
 *   flags u8 · worker number u32 · attempt u32 · claim epoch u32
 *
 * The flags' low two bits are the state (1 running, 2 handed back). Each of the others says that something follows, in this order:
 *
 *   4   the row of a second attempt (L13): worker number u32 · attempt u32 · claim epoch u32
 *   8   the last attempt, where it is not the row's: u32
 *   16  faults, the sparse map of L14: failures u32 · delayMs u32 · suspicions u32 · crashes u32
 *   32  how often a row was given back to it (L44): u32
 *
 * The name of the worker stands once, beside its number.
 */
const STATE_CODE = { running: 1, 'handed-back': 2 } as const;
const STATE_BITS = 3;
const FLAG = { second: 4, lastAttempt: 8, faults: 16, restores: 32 } as const;
const STATE_BYTES = 1;
const ROW_BYTES = 12;
const LAST_ATTEMPT_BYTES = 4;
const FAULTS_BYTES = 16;
const RESTORES_BYTES = 4;

/** A row with its worker's number in place of its name. */
export interface PackedRow extends Omit<Row, 'worker'> {
  readonly workerNumber: number;
}

export interface PackedInFlight {
  readonly state: InFlight['state'];
  readonly row: PackedRow;
  readonly second: PackedRow | null;
  readonly lastAttempt: Attempt;
  readonly faults: Faults;
}

export function packInFlight({ state, row, second, lastAttempt, faults }: PackedInFlight): Uint8Array {
  const flags =
    (second === null ? 0 : FLAG.second) |
    (lastAttempt === row.attempt ? 0 : FLAG.lastAttempt) |
    (faults.failures + faults.delayMs + faults.suspicions + faults.crashes === 0 ? 0 : FLAG.faults) |
    (faults.restores === 0 ? 0 : FLAG.restores);
  const bytes = new Uint8Array(packedBytes(flags));
  const view = viewOf(bytes);
  view.setUint8(0, STATE_CODE[state] | flags);
  let at = putRow(view, STATE_BYTES, row);
  if (second !== null) at = putRow(view, at, second);
  if ((flags & FLAG.lastAttempt) !== 0) at = putU32(view, at, lastAttempt, 'the last attempt');
  if ((flags & FLAG.faults) !== 0) at = putFaults(view, at, faults);
  if ((flags & FLAG.restores) !== 0) putU32(view, at, faults.restores, 'a count of restores');
  return bytes;
}

export function unpackInFlight(bytes: Uint8Array): PackedInFlight {
  assert(bytes.length > 0, 'a packed row has bytes');
  const view = viewOf(bytes);
  const flags = view.getUint8(0) & ~STATE_BITS;
  const code = view.getUint8(0) & STATE_BITS;
  assert(code === STATE_CODE.running || code === STATE_CODE['handed-back'], 'a packed row is running or handed back');
  assert(flags < FLAG.restores * 2, 'a packed row has known flags');
  assert(bytes.length === packedBytes(flags), 'a packed row is as long as its flags say');
  const row = rowAt(view, STATE_BYTES);
  let at = STATE_BYTES + ROW_BYTES;
  const second = (flags & FLAG.second) === 0 ? null : rowAt(view, at);
  if (second !== null) at += ROW_BYTES;
  const hasLastAttempt = (flags & FLAG.lastAttempt) !== 0;
  const lastAttempt = hasLastAttempt ? view.getUint32(at, true) : row.attempt;
  if (hasLastAttempt) at += LAST_ATTEMPT_BYTES;
  const hasFaults = (flags & FLAG.faults) !== 0;
  const faults = hasFaults ? faultsAt(view, at) : NO_FAULTS;
  if (hasFaults) at += FAULTS_BYTES;
  const restores = (flags & FLAG.restores) === 0 ? 0 : view.getUint32(at, true);
  return { state: code === STATE_CODE.running ? 'running' : 'handed-back', row, second, lastAttempt, faults: { ...faults, restores } };
}

function packedBytes(flags: number): number {
  return (
    STATE_BYTES +
    ROW_BYTES +
    ((flags & FLAG.second) === 0 ? 0 : ROW_BYTES) +
    ((flags & FLAG.lastAttempt) === 0 ? 0 : LAST_ATTEMPT_BYTES) +
    ((flags & FLAG.faults) === 0 ? 0 : FAULTS_BYTES) +
    ((flags & FLAG.restores) === 0 ? 0 : RESTORES_BYTES)
  );
}

/** These answer where the next field begins. */
function putRow(view: DataView, at: number, { workerNumber, attempt, claimEpoch }: PackedRow): number {
  putU32(view, at, workerNumber, 'a worker number');
  putU32(view, at + 4, attempt, 'an attempt');
  return putU32(view, at + 8, claimEpoch, 'a claim epoch');
}

function rowAt(view: DataView, at: number): PackedRow {
  return { workerNumber: view.getUint32(at, true), attempt: view.getUint32(at + 4, true), claimEpoch: view.getUint32(at + 8, true) };
}

function putFaults(view: DataView, at: number, { failures, delayMs, suspicions, crashes }: Faults): number {
  putU32(view, at, failures, 'a failure count');
  putU32(view, at + 4, delayMs, 'a delay');
  putU32(view, at + 8, suspicions, 'a count of suspicions');
  return putU32(view, at + 12, crashes, 'a count of crashes');
}

function faultsAt(view: DataView, at: number): Omit<Faults, 'restores'> {
  const field = (n: number): number => view.getUint32(at + n * 4, true);
  return { failures: field(0), delayMs: field(1), suspicions: field(2), crashes: field(3) };
}

/** The head row: nine u32. Rows of earlier versions lack the last one; so do those of Redis, which keeps it in a field of its own. */
const HEAD_BYTES = 36;
const HEAD_BYTES_BEFORE = 32;

export function packHead(head: Head): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES);
  const view = viewOf(bytes);
  const { epoch, cursor, running, handedBack, done, failed, workerNumbers, highestAttempt, redone } = head;
  [epoch, cursor, running, handedBack, done, failed, workerNumbers, highestAttempt, redone].forEach((value, at) => {
    putU32(view, at * 4, value, 'a field of the head row');
  });
  return bytes;
}

export function unpackHead(bytes: Uint8Array): Head {
  assert(bytes.length === HEAD_BYTES || bytes.length === HEAD_BYTES_BEFORE, 'the head row has 36 bytes, or 32');
  const view = viewOf(bytes);
  const field = (at: number): number => view.getUint32(at * 4, true);
  return {
    epoch: field(0),
    cursor: field(1),
    running: field(2),
    handedBack: field(3),
    done: field(4),
    failed: field(5),
    workerNumbers: field(6),
    highestAttempt: field(7),
    redone: bytes.length === HEAD_BYTES ? field(8) : 0,
  };
}

/** A tally: three u32. */
const TALLY_BYTES = 12;

export function packTally({ count, low, high }: Tally): Uint8Array {
  const bytes = new Uint8Array(TALLY_BYTES);
  const view = viewOf(bytes);
  [count, low, high].forEach((value, at) => {
    putU32(view, at * 4, value, 'a field of a tally');
  });
  return bytes;
}

export function unpackTally(bytes: Uint8Array): Tally {
  assert(bytes.length === TALLY_BYTES, 'a tally has 12 bytes');
  const view = viewOf(bytes);
  return { count: view.getUint32(0, true), low: view.getUint32(4, true), high: view.getUint32(8, true) };
}

export function putU32(view: DataView, at: number, value: number, what: string): number {
  assert(isU32(value), `${what} fits in 32 bits (L9)`);
  view.setUint32(at, value, true);
  return at + 4;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
