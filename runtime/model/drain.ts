import type { Provider, Severity } from './hint.ts';
import type { WorkerId } from './row.ts';
import type { DrainStep } from './session.ts';

/** What people and watchers of machines say to the coordinator, and its answers; rpc/mapping-run.ts joins them to the wire. */

export interface DrainOrder {
  readonly workerId: WorkerId;
  /** The boot that an earlier answer named; empty for whichever works under this id now. */
  readonly bootNonce: string;
  /** How long the drain may take; null where the worker's own setting applies. */
  readonly deadlineMs: number | null;
  readonly reason: string;
}

export const DRAIN_STATES = ['draining', 'left', 'lost'] as const;
export type DrainState = (typeof DRAIN_STATES)[number];

export type DrainReply =
  | { readonly state: 'unknown'; readonly workers: readonly WorkerId[] }
  | { readonly state: DrainState; readonly bootNonce: string; readonly steps: readonly DrainStep[] };

/** What is said of a machine: names a node or a worker, or both. */
export interface HintWord {
  readonly node: string | null;
  readonly worker: WorkerId | null;
  readonly severity: Severity | 'withdrawn';
  readonly provider: Provider | null;
  readonly deadlineMs: number | null;
  readonly reason: string;
}

export interface HintReply {
  /** The workers that it concerns now. */
  readonly workers: readonly WorkerId[];
}
