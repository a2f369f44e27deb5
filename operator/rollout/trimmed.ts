import type { Node, Pod } from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';

/** What the caches keep of objects: the parts that somebody reads. Pure. */

export function withoutManaged<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** That it is there, whose it is and what it was made from. */
export function metadataOnly<T extends KubeObject>(object: T): T {
  const { kind, apiVersion, metadata } = withoutManaged(object);
  return { kind, apiVersion, metadata } as T;
}

/** What plans go by: where it is, and how its containers are. */
export function trimmedPod(pod: Pod): Pod {
  const { metadata, spec, status, ...rest } = withoutManaged(pod);
  const { phase, podIP, conditions, containerStatuses, initContainerStatuses } = status ?? {};
  return {
    ...rest,
    metadata,
    spec: {
      containers: [],
      ...defined({ nodeName: spec?.nodeName, terminationGracePeriodSeconds: spec?.terminationGracePeriodSeconds }),
    },
    status: defined({ phase, podIP, conditions, containerStatuses, initContainerStatuses }),
  };
}

/** Heartbeats of nodes change nothing here: their times are left out, so that the cache does not tell of them. */
export function trimmedNode(node: Node): Node {
  const { metadata, spec, status } = withoutManaged(node);
  const conditions = status?.conditions?.map(({ type, status: is, reason, message }) => defined({ type, status: is, reason, message }));
  return {
    metadata: {
      name: metadata.name,
      ...defined({ uid: metadata.uid, labels: metadata.labels, resourceVersion: metadata.resourceVersion }),
    },
    spec: defined({ taints: spec?.taints }),
    status: defined({ conditions }),
  };
}

function defined<T extends object>(object: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}
