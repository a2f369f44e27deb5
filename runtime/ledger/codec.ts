import { assert } from '../base/assert.ts';
import { isU32 } from '../base/u32.ts';
import type { Row } from '../model/row.ts';
import type { Faults } from './contract.ts';
import { NO_FAULTS } from './contract.ts';
import type { Head, InFlight } from './rows.ts';

/**
 * The packed rows of a store. An item in flight takes 13 bytes, little-endian:
 *
 *   state u8 (1 running, 2 handed back) · worker number u32 · attempt u32 · claim epoch u32
 *
 * and 8 more, failures u32 · delayMs u32, only while it has faults: that is the sparse map of L14, kept in the row itself.
 * The name of the worker stands once, beside its number.
 */
const STATE_CODE = { running: 1, 'handed-back': 2 } as const;
const ROW_BYTES = 13;
const ROW_BYTES_WITH_FAULTS = 21;

/** An item in flight with its worker's number in place of its name. */
export interface PackedInFlight {
  readonly state: InFlight['state'];
  readonly workerNumber: number;
  readonly attempt: Row['attempt'];
  readonly claimEpoch: Row['claimEpoch'];
  readonly faults: Faults;
}

export function packInFlight(item: PackedInFlight): Uint8Array {
  const hasFaults = item.faults.failures > 0 || item.faults.delayMs > 0;
  const bytes = new Uint8Array(hasFaults ? ROW_BYTES_WITH_FAULTS : ROW_BYTES);
  const view = viewOf(bytes);
  view.setUint8(0, STATE_CODE[item.state]);
  putU32(view, 1, item.workerNumber, 'a worker number');
  putU32(view, 5, item.attempt, 'an attempt');
  putU32(view, 9, item.claimEpoch, 'a claim epoch');
  if (hasFaults) {
    putU32(view, 13, item.faults.failures, 'a failure count');
    putU32(view, 17, item.faults.delayMs, 'a delay');
  }
  return bytes;
}

export function unpackInFlight(bytes: Uint8Array): PackedInFlight {
  assert(bytes.length === ROW_BYTES || bytes.length === ROW_BYTES_WITH_FAULTS, 'a packed row has 13 or 21 bytes');
  const view = viewOf(bytes);
  const code = view.getUint8(0);
  assert(code === STATE_CODE.running || code === STATE_CODE['handed-back'], 'a packed row is running or handed back');
  return {
    state: code === STATE_CODE.running ? 'running' : 'handed-back',
    workerNumber: view.getUint32(1, true),
    attempt: view.getUint32(5, true),
    claimEpoch: view.getUint32(9, true),
    faults: bytes.length === ROW_BYTES ? NO_FAULTS : { failures: view.getUint32(13, true), delayMs: view.getUint32(17, true) },
  };
}

/** The head row: eight u32, the accepted epoch kept plus one, so that 0 stands for none. */
const HEAD_BYTES = 32;

export function packHead(head: Head): Uint8Array {
  const bytes = new Uint8Array(HEAD_BYTES);
  const view = viewOf(bytes);
  const { epoch, cursor, running, handedBack, done, failed, workerNumbers, acceptedEpoch } = head;
  [epoch, cursor, running, handedBack, done, failed, workerNumbers, acceptedEpoch + 1].forEach((value, at) => {
    putU32(view, at * 4, value, 'a field of the head row');
  });
  return bytes;
}

export function unpackHead(bytes: Uint8Array): Head {
  assert(bytes.length === HEAD_BYTES, 'the head row has 32 bytes');
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
    acceptedEpoch: field(7) - 1,
  };
}

function putU32(view: DataView, at: number, value: number, what: string): void {
  assert(isU32(value), `${what} fits in 32 bits (L9)`);
  view.setUint32(at, value, true);
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
