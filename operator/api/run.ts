import type { Kind } from '../kube/kind.ts';
import type { KubeObject, ObjectMeta } from '../kube/object.ts';
import { GROUP, KIND, PLURAL, VERSION } from './names.ts';
import type { RunSpec, RunStatus } from './types.gen.ts';

/** A run as the API server gives it: with its defaults filled in, and a status once the operator has seen it. */
export interface RolloutRun extends KubeObject {
  readonly metadata: RunMeta;
  readonly spec: RunSpec;
  readonly status?: RunStatus;
}

/** What every object of a namespace has once it is stored. */
interface RunMeta extends ObjectMeta {
  readonly namespace: string;
  readonly uid: string;
}

export const ROLLOUT_RUN: Kind<RolloutRun> = { group: GROUP, version: VERSION, plural: PLURAL, kind: KIND, isNamespaced: true };
