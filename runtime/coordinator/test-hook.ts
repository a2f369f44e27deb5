import type { LeaseHolder } from '../lease/contract.ts';
import type { Ledger } from '../ledger/contract.ts';
import type { State } from './state/state.ts';

/** Where a test takes part in a coordinator that is real in everything else. */
export interface TestHook {
  readonly ledger: (ledger: Ledger) => Ledger;
  readonly onServing: (leaseHolder: LeaseHolder, ledger: Ledger) => void;
  /** Called before each command is carried out; null for none. */
  readonly onCommand: ((state: State) => void) | null;
}
