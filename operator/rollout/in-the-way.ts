import type { RolloutRun } from '../api/run.ts';
import type { Pod } from '../kube/kind.ts';
import { controllerOf, type KubeObject } from '../kube/object.ts';
import type { ReadStore } from '../kube/store.ts';
import { authorityName, configName, coordinatorName, stateClaimName, TLS_ROLES, tlsName } from './children.ts';

/** Kinds of children, and who has those of them that the cache knows. */
export interface NamedStore {
  readonly kind: { readonly kind: string };
  readonly store: Pick<ReadStore<KubeObject>, 'get'>;
}

/**
 * What has the names of this run's children and belongs to another run, or to none, as `Kind name`. An earlier run of the name leaves its
 * children for some seconds, a claim for as long as a pod has it. A run that took them over would get the ledger of that run.
 *
 * @param workers of any run of this name
 */
export function inTheWay(run: RolloutRun, stores: readonly NamedStore[], workers: Iterable<Pod>, nowMs: number): readonly string[] {
  const { name, namespace, uid } = run.metadata;
  const names = [coordinatorName(name), stateClaimName(name), configName(name)];
  // Secrets that cert-manager makes have no owner at first.
  const secrets = run.spec.certificates.mode === 'selfSigned' ? [authorityName(name), ...TLS_ROLES.map((role) => tlsName(name, role))] : [];
  const found = stores.flatMap(({ kind, store }) =>
    (kind.kind === 'Secret' ? secrets : names).flatMap((child) => {
      const object = store.get(`${namespace}/${child}`);
      return object === undefined || controllerOf(object)?.uid === uid ? [] : [`${kind.kind} ${child}`];
    }),
  );
  const former = [...workers].filter((pod) => controllerOf(pod)?.uid !== uid && !isOverdue(pod, nowMs));
  return [...found, ...former.map(({ metadata }) => `Pod ${metadata.name}`)];
}

/** It should have been gone by now: its node is, and it stays until that comes back or is deleted. */
function isOverdue({ metadata }: Pod, nowMs: number): boolean {
  return metadata.deletionTimestamp !== undefined && Date.parse(metadata.deletionTimestamp) < nowMs;
}
