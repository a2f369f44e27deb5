import {
  CONFIG_MAP,
  collectionPath,
  DEPLOYMENT,
  type Kind,
  NETWORK_POLICY,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  POD_DISRUPTION_BUDGET,
  SECRET,
  SERVICE,
} from '../../../operator/kube/kind.ts';
import type { KubeObject } from '../../../operator/kube/object.ts';
import type { ClusterRun } from './rollout-run.ts';
import type { Cluster } from './start-cluster.ts';
import { untilSeen } from './until-seen.ts';

/** What a user is promised of everything that goes with something else. */
export const GONE_MS = 60_000;

const REPLICA_SET: Kind<KubeObject> = { group: 'apps', version: 'v1', plural: 'replicasets', kind: 'ReplicaSet', isNamespaced: true };
const KINDS: readonly Kind<KubeObject>[] = [
  POD,
  DEPLOYMENT,
  REPLICA_SET,
  SERVICE,
  SECRET,
  CONFIG_MAP,
  PERSISTENT_VOLUME_CLAIM,
  POD_DISRUPTION_BUDGET,
  NETWORK_POLICY,
];

/** All that the operator has made of a run, and what others have made of that. */
export async function childrenOf({ api }: Cluster, { namespace, name }: ClusterRun): Promise<readonly KubeObject[]> {
  const selector = `labelSelector=${encodeURIComponent(`rollout.run/run=${name}`)}`;
  const lists = KINDS.map(async (kind) => {
    const all = await api.list<KubeObject>(`${collectionPath(kind, namespace)}?${selector}`);
    return all.map((object) => ({ ...object, kind: kind.kind }));
  });
  return (await Promise.all(lists)).flat();
}

export function namesOf(objects: readonly KubeObject[]): readonly string[] {
  return objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted();
}

/** Until nothing of the run is left, not even itself; answers how long that took. `but`: what may stay. */
export async function untilGone(cluster: Cluster, run: ClusterRun, but: (child: KubeObject) => boolean = () => false): Promise<number> {
  const begunMs = performance.now();
  await untilSeen(
    `nothing of ${run.name} is left`,
    GONE_MS,
    async () => [
      ...((await cluster.api.find(run.path)) === null ? [] : [run.path]),
      ...namesOf((await childrenOf(cluster, run)).filter((one) => !but(one))),
    ],
    (left) => left.length === 0,
  );
  return Math.round(performance.now() - begunMs);
}
