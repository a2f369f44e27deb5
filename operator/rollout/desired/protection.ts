import { LABEL } from '../../api/names.ts';
import type { RolloutRun } from '../../api/run.ts';
import type { NetworkPolicy, PodDisruptionBudget } from '../../kube/kind.ts';
import { childMeta, coordinatorName, selectorOf } from '../children.ts';
import { HTTP_PORT, PORT } from './pod-places.ts';

/** Whoever drains nodes takes one coordinator at a time, and is never kept from it: a lone one comes back elsewhere. Workers have none. */
export function coordinatorBudget(run: RolloutRun): PodDisruptionBudget {
  const { name } = run.metadata;
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: childMeta(run, coordinatorName(name), 'coordinator'),
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorOf(name, 'coordinator') } },
  };
}

/** The coordinator is reached by the pods of its run and by the operator; the kubelet always reaches what is on its node. */
export function coordinatorPolicy(run: RolloutRun, operatorNamespace: string): NetworkPolicy {
  const { name } = run.metadata;
  // The generated types call the field `_from`, which is not what is sent.
  const ingress = [{ from: peersOf(name, operatorNamespace), ports: [PORT, HTTP_PORT].map((port) => ({ port, protocol: 'TCP' })) }];
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: childMeta(run, coordinatorName(name), 'coordinator'),
    spec: {
      podSelector: { matchLabels: selectorOf(name, 'coordinator') },
      policyTypes: ['Ingress'],
      ingress,
    },
  };
}

function peersOf(run: string, operatorNamespace: string): readonly object[] {
  return [
    { podSelector: { matchLabels: { [LABEL.run]: run } } },
    {
      namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': operatorNamespace } },
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'rollout', [LABEL.component]: 'operator' } },
    },
  ];
}
