import type { Identity } from '../../runtime/tls/identity.ts';
import { API_VERSION, KIND, LABEL } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import type { ObjectMeta, OwnerReference } from '../kube/object.ts';
import { runIdOf } from './run-id.ts';

/** What the operator makes of a run: names, labels and owner. Names are functions of the run alone, so that a stale cache makes no twins. */
export type Component = 'coordinator' | 'worker' | 'reader';

const UID_DIGITS = 8;

export const coordinatorName = (run: string): string => `${run}-coordinator`;
export const stateClaimName = (run: string): string => `${run}-state`;
export const configName = (run: string): string => `${run}-config`;
/** Named after the object too: that of a former run of the name may still be there. */
export const redisRecordName = ({ metadata }: RolloutRun): string => `${metadata.name}-redis-keys-${metadata.uid.slice(0, UID_DIGITS)}`;
export const readerName = (run: string): string => `${run}-reader`;
export const authorityName = (run: string): string => `${run}-ca`;
export const tlsName = (run: string, role: TlsRole): string => `${run}-${role}-tls`;
export const workerName = (run: string, slot: number, incarnation: number): string => `${run}-worker-${slot}-${incarnation}`;

/** Who has a certificate of its own. */
export type TlsRole = 'coordinator' | 'worker' | 'client';
export const TLS_ROLES: readonly TlsRole[] = ['coordinator', 'worker', 'client'];

export function labelsOf(run: string, component: Component): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'rollout',
    'app.kubernetes.io/instance': run,
    [LABEL.component]: component,
    'app.kubernetes.io/part-of': 'rollout',
    'app.kubernetes.io/managed-by': 'rollout-operator',
    [LABEL.run]: run,
  };
}

/** What selects pods of a run; never changes, since the selector of a Deployment cannot. */
export function selectorOf(run: string, component: Component): Record<string, string> {
  return { [LABEL.run]: run, [LABEL.component]: component };
}

/** Labels as lists of the API and the scale subresource take them. */
export function selectorText(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** Of a child in a cache. */
export function childKey({ metadata }: RolloutRun, name: string): string {
  return `${metadata.namespace}/${name}`;
}

/** Of a child that goes with its run. */
export function childMeta(run: RolloutRun, name: string, component: Component): ChildMeta {
  const { name: runName, namespace } = run.metadata;
  return { name, namespace, labels: labelsOf(runName, component), ownerReferences: [ownerOf(run)] };
}

interface ChildMeta extends ObjectMeta {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

export function identityOf(role: TlsRole, { metadata }: RolloutRun): Identity {
  return { role: role === 'worker' ? 'workers' : role, runId: runIdOf(metadata.uid) };
}

function ownerOf({ metadata }: RolloutRun): OwnerReference {
  return { apiVersion: API_VERSION, kind: KIND, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}
