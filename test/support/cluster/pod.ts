import type { V1Pod } from '@kubernetes/client-node';
import { IMAGE } from '../../cluster/image.ts';
import { PATIENCE_MS } from '../until.ts';
import type { Cluster } from './start-cluster.ts';
import { untilSeen } from './until-seen.ts';

/** Where a pod has its volume. */
export const DATA = '/data';

export interface PodPlan {
  readonly name: string;
  /** Of the product's image. */
  readonly command: readonly string[];
  readonly security?: { readonly runAsUser: number; readonly runAsGroup: number; readonly fsGroup?: number };
  /** A claim for what is at /data. */
  readonly claim?: string;
  readonly node?: string;
}

/** A pod that runs once and meets the restricted standard. */
function podOf({ name, command, security, claim, node }: PodPlan): V1Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      restartPolicy: 'Never',
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' }, ...security },
      ...(node === undefined ? {} : { nodeSelector: { 'kubernetes.io/hostname': node } }),
      containers: [
        {
          name: 'main',
          image: IMAGE,
          command: [...command],
          securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
          ...(claim === undefined ? {} : { volumeMounts: [{ name: 'data', mountPath: DATA }] }),
        },
      ],
      ...(claim === undefined ? {} : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: claim } }] }),
    },
  };
}

/** A claim of a pod; `more`: further lines of its spec. */
export function claimOf(name: string, more = ''): string {
  return `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: ${name}}
spec:
  accessModes: [ReadWriteOnce]
  resources: {requests: {storage: 1Gi}}
  ${more}`;
}

export async function startPod({ api }: Cluster, namespace: string, plan: PodPlan): Promise<void> {
  await api.call('POST', `/api/v1/namespaces/${namespace}/pods`, podOf(plan));
}

/** Until it has ended, well or not. */
export async function runPod(
  cluster: Cluster,
  namespace: string,
  plan: PodPlan,
): Promise<{ readonly exit: number; readonly said: string }> {
  await startPod(cluster, namespace, plan);
  const path = `/api/v1/namespaces/${namespace}/pods/${plan.name}`;
  const { status } = await untilSeen(
    `the pod ${plan.name} has ended`,
    PATIENCE_MS,
    async () => ({ status: (await cluster.api.call<V1Pod>('GET', path)).status }),
    (seen) => seen.status?.phase === 'Succeeded' || seen.status?.phase === 'Failed',
  );
  const said = await cluster.kubectl('logs', plan.name, '--namespace', namespace);
  return { exit: status?.containerStatuses?.[0]?.state?.terminated?.exitCode ?? -1, said };
}
