import { LABEL } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { createInformer, type Informer, type InformerOptions } from '../kube/informer.ts';
import {
  CONFIG_MAP,
  type ConfigMap,
  DEPLOYMENT,
  type Deployment,
  type Kind,
  NETWORK_POLICY,
  type NetworkPolicy,
  NODE,
  type Node,
  PERSISTENT_VOLUME_CLAIM,
  type PersistentVolumeClaim,
  POD,
  POD_DISRUPTION_BUDGET,
  type Pod,
  type PodDisruptionBudget,
  SECRET,
  SERVICE,
  type Secret,
  type Service,
} from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Indexes } from '../kube/store.ts';
import type { Component } from './children.ts';
import { waitsForOperator } from './former-records.ts';
import { metadataOnly, trimmedNode, trimmedPod, withoutManaged } from './trimmed.ts';

/** What the operator follows in a namespace, or in all of them. All but runs are children of runs, by their label. */
export interface Caches {
  readonly runs: Informer<RolloutRun>;
  readonly pods: Informer<Pod>;
  readonly deployments: Informer<Deployment>;
  readonly configMaps: Informer<ConfigMap>;
  readonly secrets: Informer<Secret>;
  readonly services: Informer<Service>;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly budgets: Informer<PodDisruptionBudget>;
  readonly policies: Informer<NetworkPolicy>;
}

export type InformerParts = Pick<InformerOptions<KubeObject>, 'transport' | 'clock' | 'random' | 'log' | 'observer'>;

const CHILDREN = 'app.kubernetes.io/managed-by=rollout-operator';

/** `namespace`: null for all namespaces. */
export function createCaches(parts: (kind: string) => InformerParts, namespace: string | null): Caches {
  const children = <T extends KubeObject>(kind: Kind<T>, trim: (object: T) => T, indexes: Indexes<T> = {}): Informer<T> =>
    createInformer({ ...parts(kind.kind), kind, scope: { namespace, labelSelector: CHILDREN }, firstList: 'consistent', trim, indexes });
  return {
    runs: createInformer({
      ...parts('RolloutRun'),
      kind: ROLLOUT_RUN,
      scope: { namespace },
      firstList: 'consistent',
      trim: withoutManaged,
    }),
    pods: children(POD, trimmedPod, { [COORDINATORS]: coordinatorsRun, [WORKERS]: workersRun, [ON_NODE]: nodeOf }),
    deployments: children(DEPLOYMENT, metadataOnly),
    configMaps: children(CONFIG_MAP, metadataOnly, { [KEY_RECORDS]: keyRecordsRun }),
    secrets: children(SECRET, withoutManaged),
    services: children(SERVICE, metadataOnly),
    claims: children(PERSISTENT_VOLUME_CLAIM, metadataOnly),
    budgets: children(POD_DISRUPTION_BUDGET, metadataOnly),
    policies: children(NETWORK_POLICY, metadataOnly),
  };
}

/** Pods by the node that they are on. */
export const ON_NODE = 'node';

const nodeOf = ({ spec }: Pod): readonly string[] => (spec?.nodeName === undefined ? [] : [spec.nodeName]);

/** Pods of a Deployment are its ReplicaSet's: they are found by their labels, under `namespace/run`. */
export const COORDINATORS = 'coordinators';
/** Those of former runs of the same name too. */
export const WORKERS = 'workers';

/** Records of Redis keys whose runs may still have to be retired, those of former runs too. */
export const KEY_RECORDS = 'keyRecords';

export const keyRecordsRun = (map: ConfigMap): readonly string[] => (waitsForOperator(map) ? runOfPart(map, 'coordinator') : []);
export const coordinatorsRun = (pod: KubeObject): readonly string[] => runOfPart(pod, 'coordinator');
export const workersRun = (pod: KubeObject): readonly string[] => runOfPart(pod, 'worker');

function runOfPart({ metadata: { namespace, labels = {} } }: KubeObject, component: Component): readonly string[] {
  const run = labels[LABEL.run];
  return run !== undefined && labels[LABEL.component] === component ? [`${namespace}/${run}`] : [];
}

export function createNodeCache(parts: (kind: string) => InformerParts): Informer<Node> {
  return createInformer({ ...parts('Node'), kind: NODE, scope: { namespace: null }, firstList: 'cached', trim: trimmedNode });
}

/** All but that of the runs themselves. */
export function childInformers(caches: Caches): readonly Informer<KubeObject>[] {
  return informersOf(caches).filter(({ kind }) => kind.plural !== ROLLOUT_RUN.plural);
}

export function informersOf(caches: Caches): readonly Informer<KubeObject>[] {
  return Object.values(caches);
}
