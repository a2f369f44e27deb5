import { type CandidateOptions, winLease } from '../../runtime/lease/candidate.ts';
import type { LeaseHolder } from '../../runtime/lease/contract.ts';
import type { Ledger } from '../../runtime/ledger/contract.ts';
import { createMemoryLedger } from '../../runtime/ledger/memory/ledger.ts';
import { SOME_PROCESS } from './ledger-start.ts';
import { ManualClock } from './manual-clock.ts';

export const TTL_MS: number = 6_000;
export const RENEW_MS: number = 2_000;

/** A ledger, and the clock of whoever asks it for the lease. */
export interface Setting {
  readonly ledger: Ledger;
  readonly clock: ManualClock;
}

export function candidate({ ledger, clock }: Setting, holder: string, more: Partial<CandidateOptions> = {}): Promise<LeaseHolder> {
  return winLease({
    ledger,
    clock,
    holder,
    process: SOME_PROCESS,
    address: `${holder}:1`,
    floor: async () => -1,
    onSeen: async () => undefined,
    ttlMs: TTL_MS,
    renewIntervalMs: RENEW_MS,
    isDead: async () => false,
    signal: new AbortController().signal,
    onPassive: () => undefined,
    ...more,
  });
}

export function setting(ledger: Ledger = createMemoryLedger()): Setting {
  return { ledger, clock: new ManualClock() };
}
