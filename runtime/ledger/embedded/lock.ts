import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import { siblingModule } from '../../base/module-path.ts';
import { isProcessAlive, isProcessDead, ownProcess } from '../../base/process-identity.ts';
import type { Lease, ProcessIdentity } from '../../model/lease.ts';
import { isSameLease } from '../../model/lease.ts';

/** A living writer lets go of the lock within a transaction; after so long only a stopped or hung process can hold it. */
export const LOCK_PATIENCE_MS = 1_000;
/** For a process to start at all, on a machine under full load. */
const START_PATIENCE_MS = 30_000;
const DEATH_POLL_MS = 20;
const DEATH_PATIENCE_MS = 5_000;

export interface LockRequest {
  readonly dir: string;
  readonly clock: Clock;
  /** The row that is about to be replaced; names the process that may hold the lock. */
  readonly expected: Lease | null;
  readonly readLease: () => Promise<Lease | null>;
}

export type LockReply = { readonly kind: 'free'; readonly killedPid: number | null } | { readonly kind: 'moved'; readonly lease: Lease };

/**
 * Makes sure that opening for writing will not block this process's event loop: a child tries first. Where the lock is not to be
 * had, exactly the process that the replaceable row names is killed, since it holds up the run and has lost the lease anyway.
 */
export async function freeWriterLock(request: LockRequest): Promise<LockReply> {
  if (await canLock(request)) return { kind: 'free', killedPid: null };
  const there = await request.readLease();
  if (there !== null && !isSameLease(there, request.expected)) return { kind: 'moved', lease: there };
  const killedPid = request.expected === null ? null : await killIfAlive(request.expected.process, request.clock);
  if (await canLock(request)) return { kind: 'free', killedPid };
  throw heldByUnknown(request.dir);
}

async function canLock({ dir, clock }: LockRequest): Promise<boolean> {
  const probe = spawn(process.execPath, [fileURLToPath(siblingModule(import.meta.url, 'probe'))], { stdio: ['pipe', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  probe.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const ended = once(probe, 'close');
  const asking = once(probe.stdout, 'data');
  probe.stdin.on('error', () => undefined);
  probe.stdin.end(dir);
  const isAsking = await within(clock, START_PATIENCE_MS, Promise.race([asking, ended]));
  if (isAsking && (await within(clock, LOCK_PATIENCE_MS, ended))) {
    if (probe.exitCode === 0) return true;
    throw new RolloutError('STORE_FAILED', `The store in ${dir} cannot be opened for writing: ${Buffer.concat(said).toString().trim()}`);
  }
  await end(probe, ended);
  return false;
}

async function end(probe: ChildProcess, ended: Promise<unknown>): Promise<void> {
  probe.kill('SIGKILL');
  await ended;
}

/** True when the promise settled in time. */
async function within(clock: Clock, ms: number, promise: Promise<unknown>): Promise<boolean> {
  const stop = new AbortController();
  const late = clock.sleep(ms, stop.signal).then(() => false);
  const isInTime = await Promise.race([promise.then(() => true), late]);
  stop.abort();
  return isInTime;
}

/** Its pid; null where there was nothing to kill: it ended by itself, or another candidate killed it. */
async function killIfAlive(holder: ProcessIdentity, clock: Clock): Promise<number | null> {
  const own = await ownProcess();
  if (holder.uid !== own.uid || holder.pid === own.pid || !(await isProcessAlive(holder))) return null;
  process.kill(holder.pid, 'SIGKILL');
  for (let waitedMs = 0; waitedMs < DEATH_PATIENCE_MS && !(await isProcessDead(holder)); waitedMs += DEATH_POLL_MS) {
    await clock.sleep(DEATH_POLL_MS);
  }
  return holder.pid;
}

function heldByUnknown(dir: string): RolloutError {
  return new RolloutError(
    'STORE_FAILED',
    `Another process holds the writer's lock of ${dir} and does not let go; it is not the one that the lease names. Find it (fuser ${dir}/*), end it, and run the same command again.`,
  );
}
