import type { Epoch, WorkerId } from './row.ts';
import type { DrainStepKind } from './session.ts';

/** Every event of a run (one NDJSON line each, with ts, level and runId added by the emitter). */
export type RunEvent =
  | { readonly kind: 'run_started'; readonly epoch: Epoch; readonly items: number | null; readonly done: number; readonly failed: number }
  | {
      readonly kind: 'run_finished';
      readonly epoch: Epoch;
      readonly state: 'completed' | 'paused' | 'stalled';
      /** Why the run is paused or has stalled; else empty. */
      readonly reason: string;
      readonly done: number;
      readonly failed: number;
    }
  | { readonly kind: 'lease_acquired'; readonly epoch: Epoch }
  | { readonly kind: 'lease_stolen'; readonly epoch: Epoch; readonly killedPid: number | null }
  | { readonly kind: 'coordinator_fenced'; readonly epoch: Epoch; readonly byEpoch: Epoch }
  /** Of `rollout run`, which does not reach its coordinator: why, as far as it knows, else empty; again while it lasts. */
  | { readonly kind: 'coordinator_silent'; readonly reason: string; readonly silentMs: number }
  | { readonly kind: 'coordinator_answers'; readonly silentMs: number }
  | { readonly kind: 'worker_registered'; readonly workerId: WorkerId; readonly bootNonce: string; readonly isRestart: boolean }
  | { readonly kind: 'worker_heartbeat'; readonly workerId: WorkerId; readonly loopLagMs: number }
  | { readonly kind: 'worker_suspected'; readonly workerId: WorkerId; readonly dueAtMs: number }
  | {
      readonly kind: 'worker_failed';
      readonly workerId: WorkerId;
      readonly reason: FailureReason;
      readonly dueAtMs: number;
      readonly handedBack: number;
    }
  /** It takes no items, and says why. */
  | { readonly kind: 'worker_waits'; readonly workerId: WorkerId; readonly reason: string }
  /** Items wait, or are tried again, after answers like this one; told again with growing gaps while it lasts. */
  | { readonly kind: 'items_wait'; readonly reason: string; readonly items: number; readonly nextTryMs: number | null }
  | { readonly kind: 'run_stalled'; readonly why: string; readonly sinceMs: number }
  | { readonly kind: 'run_goes_on'; readonly stalledMs: number }
  | { readonly kind: 'worker_deregistered'; readonly workerId: WorkerId; readonly handedBack: number }
  | { readonly kind: 'items_stolen'; readonly from: WorkerId; readonly to: WorkerId; readonly items: number }
  | { readonly kind: 'drain_started'; readonly workerId: WorkerId; readonly reason: string; readonly remainingMs: number }
  | {
      readonly kind: 'drain_step';
      readonly workerId: WorkerId;
      readonly step: DrainStepKind;
      readonly items: number;
      readonly remainingMs: number;
    }
  /** How a drain ended: the worker left, was lost before it could, or works again. */
  | { readonly kind: 'drain_finished'; readonly workerId: WorkerId; readonly end: 'left' | 'lost' | 'withdrawn' }
  | { readonly kind: 'item_failed'; readonly index: number; readonly attempt: number; readonly code: string };

/** gone: a hint said that its machine is. */
export type FailureReason = 'timeout' | 'exited' | 'gone';

export type EventKind = RunEvent['kind'];

export type EventLevel = 'debug' | 'info' | 'warn' | 'error';

/** Level of each kind; the documentation is checked against this table. */
export const EVENT_LEVELS: Readonly<Record<EventKind, EventLevel>> = {
  run_started: 'info',
  run_finished: 'info',
  lease_acquired: 'info',
  lease_stolen: 'warn',
  coordinator_fenced: 'error',
  coordinator_silent: 'warn',
  coordinator_answers: 'info',
  worker_registered: 'info',
  worker_heartbeat: 'debug',
  worker_suspected: 'warn',
  worker_failed: 'warn',
  worker_waits: 'warn',
  items_wait: 'warn',
  run_stalled: 'warn',
  run_goes_on: 'info',
  worker_deregistered: 'info',
  items_stolen: 'info',
  drain_started: 'info',
  drain_step: 'info',
  drain_finished: 'info',
  item_failed: 'warn',
};
