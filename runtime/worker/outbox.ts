import { closeSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { present } from '../base/assert.ts';
import { commitCause } from '../base/commit-cause.ts';
import { RolloutError } from '../base/errors.ts';
import { shortageNow } from '../base/free-space.ts';
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
  readonly process: ProcessIdentity;
  readonly isProcessDead: (process: ProcessIdentity) => Promise<boolean>;
  /** Asked where the disk is short: what is to be written is written once this resolves. */
  readonly awaitRoom: AwaitRoom;
}

interface Whose {
  readonly workerId: WorkerId;
  readonly runId: string;
  readonly process: ProcessIdentity;
}

type OutcomeKey = [index: number, attempt: number];

interface Store {
  readonly root: RootDatabase;
  readonly meta: Database<unknown, string>;
  readonly outcomes: Database<Outcome, OutcomeKey>;
}

const FILE = 'outbox.mdb';
/** LMDB's mark at the start of each of its files. It is looked at here, since LMDB itself crashes on a file that is none of its own. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const HEAD_BYTES: number = MAGIC_AT + 4;

export async function openOutbox(owner: OutboxOwner): Promise<Outbox> {
  try {
    mkdirSync(owner.dir, { recursive: true, mode: 0o700 });
    const seen = await look(owner.dir);
    if (seen !== undefined && !isSameProcess(seen.process, owner.process) && !(await owner.isProcessDead(seen.process)))
      throw inUse(owner, seen);
    return outboxOf(owner, takeOver(openStore(owner.dir), owner, seen));
  } catch (error) {
    if (error instanceof RolloutError) throw error;
    throw failed(owner.dir, error);
  }
}

/** A look before opening for writing: behind a stopped writer, that would hold up this process for as long as it is stopped. */
async function look(dir: string): Promise<Whose | undefined> {
  return reading(dir, undefined, whoseOf);
}

/** Reads without ever waiting for a writer. `none` where no process has got as far as making the store. */
async function reading<T>(dir: string, none: T, read: (store: Store) => T): Promise<T> {
  if (statSync(join(dir, FILE), { throwIfNoEntry: false }) === undefined) return none;
  const head = readHead(join(dir, FILE));
  if (head.byteLength === 0) return none;
  if (head.byteLength < HEAD_BYTES || head.readUInt32LE(MAGIC_AT) !== MAGIC)
    throw new Error(`${FILE} is damaged, or is no store: move it away`);
  const root = openRoot(dir, true);
  try {
    const store = openTables(root);
    return store === null ? none : read(store);
  } finally {
    await root.close();
  }
}

function readHead(path: string): Buffer {
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    return head.subarray(0, readSync(file, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(file);
  }
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

/** Writes this process into the store, in the transaction that checks that nobody else did since it was looked at. */
function takeOver(store: Store, owner: OutboxOwner, seen: Whose | undefined): Store {
  store.root.transactionSync(() => {
    const whose = whoseOf(store);
    if (whose !== undefined && (seen === undefined || !isSameProcess(whose.process, seen.process))) throw inUse(owner, whose);
    const isSame = whose === undefined || (whose.workerId === owner.workerId && whose.runId === owner.runId);
    if (!isSame && store.outcomes.getKeysCount({ limit: 1 }) > 0) throw ofAnother(owner, whose);
    // An epoch of another run says nothing about this one.
    if (!isSame) store.meta.removeSync('epoch');
    store.meta.putSync('whose', { workerId: owner.workerId, runId: owner.runId, process: owner.process } satisfies Whose);
  });
  return store;
}

function outboxOf({ dir, awaitRoom }: OutboxOwner, store: Store): Outbox {
  const closing = new AbortController();
  const keep = (change: () => Promise<unknown>): Promise<void> => durable(dir, change, awaitRoom, closing.signal);
  return {
    found: [...store.outcomes.getRange()].map(({ value }) => ({ ...value, line: Uint8Array.from(value.line) })),
    highestEpoch: (store.meta.get('epoch') as number | undefined) ?? 0,
    put: (outcomes) => keep(() => Promise.all(outcomes.map((outcome) => store.outcomes.put([outcome.index, outcome.attempt], outcome)))),
    forget: (refs) => keep(() => Promise.all(refs.map((ref) => store.outcomes.remove([ref.index, ref.attempt])))),
    keepEpoch: (epoch) => keep(() => store.meta.put('epoch', epoch)),
    close: () => {
      closing.abort();
      return store.root.close();
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

function isSameProcess(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.bootId === b.bootId && a.pid === b.pid && a.startTime === b.startTime;
}

function inUse(owner: OutboxOwner, whose: Whose): RolloutError {
  return new RolloutError(
    'WORKER_ID_IN_USE',
    `worker ${whose.workerId} is running already, as process ${whose.process.pid}, on the store ${owner.dir}: stop that process, or give this worker its own workerId and stateDir`,
  );
}

function ofAnother(owner: OutboxOwner, whose: Whose): RolloutError {
  const theirs = `worker ${whose.workerId} of run ${whose.runId}`;
  return new RolloutError(
    'OUTBOX_OF_ANOTHER',
    `the store ${owner.dir} holds outcomes of ${theirs} that no coordinator has acknowledged: start that worker again until it has handed them over, or give worker ${owner.workerId} of run ${owner.runId} another stateDir`,
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
