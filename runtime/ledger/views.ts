import type { Ledger } from './contract.ts';

/** The contract as each kind of caller needs it. */

/** Who waits for the lease, and keeps it. */
export type CandidateLedger = Pick<Ledger, 'readLease' | 'acquire' | 'renew' | 'release'>;

/** Who reads a run, whether a coordinator goes on with it or not: no epoch, and nothing is written. */
export type LedgerReader = Pick<Ledger, 'readLease' | 'progress' | 'bits' | 'tallies'>;

/** The coordinator that holds the lease. */
export type CoordinatorLedger = Omit<Ledger, Exclude<keyof CandidateLedger, keyof LedgerReader> | 'dispose'>;
