import type { Ledger } from '../contract.ts';
import type { AllRows, Decision } from '../rows.ts';
import { commit } from './commit.ts';
import { acquire, release, renew } from './lease.ts';
import { reassign } from './reassign.ts';
import { reopen } from './reopen.ts';
import { restore } from './restore.ts';
import { bind, finish, pause, progressOf, resume } from './run.ts';
import { bitsOf, scan } from './scan.ts';
import { second } from './second.ts';
import { look } from './settle.ts';
import { forget, register } from './worker.ts';

/** Where rows are kept: what memory and embedded have to offer for the rulebook to run on them. */
export interface Engine {
  /** Runs `decide` alone, applies its writes whole, and resolves once they are durable (L16). */
  transact<T>(decide: (rows: AllRows) => Decision<T>): Promise<T>;
  /** Reads a state that was durable when it was asked. */
  read<T>(read: (rows: AllRows) => T): Promise<T>;
  /** The store's own clock, one for all its callers; null where it has none (L4). */
  nowMs(): number | null;
  dispose(): Promise<void>;
}

/** The rulebook's verbs over an engine. */
export function ledgerOver(engine: Engine): Ledger {
  return {
    readLease: () => engine.read((rows) => ({ lease: rows.lease(), nowMs: engine.nowMs() })),
    acquire: (request) => engine.transact((rows) => acquire(rows, request, engine.nowMs())),
    renew: (held, ttlMs) => engine.transact((rows) => renew(rows, held, ttlMs, engine.nowMs())),
    release: (held) => engine.transact((rows) => release(rows, held)),
    bind: (epoch, place) => engine.transact((rows) => bind(rows, epoch, place)),
    commit: (epoch, request) => engine.transact((rows) => commit(rows, epoch, request)),
    restore: (epoch, named) => engine.transact((rows) => restore(rows, epoch, named)),
    reassign: (epoch, moves) => engine.transact((rows) => reassign(rows, epoch, moves)),
    second: (epoch, worker, named) => engine.transact((rows) => second(rows, epoch, worker, named)),
    look: (epoch, named) => engine.transact((rows) => look(rows, epoch, named)),
    register: (by, worker, info) => engine.transact((rows) => register(rows, by, worker, info)),
    forget: (by, worker) => engine.transact((rows) => forget(rows, by, worker)),
    pause: (by, reason) => engine.transact((rows) => pause(rows, by, reason)),
    resume: (by) => engine.transact((rows) => resume(rows, by)),
    finish: (by, items) => engine.transact((rows) => finish(rows, by, items)),
    reopen: (by, reopening) => engine.transact((rows) => reopen(rows, by, reopening)),
    scan: (epoch) => engine.transact((rows) => scan(rows, epoch)),
    progress: () => engine.read((rows) => progressOf(rows.head(), rows.state())),
    bits: (from, count) => engine.read((rows) => bitsOf(rows, from, count)),
    tallies: () => engine.read((rows) => rows.everyTally()),
    dispose: () => engine.dispose(),
  };
}
