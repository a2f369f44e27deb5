import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import { inTime } from '../../base/in-time.ts';
import { siblingModule } from '../../base/process/module-path.ts';
import type { ProcessIdentity } from '../../base/process/process-identity.ts';
import { isProcessAlive, isProcessDead, ownProcess } from '../../base/process/process-identity.ts';
import type { Lease } from '../../model/lease.ts';
import { isSameLease } from '../../model/lease.ts';
import { PROBE_SAYS } from './probe-words.ts';

/** A living writer lets go of the lock within a transaction; after so long only a stopped or hung process can hold it. */
export const LOCK_PATIENCE_MS = 1_000;
/** Once nobody is left whom the lease names: then only a slow disk or a full machine keeps the lock from being had. */
const UNHELD_PATIENCE_MS = 15_000;
/** For a process to start at all, on a machine under full load. */
const START_PATIENCE_MS = 30_000;
/** The successor of a killed process must not lose time; a look at a process is cheap. */
const DEATH_POLL_MS = 20;
/** A killed process is gone at once, unless the system is writing for it; beyond this the lock is tried for anyway. */
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
  if (await canLock(request, LOCK_PATIENCE_MS)) return { kind: 'free', killedPid: null };
  const there = await request.readLease();
  if (there !== null && !isSameLease(there, request.expected)) return { kind: 'moved', lease: there };
  const killedPid = request.expected === null ? null : await killIfAlive(request.expected.process, request.clock);
  if (await canLock(request, UNHELD_PATIENCE_MS)) return { kind: 'free', killedPid };
  throw heldByUnknown(request.dir);
}

async function canLock({ dir, clock }: LockRequest, patienceMs: number): Promise<boolean> {
  const probe = spawn(process.execPath, [fileURLToPath(siblingModule(import.meta.url, 'probe'))], { stdio: ['pipe', 'pipe', 'pipe'] });
  const said: Buffer[] = [];
  probe.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const ended = once(probe, 'close');
  const hears = listenTo(probe);
  probe.stdin.on('error', () => undefined);
  probe.stdin.end(dir);
  const isAsking = await inTime(clock, START_PATIENCE_MS, Promise.race([hears(PROBE_SAYS.asking), ended]));
  if (isAsking && (await inTime(clock, patienceMs, Promise.race([hears(PROBE_SAYS.had), ended])))) {
    await inTime(clock, START_PATIENCE_MS, ended);
    if (probe.exitCode === 0) return true;
    throw new RolloutError('STORE_FAILED', `The store in ${dir} cannot be opened for writing: ${Buffer.concat(said).toString().trim()}`);
  }
  await end(probe, ended);
  return false;
}

/** Resolves once the probe has said a word; words said earlier count. */
function listenTo(probe: ChildProcess): (word: string) => Promise<void> {
  let heard = '';
  const waiting = new Set<() => void>();
  probe.stdout?.on('data', (chunk: Buffer) => {
    heard += chunk.toString();
    for (const look of waiting) look();
  });
  return (word) =>
    new Promise((resolve) => {
      const look = (): void => {
        if (heard.includes(`${word}\n`)) resolve();
      };
      waiting.add(look);
      look();
    });
}

async function end(probe: ChildProcess, ended: Promise<unknown>): Promise<void> {
  probe.kill('SIGKILL');
  await ended;
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
    `Another process holds the writer's lock of ${dir} and does not let go; it is of another container, or not the one that the lease names. Find it (fuser ${dir}/* on the machine itself), end it, and run the same command again.`,
  );
}
