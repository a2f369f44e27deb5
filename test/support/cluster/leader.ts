import type { Lease } from '../../../operator/kube/kind.ts';
import { PATIENCE_MS } from '../until.ts';
import { OPERATOR_NAMESPACE } from './operator.ts';
import { pidOf } from './process.ts';
import type { Cluster } from './start-cluster.ts';
import { untilSeen } from './until-seen.ts';

const LEASE = `/apis/coordination.k8s.io/v1/namespaces/${OPERATOR_NAMESPACE}/leases/rollout-operator`;

/** The process that leads: `pod_random`; empty while none does. */
export async function leaderIn({ api }: Cluster): Promise<string> {
  return (await api.call<Lease>('GET', LEASE)).spec?.holderIdentity ?? '';
}

export function podOf(leader: string): string {
  return leader.replace(/_[^_]*$/, '');
}

/** Any process but this one. */
export async function untilAnotherLeads(cluster: Cluster, former: string): Promise<string> {
  return untilSeen(
    `another process than ${former} leads`,
    PATIENCE_MS,
    async () => leaderIn(cluster),
    (leader) => leader !== '' && leader !== former,
  );
}

/** Of the operator's process in a pod. */
export function operatorPid(pod: string): number {
  return pidOf('/app/operator.js', `POD_NAME=${pod}`);
}
