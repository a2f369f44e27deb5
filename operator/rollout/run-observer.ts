import type { Observed } from './observed.ts';
import type { Plan } from './plan.ts';

/** Hears what each look at a run has seen and decided, for the metrics. It changes nothing, and never throws. `key`: `namespace/name`. */
export interface RunObserver {
  onLook(key: string, seen: Observed, plan: Plan): void;
  /** There is no such run any more. */
  onGone(key: string): void;
}
