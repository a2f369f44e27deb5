import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { present } from '../base/assert.ts';
import { syncNames } from '../base/atomic-file.ts';
import { commitCause } from '../base/commit-cause.ts';
import { RolloutError } from '../base/errors.ts';
import { shortageNow } from '../base/free-space.ts';
import { describeProcess } from '../base/process-identity.ts';
import { type ProcessLock, takeLock } from '../base/process-lock.ts';
import { storeFileProblem } from '../base/store-file.ts';
import type { ProcessIdentity } from '../model/lease.ts';
import type { Epoch, ItemRef, WorkerId } from '../model/row.ts';
import type { Outcome } from '../model/session.ts';
import { type AwaitRoom, OUTBOX_FREE_BYTES } from './room.ts';

/**
 * The worker's own store: outcomes that no coordinator has acknowledged (L34), the highest epoch seen, and whose store it is (L33).
 * Every promise resolves once its change is durable; changes of the same turn share one commit.
 */
export interface Outbox {
  /** What an earlier process of this worker left unacknowledged. */
  readonly found: readonly Outcome[];
  /** 0 where no coordinator of this run has been met. */
  readonly highestEpoch: Epoch;
  put(outcomes: readonly Outcome[]): Promise<void>;
  forget(refs: readonly ItemRef[]): Promise<void>;
  keepEpoch(epoch: Epoch): Promise<void>;
  close(): Promise<void>;
}

export interface OutboxOwner {
  /** The folder of the store. */
  readonly dir: string;
  readonly workerId: WorkerId;
  readonly runId: string;
  /** Asked where the disk is short: what is to be written is written once this resolves. */
  readonly awaitRoom: AwaitRoom;
}

interface Whose {
  readonly workerId: WorkerId;
  readonly runId: string;
}

type OutcomeKey = [index: number, attempt: number];

interface Store {
  readonly root: RootDatabase;
  readonly meta: Database<unknown, string>;
  readonly outcomes: Database<Outcome, OutcomeKey>;
}

const FILE = 'outbox.mdb';
const LOCK = 'lock';

/** The lock comes first: behind a living writer that is stopped, opening the store would hold up this process for as long. */
export async function openOutbox(owner: OutboxOwner): Promise<Outbox> {
  let lock: ProcessLock | null = null;
  try {
    mkdirSync(owner.dir, { recursive: true, mode: 0o700 });
    const attempt = await takeLock(join(owner.dir, LOCK));
    if (attempt.kind === 'held') throw await inUse(owner, attempt.by);
    lock = attempt.lock;
    isMade(owner.dir);
    const store = takeOver(openStore(owner.dir), owner);
    // LMDB never syncs the name of its file.
    await syncNames(owner.dir);
    return outboxOf(owner, store, lock);
  } catch (error) {
    await lock?.release();
    if (error instanceof RolloutError) throw error;
    throw failed(owner.dir, error);
  }
}

/** Reads without ever waiting for a writer. `none` where no process has got as far as making the store. */
async function reading<T>(dir: string, none: T, read: (store: Store) => T): Promise<T> {
  if (!isMade(dir)) return none;
  const root = openRoot(dir, true);
  try {
    const store = openTables(root);
    return store === null ? none : read(store);
  } finally {
    await root.close();
  }
}

/** Whether there is a store; throws where the file is something else, or a part of one, on which LMDB would crash. */
function isMade(dir: string): boolean {
  const path = join(dir, FILE);
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
  const problem = storeFileProblem(path);
  if (problem !== null) throw new Error(`${FILE} ${problem}; restore it, or move it away: its items run again`);
  return true;
}

/** How many outcomes wait in the store in `dir` to be acknowledged; 0 where there is none. Only reads, so its owner may be alive. */
export async function countWaiting(dir: string): Promise<number> {
  try {
    return await reading(dir, 0, (store) => store.outcomes.getKeysCount());
  } catch (error) {
    throw failed(dir, error);
  }
}

function openStore(dir: string): Store {
  return present(openTables(openRoot(dir, false)), 'the tables of the store');
}

function openRoot(dir: string, readOnly: boolean): RootDatabase {
  // overlappingSync off: a commit is on disk before its promise resolves, and before anyone reads it.
  // eventTurnBatching off: with it, a commit that fails leaves a rejection behind that nobody can handle.
  return open({ path: join(dir, FILE), readOnly, overlappingSync: false, eventTurnBatching: false, maxDbs: 2 });
}

/** Null where the store is open for reading and a process was killed before it had made the tables. */
function openTables(root: RootDatabase): Store | null {
  const meta = root.openDB<unknown, string>({ name: 'meta' }) as Store['meta'] | undefined;
  const outcomes = root.openDB<Outcome, OutcomeKey>({ name: 'outcomes' }) as Store['outcomes'] | undefined;
  return meta === undefined || outcomes === undefined ? null : { root, meta, outcomes };
}

function takeOver(store: Store, owner: OutboxOwner): Store {
  store.root.transactionSync(() => {
    const whose = whoseOf(store);
    const isSame = whose === undefined || (whose.workerId === owner.workerId && whose.runId === owner.runId);
    if (!isSame && store.outcomes.getKeysCount({ limit: 1 }) > 0) throw ofAnother(owner, whose);
    // An epoch of another run says nothing about this one.
    if (!isSame) store.meta.removeSync('epoch');
    store.meta.putSync('whose', { workerId: owner.workerId, runId: owner.runId } satisfies Whose);
  });
  return store;
}

function outboxOf({ dir, awaitRoom }: OutboxOwner, store: Store, lock: ProcessLock): Outbox {
  const closing = new AbortController();
  const keep = (change: () => Promise<unknown>): Promise<void> => durable(dir, change, awaitRoom, closing.signal);
  return {
    found: [...store.outcomes.getRange()].map(({ value }) => ({ ...value, line: Uint8Array.from(value.line) })),
    highestEpoch: (store.meta.get('epoch') as number | undefined) ?? 0,
    put: (outcomes) => keep(() => Promise.all(outcomes.map((outcome) => store.outcomes.put([outcome.index, outcome.attempt], outcome)))),
    forget: (refs) => keep(() => Promise.all(refs.map((ref) => store.outcomes.remove([ref.index, ref.attempt])))),
    keepEpoch: (epoch) => keep(() => store.meta.put('epoch', epoch)),
    close: async () => {
      closing.abort();
      await store.root.close();
      await lock.release();
    },
  };
}

/**
 * The disk is asked before LMDB is: a write of its that finds no space damages the memory of the process (lmdb 3.5.6 on glibc:
 * "corrupted size vs. prev_size"), so that after one the process must not go on. What waits here is kept in memory.
 */
async function durable(dir: string, change: () => Promise<unknown>, awaitRoom: AwaitRoom, closing: AbortSignal): Promise<void> {
  if (shortageNow(dir, OUTBOX_FREE_BYTES) !== null) await awaitRoom(closing);
  if (closing.aborted) throw failed(dir, new Error('it is closed'));
  try {
    await change();
  } catch (error) {
    throw failed(dir, await commitCause(error));
  }
}

function whoseOf(store: Store): Whose | undefined {
  return store.meta.get('whose') as Whose | undefined;
}

async function inUse({ dir, workerId }: OutboxOwner, by: ProcessIdentity): Promise<RolloutError> {
  return new RolloutError(
    'WORKER_ID_IN_USE',
    `${await describeProcess(by)} runs a worker on the store ${dir} already: stop it, or give worker ${workerId} its own workerId and stateDir`,
  );
}

function ofAnother(owner: OutboxOwner, whose: Whose): RolloutError {
  const theirs = `worker ${whose.workerId} of run ${whose.runId}`;
  return new RolloutError(
    'OUTBOX_OF_ANOTHER',
    `the store ${owner.dir} holds outcomes of ${theirs} that no coordinator has acknowledged. To hand them over, start the coordinator of run ${whose.runId} again, which also answers where that run is finished, and then worker ${whose.workerId} with this stateDir and that run's tls.dir; it ends with 0 once nothing is left. To keep them for later, give worker ${owner.workerId} of run ${owner.runId} another stateDir. Where nobody wants them any more, delete ${owner.dir}`,
  );
}

function failed(dir: string, cause: unknown): RolloutError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RolloutError(
    'STORE_FAILED',
    `the worker's store in ${dir} cannot be used (${reason}): check that the folder is writable and the disk is not full`,
    { cause },
  );
}
