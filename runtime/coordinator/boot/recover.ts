import { assert } from '../../base/assert.ts';
import type { Clock } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import type { Events } from '../../base/events.ts';
import type { Random } from '../../base/random.ts';
import type { LeaseHolder } from '../../lease/contract.ts';
import type { Fenced, Overtaken, Place, Scan } from '../../ledger/contract.ts';
import type { CoordinatorLedger } from '../../ledger/views.ts';
import type { Epoch } from '../../model/row.ts';
import type { EpochTally } from '../../model/tally.ts';
import type { CreatedLog, ResultLog } from '../../results/log/contract.ts';
import type { Opened } from '../../results/place/contract.ts';
import { untilAnswered } from '../perform/ledger-writer.ts';

/** What a coordinator has once it holds the lease. */
export interface Recovered {
  readonly leaseHolder: LeaseHolder;
  readonly log: ResultLog;
  readonly scan: Scan;
}

/** What boot needs of the state directory and the results place. */
export interface BootDisk {
  /** For people: where the results are. */
  readonly name: string;
  /** Highest epoch that this directory has seen, -1 for none (L3). */
  readEpochMark(): Promise<number>;
  /** On disk when it resolves. The mark only grows. */
  raiseEpochMark(epoch: Epoch): Promise<void>;
  /** Epoch of the highest segment outside the store, -1 for none (L3). */
  highestSegment(): Promise<number>;
  /** Its identity, made by the holder of this epoch at first use (L22). */
  openPlace(epoch: Epoch): Promise<Opened | Fenced>;
  /** Refuses where a segment is missing that holds what one of these epochs accepted (L22). */
  checkSegments(tallies: readonly EpochTally[]): Promise<void>;
  /** Makes this epoch's segment, exclusively (L17). */
  createLog(epoch: Epoch, place: Place): Promise<CreatedLog | Fenced>;
}

export interface RecoverOptions {
  readonly ledger: CoordinatorLedger;
  readonly disk: BootDisk;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: Events;
  /** Go on with a run that is paused. */
  readonly isResuming: boolean;
  /** Go on although segments are missing: what they held runs again. */
  readonly isRerunning: boolean;
  readonly leaseHolder: LeaseHolder;
  /** The process that had to be killed for the lease; null nearly always. */
  readonly killedPid: () => number | null;
}

/** The highest epoch that the results or this directory have seen: no lease below it is won (L3). */
export async function epochFloor(disk: Pick<BootDisk, 'readEpochMark' | 'highestSegment'>): Promise<number> {
  return Math.max(await disk.readEpochMark(), await disk.highestSegment());
}

/**
 * Boot (L24): the lease is won, durably, before anything is written; then the mark, the place, this epoch's segment, the scan. A place
 * that lacks records is refused (L22).
 */
export async function recover(options: RecoverOptions): Promise<Recovered> {
  const { ledger, disk, leaseHolder } = options;
  const { epoch } = leaseHolder.lease();
  announce(options);
  await disk.raiseEpochMark(epoch);
  const { place } = unlessFenced(leaseHolder, await disk.openPlace(epoch));
  const asked = <T>(ask: () => Promise<T>): Promise<T> => untilAnswered(options, ask);
  const bound = unlessFenced(leaseHolder, await asked(() => ledger.bind(epoch, place)));
  if (bound.kind === 'elsewhere') throw elsewhere(disk.name, bound.place.placeId);
  if (!options.isRerunning) await disk.checkSegments(await asked(() => ledger.tallies()));
  const { log } = unlessFenced(leaseHolder, await disk.createLog(epoch, place));
  const scan = unlessFenced(leaseHolder, await asked(() => ledger.scan(epoch)));
  if (scan.progress.state.kind !== 'paused' || !options.isResuming) return { leaseHolder, log, scan };
  const by = leaseHolder.nextStamp();
  unlessFenced(leaseHolder, await asked(() => ledger.resume(by)));
  return { leaseHolder, log, scan: { ...scan, progress: { ...scan.progress, state: { kind: 'running' } } } };
}

function announce({ events, leaseHolder, killedPid }: RecoverOptions): void {
  const { epoch } = leaseHolder.lease();
  const isStolen = leaseHolder.won.kind === 'stolen';
  events.emit(isStolen ? { kind: 'lease_stolen', epoch, killedPid: killedPid() } : { kind: 'lease_acquired', epoch });
}

function unlessFenced<T extends { readonly kind: string }>(leaseHolder: LeaseHolder, reply: T | Fenced | Overtaken): T {
  assert(reply.kind !== 'overtaken', 'nothing overtakes a request that is waited for (L38)');
  if (reply.kind !== 'fenced') return reply as T;
  const byEpoch = (reply as Fenced).epoch;
  leaseHolder.fence(byEpoch);
  throw new RolloutError('FENCED', `another coordinator holds epoch ${byEpoch}; this one ends`);
}

function elsewhere(dir: string, placeId: string): RolloutError {
  return new RolloutError(
    'PLACE_ELSEWHERE',
    `${dir} is not the place where this run's results are kept (that one is ${placeId}): start the coordinator where that directory is, or move it here`,
  );
}
