import { mkdir } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { requireLocalDisk } from '../../base/fs/local-disk.ts';
import type { AcquireReply, AcquireRequest } from '../../model/lease.ts';
import type { Ledger } from '../contract.ts';
import type { Limits } from '../deadline.ts';
import { acquire } from '../rules/lease.ts';
import { ledgerOver } from '../rules/verbs.ts';
import type { LedgerReader } from '../views.ts';
import { isStoreThere } from './database.ts';
import { createEngine, type Now } from './engine.ts';
import { freeWriterLock } from './lock.ts';

export interface EmbeddedOptions {
  /** Directory of the store alone; made when it is not there. */
  readonly dir: string;
  readonly clock: Clock;
  /** A process that no longer held the lease kept the writer's lock, and had to be killed. */
  readonly onKilled?: (pid: number) => void;
}

const LONG_MS = 120_000;
/** To wait for the writer's lock of a stopped process takes most of a minute; the others read or change as much as the run is long. */
export const EMBEDDED_LIMITS: Limits = { acquire: LONG_MS, scan: LONG_MS, reopen: LONG_MS };

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

/** For status, export and verify, whether a coordinator goes on or not. */
export async function openLedgerReadOnly(dir: string): Promise<LedgerReader & Pick<Ledger, 'dispose'>> {
  const engine = createEngine(dir);
  const ledger = ledgerOver(engine);
  await ledger.readLease();
  return ledger;
}

async function acquireFor(now: Now, { dir, clock, onKilled }: EmbeddedOptions, request: AcquireRequest): Promise<AcquireReply> {
  const modeBefore = now.mode();
  // Who has it open for writing already is not held up by opening it.
  if (modeBefore !== 'write' && isStoreThere(dir)) {
    const lock = await freeWriterLock({ dir, clock, expected: request.expected, readLease: () => now.read((rows) => rows.lease()) });
    if (lock.kind === 'moved') return { kind: 'held', lease: lock.lease };
    if (lock.killedPid !== null) onKilled?.(lock.killedPid);
  }
  const store = await now.openForWriting();
  const reply = await store.transact((rows) => acquire(rows, request, null));
  if (reply.kind !== 'won' && modeBefore !== 'write') await now.close();
  return reply;
}
