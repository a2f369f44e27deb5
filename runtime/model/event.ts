import type { Epoch, WorkerId } from './row.ts';

/** Every event of a run (one NDJSON line each, with ts, level and runId added by the emitter). */
export type RunEvent =
  | { readonly kind: 'run_started'; readonly epoch: Epoch; readonly items: number | null; readonly done: number; readonly failed: number }
  | { readonly kind: 'run_paused'; readonly epoch: Epoch; readonly reason: string }
  | { readonly kind: 'run_finished'; readonly epoch: Epoch; readonly items: number; readonly done: number; readonly failed: number }
  | { readonly kind: 'lease_acquired'; readonly epoch: Epoch }
  | { readonly kind: 'lease_stolen'; readonly epoch: Epoch; readonly killedPid: number | null }
  | { readonly kind: 'coordinator_fenced'; readonly epoch: Epoch; readonly byEpoch: Epoch }
  | { readonly kind: 'worker_registered'; readonly workerId: WorkerId; readonly bootNonce: string; readonly isRestart: boolean }
  | { readonly kind: 'worker_heartbeat'; readonly workerId: WorkerId; readonly loopLagMs: number }
  | { readonly kind: 'worker_suspected'; readonly workerId: WorkerId }
  | { readonly kind: 'worker_failed'; readonly workerId: WorkerId; readonly reason: FailureReason; readonly handedBack: number }
  | { readonly kind: 'worker_deregistered'; readonly workerId: WorkerId; readonly handedBack: number }
  | { readonly kind: 'item_failed'; readonly index: number; readonly attempt: number; readonly code: string };

export type FailureReason = 'timeout' | 'exited';

export type EventKind = RunEvent['kind'];

/** Level of each kind; the table is also what the documentation is checked against. */
export const EVENT_LEVELS = {
  run_started: 'info',
  run_paused: 'warn',
  run_finished: 'info',
  lease_acquired: 'info',
  lease_stolen: 'warn',
  coordinator_fenced: 'error',
  worker_registered: 'info',
  worker_heartbeat: 'debug',
  worker_suspected: 'warn',
  worker_failed: 'warn',
  worker_deregistered: 'info',
  item_failed: 'warn',
} as const satisfies Record<EventKind, 'debug' | 'info' | 'warn' | 'error'>;
