import type { Lease } from './kind.ts';

/**
 * Leader election by a Lease object: who may write its name into it, and when it must stop to lead. Pure.
 *
 * Nobody trusts a time in the lease, since clocks differ. A candidate counts from when it saw the lease change last, a leader from when
 * it sent the write that was accepted. The server accepts a write only for the version that the writer saw. A leader gives up after
 * `renewDeadlineMs`, a candidate waits `leaseMs` from a later moment, so the one is over before the other begins, as long as their clocks
 * run equally fast. That is no fence: a write that was on its way when its sender gave up can still arrive.
 */

export interface LeaseTerms {
  /** Of this process alone: no other one, and no later one in its place, has it. */
  readonly identity: string;
  /** How long a candidate waits for a lease that does not change. */
  readonly leaseMs: number;
  /** How long a leader tries to renew. */
  readonly renewDeadlineMs: number;
  /** How often a leader renews, and a candidate looks. */
  readonly retryMs: number;
}

/** Those of client-go. */
export const DEFAULT_LEASE_TIMES: Omit<LeaseTerms, 'identity'> = { leaseMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };

/** A lease as it was seen. */
export interface Seen {
  readonly lease: Lease;
  /** When it was first seen with this content, by the own monotonic clock. */
  readonly sinceMs: number;
}

export type Standing =
  /** `seen` is null where there was no lease, or nobody has looked yet. */
  | { readonly kind: 'candidate'; readonly seen: Seen | null }
  /** `renewedMs`: when the last write that was accepted was sent. `isDoubtful`: another version of the lease is known to be there. */
  | { readonly kind: 'leader'; readonly seen: Seen; readonly renewedMs: number; readonly isDoubtful: boolean }
  /** For good: the process ends. */
  | { readonly kind: 'lost'; readonly why: 'taken' | 'not-renewed' };

export type LeaseAction = 'read' | 'create' | 'take' | 'renew' | 'wait' | 'end';

export const NEW_CANDIDATE: Standing = { kind: 'candidate', seen: null };

/** `hasRead`: the lease was read just now, so nothing is learned by reading it again. */
export function nextLeaseAction(standing: Standing, nowMs: number, terms: LeaseTerms, hasRead: boolean): LeaseAction {
  switch (standing.kind) {
    case 'lost':
      return 'end';
    case 'leader':
      return standing.isDoubtful ? 'read' : 'renew';
    case 'candidate':
      if (!hasRead) return 'read';
      if (standing.seen === null) return 'create';
      return isFree(standing.seen, nowMs, terms) ? 'take' : 'wait';
  }
}

/** The lease was read: null where there is none. */
export function onRead(standing: Standing, nowMs: number, lease: Lease | null, { identity }: LeaseTerms): Standing {
  switch (standing.kind) {
    case 'lost':
      return standing;
    case 'candidate':
      return { kind: 'candidate', seen: seenOf(standing.seen, nowMs, lease) };
    case 'leader': {
      if (lease === null || holderOf(lease) !== identity) return { kind: 'lost', why: 'taken' };
      return { ...standing, seen: { lease, sinceMs: nowMs }, isDoubtful: false };
    }
  }
}

/** A write that was sent at `sentMs` was accepted; the lease is this process's since then. */
export function onWritten(standing: Standing, nowMs: number, lease: Lease, sentMs: number): Standing {
  if (standing.kind === 'lost') return standing;
  return { kind: 'leader', seen: { lease, sinceMs: nowMs }, renewedMs: sentMs, isDoubtful: false };
}

/** A write was refused, or was not answered: what the lease is now has to be read. */
export function onNotWritten(standing: Standing): Standing {
  return standing.kind === 'leader' ? { ...standing, isDoubtful: true } : standing;
}

/** Time passes: a leader that has not renewed in time is none any more, whatever the lease says. */
export function onTime(standing: Standing, nowMs: number, terms: LeaseTerms): Standing {
  return standing.kind === 'leader' && nowMs >= leadsUntilMs(standing, terms) ? { kind: 'lost', why: 'not-renewed' } : standing;
}

export function leadsUntilMs({ renewedMs }: Standing & { kind: 'leader' }, { renewDeadlineMs }: LeaseTerms): number {
  return renewedMs + renewDeadlineMs;
}

/** The content of a lease that this process takes or renews. `now` is for people to read. */
export function heldSpec(before: Lease | null, now: string, { identity, leaseMs }: LeaseTerms): NonNullable<Lease['spec']> {
  const spec = before?.spec;
  const isOwn = before !== null && holderOf(before) === identity;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(leaseMs / 1_000),
    acquireTime: isOwn && spec?.acquireTime !== undefined ? spec.acquireTime : now,
    renewTime: now,
    leaseTransitions: (spec?.leaseTransitions ?? 0) + (isOwn || before === null ? 0 : 1),
  };
}

/** '' where nobody holds it. */
export function holderOf({ spec }: Lease): string {
  return spec?.holderIdentity ?? '';
}

/** One's own name is in it where the answer to the write was lost. */
function isFree({ lease, sinceMs }: Seen, nowMs: number, { identity, leaseMs }: LeaseTerms): boolean {
  const holder = holderOf(lease);
  if (holder === '' || holder === identity) return true;
  const seconds = lease.spec?.leaseDurationSeconds;
  // The holder counts by its own terms.
  return nowMs - sinceMs >= Math.max(leaseMs, (seconds ?? 0) * 1_000);
}

/** Only a change of what the holder writes shows that it is alive. */
function seenOf(before: Seen | null, nowMs: number, lease: Lease | null): Seen | null {
  if (lease === null) return null;
  const isSame = before !== null && JSON.stringify(before.lease.spec) === JSON.stringify(lease.spec);
  return { lease, sinceMs: isSame ? before.sinceMs : nowMs };
}
