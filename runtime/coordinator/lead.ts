import { aborted } from '../base/abort.ts';
import { EXIT, type ExitCode } from '../base/exit.ts';
import { inTime } from '../base/in-time.ts';
import type { ProcessIdentity } from '../base/process/process-identity.ts';
import type { Watchdog } from '../base/process/watchdog.ts';
import type { LeaseHolder } from '../lease/contract.ts';
import type { Fenced } from '../ledger/contract.ts';
import type { Epoch } from '../model/row.ts';
import { waitForLease } from './boot/lease-candidate.ts';
import { epochFloor, recover } from './boot/recover.ts';
import { type ServeOptions, serve } from './serve.ts';
import type { ServerContext } from './server/listening.ts';
import { announceFencing } from './shutdown/fencing.ts';
import type { TestHook } from './test-hook.ts';

/** How long an ending process may take to let go of what it has open. */
export const RESIGN_MS = 2_500;
/** How long a deposed one waits for what is under way. */
const LEAVE_MS = 500;

/** What the process is joined from that waits for the lease, and serves once it has it. */
export interface LeadOptions extends Omit<ServeOptions, 'recovered' | 'onServing' | 'onCommand'> {
  /** Go on with a run that is paused. */
  readonly isResuming: boolean;
  /** Go on although segments are missing: what they held runs again. */
  readonly isRerunning: boolean;
  readonly address: string;
  readonly context: ServerContext;
  readonly process: ProcessIdentity;
  /** True only when certain. */
  readonly isDead: (process: ProcessIdentity) => Promise<boolean>;
  /** The process that had to be killed for the lease; null nearly always. */
  readonly killedPid: () => number | null;
  /** Resolves once the disk has room for a coordinator. */
  readonly waitForDiskSpace: () => Promise<void>;
  readonly watchdog: Watchdog;
  readonly testHook: TestHook;
}

/** Waits for the lease, holds it, serves, and gives it up. */
export async function lead(options: LeadOptions): Promise<ExitCode> {
  const { stop, log } = options;
  try {
    const { disk } = options.place;
    const floor = (): Promise<number> => epochFloor(disk);
    const raiseEpochMark = (epoch: Epoch): Promise<void> => disk.raiseEpochMark(epoch);
    const leaseHolder = await waitForLease({ ...options, signal: stop, floor, raiseEpochMark });
    announceFencing({ ...options, leaseHolder });
    return await unlessFenced(options, leaseHolder.fenced, hold(options, leaseHolder));
  } catch (error) {
    if (!stop.aborted) throw error;
    if (error !== stop.reason) log.warn({ err: error }, 'what was under way when this process was told to end has failed');
    return EXIT.interrupted;
  }
}

async function hold(options: LeadOptions, leaseHolder: LeaseHolder): Promise<ExitCode> {
  const { place, ledger, context, testHook, clock } = options;
  const recovered = await recover({ ...options, disk: place.disk, leaseHolder });
  const exit = await serve({
    ...options,
    recovered,
    onCommand: testHook.onCommand,
    onServing: (core, writes) => {
      context.lease = leaseHolder.lease();
      context.isLeaseFresh = () => leaseHolder.isFresh();
      context.core = core;
      context.writes = writes;
      testHook.onServing(leaseHolder, ledger);
    },
  });
  if (exit !== EXIT.fenced) await inTime(clock, RESIGN_MS, resign(options, leaseHolder));
  return exit;
}

/** One that is not given up runs out: that costs the next coordinator a wait, and the run nothing. */
async function resign({ log }: LeadOptions, leaseHolder: LeaseHolder): Promise<void> {
  try {
    await leaseHolder.resign();
  } catch (error) {
    log.warn({ err: error }, 'the lease could not be given up; it runs out by itself');
  }
}

/** A deposed coordinator keeps by which epoch (L3), waits a moment for what is under way, whatever it is, and goes. */
async function unlessFenced({ clock, place, log }: LeadOptions, fenced: AbortSignal, work: Promise<ExitCode>): Promise<ExitCode> {
  await Promise.race([work, aborted(fenced)]);
  if (!fenced.aborted) return work;
  const { epoch } = fenced.reason as Fenced;
  const kept = place.disk
    .raiseEpochMark(epoch)
    .catch((err: unknown) => log.error({ err, epoch }, 'it could not be kept that this epoch is in use'));
  await inTime(clock, LEAVE_MS, Promise.allSettled([work, kept]));
  return EXIT.fenced;
}
