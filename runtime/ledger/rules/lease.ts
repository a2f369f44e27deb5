import { assert } from '../../base/assert.ts';
import { RolloutError } from '../../base/errors.ts';
import { isU32 } from '../../base/u32.ts';
import type { AcquireReply, AcquireRequest, Lease } from '../../model/lease.ts';
import { isSameLease } from '../../model/lease.ts';
import type { Fenced } from '../contract.ts';
import type { Decision, Head, Rows, Writes } from '../rows.ts';

/**
 * The compare-and-swap of the lease row (L1–L4). `nowMs` is the store's own clock, null where it has none: then only the candidate's
 * grounds permit a win (lease/machine.ts). The winner's lease and epoch rows are written together, so they can never differ (L3).
 */
export function acquire(rows: Rows, request: AcquireRequest, nowMs: number | null): Decision<AcquireReply> {
  assert(request.holder !== '', 'a holder is a nonce, never empty (L2)');
  const lease = rows.lease();
  const head = rows.head();
  const epoch = requireAgreement(lease, head);

  // The row that the candidate saw is knowledge from outside this store as well: a store without it lost writes.
  const floor = Math.max(request.floor, request.expected?.epoch ?? -1);
  if (epoch < floor) return { reply: { kind: 'behind', epoch, floor }, writes: null };
  // Asked again after a lost reply: the nonce is of this process start, so this win is its own (L2).
  if (lease !== null && lease.holder === request.holder) return { reply: { kind: 'won', lease }, writes: null };
  if (lease !== null && !mayReplace(lease, request, nowMs)) return { reply: { kind: 'held', lease }, writes: null };
  return win(request, head, lease, nowMs);
}

/** The exact bytes that the candidate saw, and free, expired on the store's clock, or with grounds that the candidate has itself (L4). */
function mayReplace(lease: Lease, { expected, grounds }: AcquireRequest, nowMs: number | null): boolean {
  const isExpired = nowMs !== null && nowMs >= lease.untilMs;
  return isSameLease(lease, expected) && (lease.holder === '' || grounds !== null || isExpired);
}

function untilMs(nowMs: number | null, ttlMs: number): number {
  return nowMs === null ? 0 : nowMs + ttlMs;
}

function win(request: AcquireRequest, head: Head | null, before: Lease | null, nowMs: number | null): Decision<AcquireReply> {
  const epoch = head === null ? 0 : head.epoch + 1;
  assert(isU32(epoch), 'an epoch fits in 32 bits');
  const lease: Lease = {
    holder: request.holder,
    epoch,
    renewals: before === null ? 0 : before.renewals + 1,
    untilMs: untilMs(nowMs, request.ttlMs),
    address: request.address,
    process: request.process,
  };
  const writes: Writes = { lease, head: head === null ? FIRST_HEAD : { ...head, epoch } };
  return { reply: { kind: 'won', lease }, writes };
}

const FIRST_HEAD: Head = {
  epoch: 0,
  cursor: 0,
  running: 0,
  handedBack: 0,
  done: 0,
  failed: 0,
  workerNumbers: 0,
  highestAttempt: 0,
  redone: 0,
};

/** The epoch of both rows; -1 where there are none. */
function requireAgreement(lease: Lease | null, head: Head | null): number {
  const epoch = head?.epoch ?? -1;
  if ((lease?.epoch ?? -1) === epoch) return epoch;
  throw differing(lease?.epoch ?? -1, epoch);
}

export function differing(ofLease: number, epoch: number): RolloutError {
  return new RolloutError(
    'LEDGER_CORRUPT',
    `The ledger's lease is of epoch ${ofLease}, its epoch row of ${epoch}: these are written together, so the store was damaged.`,
  );
}

/**
 * `held` stands for all renewals of its holder's win: a nonce wins an epoch once, so a row with both is the holder's own, also
 * when the reply to an earlier renew was lost.
 */
function isOwn(there: Lease | null, held: Lease): there is Lease {
  return there !== null && there.holder === held.holder && there.epoch === held.epoch;
}

type Renewed = { readonly kind: 'renewed'; readonly lease: Lease };

/**
 * The count is named (L38): a renewal that was carried out before, or that comes late, finds a higher one and extends nothing. A lower
 * one than the holder has been told of means that the store has lost writes.
 */
export function renew(rows: Rows, held: Lease, ttlMs: number, nowMs: number | null): Decision<Renewed | Fenced> {
  const there = rows.lease();
  if (!isOwn(there, held)) return { reply: fencedBy(there), writes: null };
  if (there.renewals < held.renewals) throw lostRenewals(there.renewals, held.renewals);
  if (there.renewals > held.renewals) return { reply: { kind: 'renewed', lease: there }, writes: null };
  const lease: Lease = { ...there, renewals: there.renewals + 1, untilMs: untilMs(nowMs, ttlMs) };
  return { reply: { kind: 'renewed', lease }, writes: { lease } };
}

export function release(rows: Rows, held: Lease): Decision<{ readonly kind: 'released' } | Fenced> {
  const there = rows.lease();
  // Only the holder of an epoch can release it, so a released row of this epoch is this release, asked again.
  if (there !== null && there.holder === '' && there.epoch === held.epoch) return { reply: { kind: 'released' }, writes: null };
  if (!isOwn(there, held)) return { reply: fencedBy(there), writes: null };
  return { reply: { kind: 'released' }, writes: { lease: { ...there, holder: '', renewals: there.renewals + 1 } } };
}

export function lostRenewals(there: number, held: number): RolloutError {
  return new RolloutError(
    'LEDGER_LOST_WRITES',
    `The ledger's lease was renewed ${there} times, but this coordinator has seen ${held}: the store has lost writes while in use. This coordinator ends; the next one goes on under a new epoch, and what was lost is executed again.`,
  );
}

function fencedBy(there: Lease | null): Fenced {
  return { kind: 'fenced', epoch: there?.epoch ?? -1 };
}
