import type { RolloutRun } from '../api/run.ts';
import type { ConfigMap } from '../kube/kind.ts';
import type { Signal } from '../nodes/signals.ts';
import type { CoordinatorAnswer, CoordinatorView } from './coordinator-view.ts';
import type { IssuedFinding } from './issued.ts';
import type { RedisFinding } from './redis-access.ts';
import type { WorkerView } from './worker-view.ts';

/** All that a plan goes by. */
export interface Observed {
  readonly run: RolloutRun;
  readonly input: InputFinding;
  /** Null where the store is embedded. */
  readonly redis: RedisFinding | null;
  /** Of the keys of this run on a Redis server; null where there is none. */
  readonly keyRecord: ConfigMap | null;
  /** Of cert-manager; null for a run that makes its certificates itself. */
  readonly issued: IssuedFinding | null;
  /** Whether all certificates are there. */
  readonly hasCertificates: boolean;
  readonly hasDeployment: boolean;
  /** What keeps a run from starting, as `Kind name`: it has the names of its children, and is not of this run. */
  readonly inTheWay: readonly string[];
  readonly coordinators: readonly CoordinatorView[];
  readonly workers: readonly WorkerView[];
  readonly answer: CoordinatorAnswer | null;
  /** What is known of nodes that will go, or are gone, by name. */
  readonly signals: ReadonlyMap<string, Signal>;
  /** Whether nodes are watched: their signals are not known otherwise. */
  readonly watchesNodes: boolean;
  /** Wall clock. */
  readonly nowMs: number;
}

/** `unseen`: it was not looked for, and what was known of it stands. */
export type InputFinding = { readonly kind: 'found' | 'unseen' } | { readonly kind: 'missing'; readonly message: string };
