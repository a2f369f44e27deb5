import { COORDINATOR_MUTANTS } from './coordinator.ts';
import { COORDINATOR_STATE_MUTANTS } from './coordinator-state.ts';
import { LEDGER_MUTANTS } from './ledger.ts';
import type { Mutant } from './mutant.ts';
import { REDIS_MUTANTS } from './redis.ts';
import { REDIS_SERVER_MUTANTS } from './redis-servers.ts';
import { RESULTS_MUTANTS } from './results.ts';
import { TIMING_MUTANTS } from './timing.ts';
import { WIRING_MUTANTS } from './wiring.ts';
import { WORKER_MUTANTS } from './worker.ts';

/** Every fault that is planted, from the ledger up to the worker. */
export const MUTANTS: readonly Mutant[] = [
  ...LEDGER_MUTANTS,
  ...REDIS_MUTANTS,
  ...REDIS_SERVER_MUTANTS,
  ...RESULTS_MUTANTS,
  ...COORDINATOR_MUTANTS,
  ...COORDINATOR_STATE_MUTANTS,
  ...WORKER_MUTANTS,
  ...TIMING_MUTANTS,
  ...WIRING_MUTANTS,
];
