import { assert } from '../../base/assert.ts';
import type { Random } from '../../base/random.ts';
import type { AcquireReply, AcquireRequest, Lease, SeenLease } from '../../model/lease.ts';
import type { Fenced } from '../contract.ts';
import { differing, lostRenewals } from '../rules/lease.ts';
import type { CandidateLedger } from '../views.ts';
import { type LeaseReply, leaseOf } from './lease-reply.ts';
import { retired } from './retire.ts';
import { NO_EPOCH, type Session } from './session.ts';

const IDENTITY_BYTES = 16;

export function leaseVerbs(session: Session, random: Random): CandidateLedger {
  return {
    readLease: () => readLease(session),
    acquire: (request) => acquire(session, random, request),
    renew: (held, ttlMs) => renew(session, held, ttlMs),
    release: (held) => release(session, held),
  };
}

async function readLease(session: Session): Promise<SeenLease> {
  const [, lease, nowMs] = await session.run('read-lease', NO_EPOCH);
  return { lease: leaseOf(lease as LeaseReply), nowMs: nowMs as number };
}

async function acquire(session: Session, random: Random, request: AcquireRequest): Promise<AcquireReply> {
  const { holder, address, expected, grounds, ttlMs, floor } = request;
  assert(holder !== '', 'a holder is a nonce, never empty (L2)');
  const seen = expected === null ? ['', '', ''] : [expected.holder, expected.epoch, expected.renewals];
  const own = [holder, address, JSON.stringify(request.process), ...seen, grounds === null ? '' : '1', ttlMs, floor];
  const [kind, ...rest] = await session.run('acquire', [...NO_EPOCH, ...own, random.hex(IDENTITY_BYTES)]);
  switch (kind) {
    case 'won':
      session.attach(rest[1] as string, rest[2] as number);
      return { kind, lease: mustBeThere(rest[0] as LeaseReply) };
    case 'held':
      return { kind, lease: mustBeThere(rest[0] as LeaseReply) };
    case 'behind':
      return { kind, epoch: rest[0] as number, floor: rest[1] as number };
    case 'retired':
      throw retired(rest[0] as number);
    default:
      throw differing(rest[0] as number, rest[1] as number);
  }
}

async function renew(session: Session, held: Lease, ttlMs: number): Promise<{ kind: 'renewed'; lease: Lease } | Fenced> {
  const [kind, said] = await session.run('renew', [...NO_EPOCH, held.holder, held.epoch, held.renewals, ttlMs]);
  if (kind === 'fenced') return { kind, epoch: said as number };
  if (kind === 'fewer') throw lostRenewals(said as number, held.renewals);
  return { kind: 'renewed', lease: mustBeThere(said as LeaseReply) };
}

async function release(session: Session, held: Lease): Promise<{ kind: 'released' } | Fenced> {
  const [kind, epoch] = await session.run('release', [...NO_EPOCH, held.holder, held.epoch]);
  return kind === 'fenced' ? { kind, epoch: epoch as number } : { kind: 'released' };
}

function mustBeThere(reply: LeaseReply): Lease {
  const lease = leaseOf(reply);
  assert(lease !== null, 'the row of a lease that is held');
  return lease;
}
