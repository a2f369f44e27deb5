import type {
  CoreV1Event,
  EventsV1Event,
  V1ConfigMap,
  V1Deployment,
  V1Lease,
  V1NetworkPolicy,
  V1Node,
  V1PersistentVolumeClaim,
  V1Pod,
  V1PodDisruptionBudget,
  V1Secret,
  V1Service,
  V1SubjectAccessReview,
  V1TokenReview,
} from '@kubernetes/client-node';
import type { KubeObject, Ref, WireObject } from './object.ts';

declare const OBJECT: unique symbol;

/** A kind of objects, and where the API server has it. `T` is the type of its objects. */
export interface Kind<T extends KubeObject> {
  /** '' for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** Never there: it ties the kind to the type of its objects. */
  readonly [OBJECT]?: T;
}

export type Pod = WireObject<V1Pod>;
export type Node = WireObject<V1Node>;
export type ConfigMap = WireObject<V1ConfigMap>;
export type Secret = WireObject<V1Secret>;
export type Service = WireObject<V1Service>;
export type PersistentVolumeClaim = WireObject<V1PersistentVolumeClaim>;
export type CoreEvent = WireObject<CoreV1Event>;
export type Deployment = WireObject<V1Deployment>;
export type PodDisruptionBudget = WireObject<V1PodDisruptionBudget>;
export type NetworkPolicy = WireObject<V1NetworkPolicy>;
export type Lease = WireObject<V1Lease>;
export type Event = WireObject<EventsV1Event>;
export type SubjectAccessReview = WireObject<V1SubjectAccessReview>;
export type TokenReview = WireObject<V1TokenReview>;

export type PodTemplate = NonNullable<Deployment['spec']>['template'];
export type PodSpec = NonNullable<Pod['spec']>;
export type PodStatus = NonNullable<Pod['status']>;
export type Container = PodSpec['containers'][number];
export type ContainerStatus = NonNullable<PodStatus['containerStatuses']>[number];
export type Volume = NonNullable<PodSpec['volumes']>[number];

export const POD: Kind<Pod> = namespaced('', 'v1', 'pods', 'Pod');
export const NAMESPACE: Kind<KubeObject> = clusterWide('', 'v1', 'namespaces', 'Namespace');
export const NODE: Kind<Node> = clusterWide('', 'v1', 'nodes', 'Node');
export const CONFIG_MAP: Kind<ConfigMap> = namespaced('', 'v1', 'configmaps', 'ConfigMap');
export const SECRET: Kind<Secret> = namespaced('', 'v1', 'secrets', 'Secret');
export const SERVICE: Kind<Service> = namespaced('', 'v1', 'services', 'Service');
export const PERSISTENT_VOLUME_CLAIM: Kind<PersistentVolumeClaim> = namespaced('', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim');
/** What components write about nodes and pods; the same objects as EVENT, with the fields of the older API. */
export const CORE_EVENT: Kind<CoreEvent> = namespaced('', 'v1', 'events', 'Event');
export const DEPLOYMENT: Kind<Deployment> = namespaced('apps', 'v1', 'deployments', 'Deployment');
export const POD_DISRUPTION_BUDGET: Kind<PodDisruptionBudget> = namespaced('policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget');
export const NETWORK_POLICY: Kind<NetworkPolicy> = namespaced('networking.k8s.io', 'v1', 'networkpolicies', 'NetworkPolicy');
export const LEASE: Kind<Lease> = namespaced('coordination.k8s.io', 'v1', 'leases', 'Lease');
export const EVENT: Kind<Event> = namespaced('events.k8s.io', 'v1', 'events', 'Event');
export const SUBJECT_ACCESS_REVIEW: Kind<SubjectAccessReview> = clusterWide(
  'authorization.k8s.io',
  'v1',
  'subjectaccessreviews',
  'SubjectAccessReview',
);
export const TOKEN_REVIEW: Kind<TokenReview> = clusterWide('authentication.k8s.io', 'v1', 'tokenreviews', 'TokenReview');

/** As objects and owner references name it: `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: Pick<Kind<KubeObject>, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The path of all objects of a kind; null for all namespaces, or for a kind that has none. */
export function collectionPath(kind: Kind<KubeObject>, namespace: string | null): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  return namespace === null ? `${root}/${kind.plural}` : `${root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`;
}

export function objectPath(kind: Kind<KubeObject>, { namespace, name }: Ref, subresource?: string): string {
  const path = `${collectionPath(kind, kind.isNamespaced ? namespace : null)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

function namespaced<T extends KubeObject>(group: string, version: string, plural: string, kind: string): Kind<T> {
  return { group, version, plural, kind, isNamespaced: true };
}

function clusterWide<T extends KubeObject>(group: string, version: string, plural: string, kind: string): Kind<T> {
  return { group, version, plural, kind, isNamespaced: false };
}
