import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { RolloutError } from '../../base/errors.ts';

export type Database = RootDatabase<Buffer, Buffer>;

/** Grows with every change of keys or packed rows; another version's store is refused. */
export const FORMAT_VERSION = 3;

function storeFile(dir: string): string {
  return join(dir, 'ledger.mdb');
}

/** False also while another process is about to make it. */
export function isStoreThere(dir: string): boolean {
  return (statSync(storeFile(dir), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Never noSync and never a write map: both can lose or damage what was acknowledged. */
export function openDatabase(dir: string, mode: 'read' | 'write'): Database {
  const path = storeFile(dir);
  requireOpenable(path);
  return open<Buffer, Buffer>({
    path,
    noSubdir: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    // The batch of a turn has a promise of its own that nobody hears: after a failed commit it would end the process.
    eventTurnBatching: false,
    readOnly: mode === 'read',
  });
}

/** lmdb ends the process with SIGSEGV where LMDB refuses to open (tried with 3.5.6), so what it would refuse is found before. */
function requireOpenable(path: string): void {
  // LMDB writes to the lock file also for a reader.
  for (const needed of [dirname(path), path, `${path}-lock`]) {
    if (existsSync(needed)) accessSync(needed, constants.R_OK | constants.W_OK);
  }
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > 0) requireMagic(path);
}

/** The first page's header is 24 bytes; then LMDB's magic number and data version follow, in the machine's order of bytes. */
const MAGIC_AT = 24;
const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;

function requireMagic(path: string): void {
  const header = new Uint32Array(2);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.byteLength, MAGIC_AT);
  } finally {
    closeSync(file);
  }
  if (header[0] === MAGIC && header[1] === DATA_VERSION) return;
  throw new RolloutError(
    'STATE_UNREADABLE',
    `${path} is not a store that this version of rollout reads. If it was damaged, restore a copy of the state directory, or begin anew with --fresh.`,
  );
}
