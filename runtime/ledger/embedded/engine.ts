import { assert } from '../../base/assert.ts';
import { shortageNow } from '../../base/fs/free-space.ts';
import { emptyRows } from '../memory/ledger.ts';
import type { AllRows } from '../rows.ts';
import type { Engine } from '../rules/verbs.ts';
import { isStoreThere } from './database.ts';
import { noSpace } from './failure.ts';
import { openStore, type Store } from './store.ts';

/** What a usual commit adds to the file, which else uses pages again; far less than a coordinator wants to find free when it begins. */
const COMMIT_BYTES: number = 2 ** 17;

/**
 * One directory, open for reading, for writing or not at all. LMDB allows one opening per process, so a change of mode closes
 * first; whoever reads meanwhile waits for the change.
 */
export interface EmbeddedEngine extends Engine {
  /** Runs when earlier work of this kind is over. Inside, only `now` may be used. */
  alone<T>(work: (now: Now) => Promise<T>): Promise<T>;
}

/** What may be done inside `alone`. */
export interface Now {
  read<T>(read: (rows: AllRows) => T): Promise<T>;
  mode(): Store['mode'] | 'closed';
  openForWriting(): Promise<Store>;
  /** The next read opens it again, for reading. */
  close(): Promise<void>;
}

export function createEngine(dir: string): EmbeddedEngine {
  let store: Store | null = null;
  let isDisposed = false;
  let last: Promise<unknown> = Promise.resolve();

  const present: Now = {
    read: async (read) => {
      if (store === null && isStoreThere(dir)) store = await openStore(dir, 'read');
      return store === null ? read(emptyRows()) : store.read(read);
    },
    mode: () => store?.mode ?? 'closed',
    openForWriting: async () => {
      if (store?.mode === 'write') return store;
      await present.close();
      store = await openStore(dir, 'write');
      return store;
    },
    close: async () => {
      const before = store;
      store = null;
      await before?.close();
    },
  };
  const alone = <T>(work: (now: Now) => Promise<T>): Promise<T> => {
    assert(!isDisposed, 'the ledger was disposed');
    const done = last.then(() => work(present));
    last = done.catch(() => undefined);
    return done;
  };
  return {
    alone,
    read: async (read) => (store?.mode === 'write' ? store.read(read) : alone((now) => now.read(read))),
    transact: async (decide) => {
      assert(store?.mode === 'write', 'this ledger is open for reading: acquire the lease first');
      // A write of LMDB that finds no space damages the memory of the process (lmdb 3.5.6), which still has the ledger open.
      if (shortageNow(dir, COMMIT_BYTES) !== null) throw noSpace(dir);
      return store.transact(decide);
    },
    // Every process of the machine would read the same wall clock, but a step of it would depose a healthy holder.
    nowMs: () => null,
    dispose: async () => {
      if (isDisposed) return;
      const closed = alone((now) => now.close());
      isDisposed = true;
      await closed;
    },
  };
}
