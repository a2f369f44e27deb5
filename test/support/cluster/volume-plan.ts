import { join } from 'node:path';
import type { V1NodeSelectorRequirement, V1PersistentVolume, V1PersistentVolumeClaim } from '@kubernetes/client-node';

/** Provisioners by storage class, as addons.yaml has them: a folder on a node's disk, or one that all nodes reach. */
const CLASSES: Readonly<Record<string, string>> = { test: 'rollout.test/local', 'test-network': 'rollout.test/network' };
const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
/** What the scheduler writes down when it has found a place for the first pod of a claim. */
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const HOSTNAME = 'kubernetes.io/hostname';
/** A node has a /var of its own. */
const ON_NODE = '/var/lib/rollout-volumes';

export interface VolumePlan {
  /** Each with its folder on this machine. */
  readonly make: readonly { readonly volume: V1PersistentVolume; readonly folder: string }[];
  readonly remove: readonly { readonly name: string; readonly folder: string }[];
}

/** `run`: where the cluster keeps the disks of its nodes (`node1` …) and the folder `volumes`, by the same path on every node. */
export function volumePlan(claims: readonly V1PersistentVolumeClaim[], volumes: readonly V1PersistentVolume[], run: string): VolumePlan {
  const there = new Set(volumes.map(({ metadata }) => metadata?.name));
  return {
    make: claims.flatMap((claim) => volumeFor(claim, run)).filter(({ volume }) => !there.has(volume.metadata?.name)),
    remove: volumes.filter(isReleased).map((volume) => ({ name: volume.metadata?.name ?? '', folder: folderOf(volume, run) })),
  };
}

function volumeFor({ metadata, spec, status }: V1PersistentVolumeClaim, run: string): VolumePlan['make'] {
  const provisioner = CLASSES[spec?.storageClassName ?? ''];
  const node = metadata?.annotations?.[SELECTED_NODE];
  if (provisioner === undefined || metadata === undefined || node === undefined || status?.phase !== 'Pending') return [];
  const { namespace = '', uid = '' } = metadata;
  const name = `pvc-${uid}`;
  const isLocal = provisioner === CLASSES['test'];
  const place: V1NodeSelectorRequirement = isLocal
    ? { key: HOSTNAME, operator: 'In', values: [node] }
    : { key: HOSTNAME, operator: 'Exists' };
  const volume: V1PersistentVolume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [PROVISIONED_BY]: provisioner } },
    spec: {
      capacity: { storage: spec?.resources?.requests?.['storage'] ?? '1Gi' },
      accessModes: spec?.accessModes ?? [],
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: spec?.storageClassName ?? '',
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: metadata.name ?? '', uid },
      local: { path: isLocal ? join(ON_NODE, name) : join(run, 'volumes', name) },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [place] }] } },
    },
  };
  return [{ volume, folder: folderOf(volume, run) }];
}

/** Where this machine has what a pod sees. */
function folderOf({ spec }: V1PersistentVolume, run: string): string {
  const path = spec?.local?.path ?? '';
  const node = spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values?.[0];
  return node === undefined ? path : join(run, node, path);
}

/** Its claim is gone, and it is one of these. */
function isReleased({ metadata, spec, status }: V1PersistentVolume): boolean {
  const isOurs = Object.values(CLASSES).includes(metadata?.annotations?.[PROVISIONED_BY] ?? '');
  const isThere = metadata?.deletionTimestamp === undefined;
  return isOurs && isThere && status?.phase === 'Released' && spec?.persistentVolumeReclaimPolicy === 'Delete';
}
