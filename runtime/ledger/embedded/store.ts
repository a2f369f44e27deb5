import { RolloutError } from '../../base/errors.ts';
import { syncNames } from '../../base/fs/atomic-file.ts';
import type { AllRows, Decision } from '../rows.ts';
import { type Database, FORMAT_VERSION, openDatabase } from './database.ts';
import { storeFailure } from './failure.ts';
import { KEY } from './keys.ts';
import { createNames } from './names.ts';
import { clearSeats, type Seat, takeSeat } from './seat.ts';
import { tableOf } from './table.ts';

/** An open LMDB environment. One process may have a directory open only once. */
export interface Store {
  readonly mode: 'read' | 'write';
  /** Sees what is committed now. */
  read<T>(read: (rows: AllRows) => T): T;
  /** One of many decisions in one LMDB transaction, each whole; resolves after its fdatasync (overlappingSync is off). */
  transact<T>(decide: (rows: AllRows) => Decision<T>): Promise<T>;
  close(): Promise<void>;
}

/** Opening for reading never waits for a writer; opening for writing blocks this process while another has the writer's lock. */
export async function openStore(dir: string, mode: Store['mode']): Promise<Store> {
  let seat: Seat | null = null;
  try {
    seat = await takeSeat(dir);
    if (mode === 'write') await clearSeats(dir);
    return storeOver(await openChecked(dir, mode), dir, mode, seat);
  } catch (error) {
    await seat?.leave();
    throw await storeFailure(dir, error);
  }
}

async function openChecked(dir: string, mode: Store['mode']): Promise<Database> {
  const database = openDatabase(dir, mode);
  try {
    requireFormat(database, dir);
    // LMDB never syncs the name of its file: without this a power cut could take the whole store.
    if (mode === 'write') await syncNames(dir);
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

function requireFormat(database: Database, dir: string): void {
  const found = database.getBinary(KEY.format)?.toString();
  if (found === undefined && database.getBinary(KEY.lease) === undefined) return;
  if (found === String(FORMAT_VERSION)) return;
  throw new RolloutError(
    'STATE_UNREADABLE',
    `The store in ${dir} has format ${found ?? 'unknown'}, and this version of rollout reads format ${FORMAT_VERSION}. Finish the run with the version that began it, or start it over with --fresh, which keeps the old directory aside.`,
  );
}

function storeOver(database: Database, dir: string, mode: Store['mode'], seat: Seat): Store {
  const names = createNames(database);
  return {
    mode,
    read: (read) => {
      database.resetReadTxn();
      return read(tableOf(database, names).rows);
    },
    transact: async (decide) => {
      try {
        return await database.transaction(() => {
          const table = tableOf(database, names);
          const { reply, writes } = decide(table.rows);
          if (writes !== null) table.apply(writes);
          return reply;
        });
      } catch (error) {
        names.clear();
        throw await storeFailure(dir, error);
      }
    },
    close: async () => {
      await database.close();
      await seat.leave();
    },
  };
}
