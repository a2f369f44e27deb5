import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { RolloutError } from '../../base/errors.ts';
import { storeFileProblem } from './file-problem.ts';

export type Database = RootDatabase<Buffer, Buffer>;

/** Grows with every change of keys, packed rows or segments; another version's store is refused. */
export const FORMAT_VERSION = 7;

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

/** lmdb ends the process with a signal where LMDB cannot open a file, so what it would refuse is found before. */
function requireOpenable(path: string): void {
  // LMDB writes to the lock file also for a reader.
  for (const needed of [dirname(path), path, `${path}-lock`]) {
    if (existsSync(needed)) accessSync(needed, constants.R_OK | constants.W_OK);
  }
  const problem = existsSync(path) ? storeFileProblem(path) : null;
  if (problem === null) return;
  throw new RolloutError(
    'STATE_UNREADABLE',
    `The store ${path} ${problem}. Restore a whole copy of the state directory, or start over with --fresh.`,
  );
}
