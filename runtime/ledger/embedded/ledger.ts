import { mkdir } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { requireLocalDisk } from '../../base/fs/local-disk.ts';
import type { AcquireReply, AcquireRequest } from '../../model/lease.ts';
import type { Ledger } from '../contract.ts';
import { acquire } from '../rules/lease.ts';
import { ledgerOver } from '../rules/verbs.ts';
import { isStoreThere } from './database.ts';
import { createEngine, type Now } from './engine.ts';
import { freeWriterLock } from './lock.ts';

export interface EmbeddedOptions {
  /** Directory of the store alone; made when it is not there. */
  readonly dir: string;
  readonly clock: Clock;
}

/**
 * The ledger in an LMDB store on a local disk, shared by the processes of one machine. It is open for reading until `acquire`
 * wins: a candidate watches the lease without ever waiting for the writer. Only the winner keeps it open for writing.
 */
export async function openEmbeddedLedger(options: EmbeddedOptions): Promise<Ledger> {
  await mkdir(options.dir, { recursive: true });
  await requireLocalDisk(options.dir);
  const engine = createEngine(options.dir);
  return { ...ledgerOver(engine), acquire: (request) => engine.alone((now) => acquireFor(now, options, request)) };
}

/** For status, export and verify, whether a coordinator goes on or not: the verbs that write throw. */
export async function openLedgerReadOnly(dir: string): Promise<Ledger> {
  const engine = createEngine(dir);
  const ledger = ledgerOver(engine);
  await ledger.readLease();
  return ledger;
}

async function acquireFor(now: Now, { dir, clock }: EmbeddedOptions, request: AcquireRequest): Promise<AcquireReply> {
  let killedPid: number | null = null;
  const modeBefore = now.mode();
  // Who has it open for writing already is not held up by opening it.
  if (modeBefore !== 'write' && isStoreThere(dir)) {
    const lock = await freeWriterLock({ dir, clock, expected: request.expected, readLease: () => now.read((rows) => rows.lease()) });
    if (lock.kind === 'moved') return { kind: 'held', lease: lock.lease };
    killedPid = lock.killedPid;
  }
  const store = await now.openForWriting();
  const reply = await store.transact((rows) => acquire(rows, request));
  if (reply.kind === 'won') return { ...reply, killedPid };
  if (modeBefore !== 'write') await now.close();
  return reply;
}
