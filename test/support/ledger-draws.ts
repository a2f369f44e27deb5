import fc from 'fast-check';
import type { CountedRow, HandBackReason, Pick, SoleRow } from '../../runtime/ledger/contract.ts';
import type { Lease } from '../../runtime/model/lease.ts';
import type { Attempt, Epoch, ItemIndex, Stamp } from '../../runtime/model/row.ts';
import { RECORDED_BEFORE } from './ledger-start.ts';

export interface ActiveClaim extends CountedRow {
  /** The item's, which may be another row's. */
  readonly lastAttempt: Attempt;
}

/** What the ledgers under comparison have in common. */
export interface Shared {
  epoch: number;
  cursor: number;
  /** The newest win, and an older state of it. */
  lease: Lease;
  holders: number;
  /** Of the newest numbered request. */
  serial: number;
  /** All rows in flight now, so that most calls can be meant for something. */
  live: readonly ActiveClaim[];
  /** Of each recorded item, under which epoch which attempt was accepted. */
  readonly recorded: Map<ItemIndex, { readonly epoch: Epoch; readonly attempt: Attempt }>;
}

const WORKERS = ['w1', 'w2', 'w3', 'coordinator'];
export const REASONS: readonly HandBackReason[] = [
  'failed',
  'drained',
  'unavailable',
  'throttled',
  'lost',
  'quota',
  'recalled',
  'suspected',
  'crashed',
];

export const worker: fc.Arbitrary<string> = fc.constantFrom(...WORKERS);
export const registered: fc.Arbitrary<string> = fc.constantFrom('w1', 'w2', 'w3');
export const index: fc.Arbitrary<number> = fc.integer({ min: RECORDED_BEFORE - 1, max: RECORDED_BEFORE + 10 });
const attempt = fc.integer({ min: 1, max: 4 });
/** Mostly the present epoch, sometimes the one before it. */
export const lag: fc.Arbitrary<number> = fc.constantFrom(0, 0, 0, 0, 0, 0, 1);
/** So many numbered requests late; 1 repeats the one before it. */
export const late: fc.Arbitrary<number> = fc.constantFrom(0, 0, 0, 0, 1, 2);
export const isAny: fc.Arbitrary<boolean> = fc.constantFrom(false, false, true);
const claimLag = fc.constantFrom(0, 0, 0, 1, 2);

export type DrawnPick =
  | { readonly kind: 'cursor'; readonly shift: number; readonly count: number }
  | { readonly kind: 'index'; readonly one: number; readonly isWrong: boolean };

export const pick: fc.Arbitrary<DrawnPick> = fc.oneof(
  fc.record({ kind: fc.constant('cursor' as const), shift: fc.constantFrom(0, 0, 0, -1, 1), count: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ kind: fc.constant('index' as const), one: fc.integer({ min: 0, max: 30 }), isWrong: fc.constantFrom(false, false, true) }),
);

export interface Named {
  readonly one: number;
  readonly isAny: boolean;
  readonly index: number;
  readonly worker: string;
  readonly attempt: number;
  readonly claimLag: number;
}

/** Mostly a row that is in flight, whole; sometimes any, or one from before it was restored. */
export const named: fc.Arbitrary<Named> = fc.record({
  one: fc.integer({ min: 0, max: 30 }),
  isAny: fc.constantFrom(false, false, false, true),
  index,
  worker,
  attempt,
  claimLag,
});

export function rowFor(shared: Shared, drawn: Named): CountedRow {
  const live = shared.live[drawn.one % Math.max(1, shared.live.length)];
  if (live !== undefined && !drawn.isAny)
    return { index: live.index, row: live.row, restores: Math.max(0, live.restores - (drawn.claimLag === 2 ? 1 : 0)) };
  return { index: drawn.index, row: { worker: drawn.worker, attempt: drawn.attempt, claimEpoch: at(shared, drawn.claimLag) }, restores: 0 };
}

/** Mostly with the last attempt that the item has. */
export function soleFor(shared: Shared, drawn: Named): SoleRow {
  const one = rowFor(shared, drawn);
  const live = shared.live.find(({ index: there }) => there === one.index);
  return { ...one, lastAttempt: (live?.lastAttempt ?? one.row.attempt) - (drawn.isAny && drawn.one % 2 === 0 ? 1 : 0) };
}

/** A request that is carried out late has a lower number than one before it (L38). */
export function stampFor(shared: Shared, epochsBack: number, late: number): Stamp {
  return { epoch: at(shared, epochsBack), serial: Math.max(0, shared.serial + 1 - late) };
}

export function at(shared: Shared, epochsBack: number): number {
  return Math.max(0, shared.epoch - epochsBack);
}

export function pickFor(shared: Shared, drawn: DrawnPick): Pick {
  if (drawn.kind === 'cursor') return { cursor: Math.max(0, shared.cursor + drawn.shift), count: drawn.count };
  const live = shared.live[drawn.one % Math.max(1, shared.live.length)];
  const pick = { index: live?.index ?? RECORDED_BEFORE + drawn.one, lastAttempt: (live?.lastAttempt ?? 1) - (drawn.isWrong ? 1 : 0) };
  return drawn.one % 3 === 0 ? { ...pick, isRedone: true } : pick;
}
