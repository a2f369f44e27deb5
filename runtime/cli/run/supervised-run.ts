import { EXIT, type ExitCode } from '../../base/exit.ts';
import type { ChildPlan } from './child.ts';

/** What a supervisor keeps alive, and how that ends. */

export interface WorkerPlan extends ChildPlan {
  /** Writes the worker's settings, which name the coordinators; none while none is known, and then the worker is told. */
  readonly prepare: (coordinators: readonly string[]) => Promise<void>;
}

export interface SupervisorPlan {
  readonly coordinator: ChildPlan;
  /** Further arguments of the coordinator until one has served: what they ask for is done once, and never again by a restart. */
  readonly firstArguments: readonly string[];
  readonly workers: readonly WorkerPlan[];
  readonly drainTimeoutMs: number;
  /** The run ends where its store could not be used for so long. */
  readonly waitStoreMs: number;
}

export interface SupervisionEnd {
  readonly exit: ExitCode;
  /** The process whose last log lines tell why; null where nothing failed. */
  readonly failed: { readonly logFile: string; readonly fromByte: number } | null;
  /** What the process itself said of it; empty where it said nothing. */
  readonly reason: string;
}

export const INTERRUPTED: SupervisionEnd = { exit: EXIT.interrupted, failed: null, reason: '' };
