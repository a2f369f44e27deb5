import { statSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';

export type Database = RootDatabase<Buffer, Buffer>;

/** Grows with every change of keys or packed rows; another version's store is refused. */
export const FORMAT_VERSION = 1;

function storeFile(dir: string): string {
  return join(dir, 'ledger.mdb');
}

/** False also while another process is about to make it. */
export function isStoreThere(dir: string): boolean {
  return (statSync(storeFile(dir), { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Never noSync and never a write map: both can lose or damage what was acknowledged. */
export function openDatabase(dir: string, mode: 'read' | 'write'): Database {
  return open<Buffer, Buffer>({
    path: storeFile(dir),
    noSubdir: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    overlappingSync: false,
    readOnly: mode === 'read',
  });
}
