import { ANNOTATION, LABEL } from '../../api/names.ts';
import type { RolloutRun } from '../../api/run.ts';
import type { Container, Pod, PodSpec, PodTemplate } from '../../kube/kind.ts';
import { childMeta, workerName } from '../children.ts';
import { CONFIG_MOUNT, configVolume, fieldVariable, ownContainer, TLS_MOUNT, tlsVolume } from './container.ts';
import { CONFIG_DIR, GRACE_SECONDS, STATE_DIR } from './pod-places.ts';
import type { PodSettings } from './pod-settings.ts';
import { textHash } from './text-hash.ts';

/** As much as a worker needs beside its model server. */
const RESOURCES = { requests: { cpu: '50m', memory: '128Mi' } };
/** A cluster that loses more at a time has them tainted, and the scheduler keeps away by itself. */
const MOST_AVOIDED = 50;
export const WORKER_CONTAINER = 'worker';

/** Which pod of a run: the place in its parallelism, and how often that place has been filled before. */
export interface WorkerPlace {
  readonly slot: number;
  readonly incarnation: number;
}

/**
 * The worker's pod. The user's containers become native sidecars, so that the worker stops first and drains while the model server is
 * still up, and the pod is over when the worker is. A container that dies is started again beside the same outbox.
 */
export function workerPod(run: RolloutRun, { slot, incarnation }: WorkerPlace, avoid: readonly string[], pods: PodSettings): Pod {
  const meta = childMeta(run, workerName(run.metadata.name, slot, incarnation), 'worker');
  const template = (run.spec.workers.template ?? {}) as unknown as PodTemplate;
  const avoided = avoid.slice(0, MOST_AVOIDED);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...meta,
      labels: {
        ...template.metadata?.labels,
        ...meta.labels,
        [LABEL.slot]: String(slot),
        [LABEL.incarnation]: String(incarnation),
        [LABEL.template]: templateHash(run),
      },
      annotations: {
        'cluster-autoscaler.kubernetes.io/safe-to-evict': 'true',
        ...template.metadata?.annotations,
        ...(avoided.length === 0 ? {} : { [ANNOTATION.avoids]: avoided.join(',') }),
      },
    },
    spec: avoiding(podSpec(run, template.spec ?? {}, pods), avoided),
  };
}

/** Changes where the pods have to be made anew. */
export function templateHash({ spec }: RolloutRun): string {
  const { template, concurrency, resources } = spec.workers;
  return textHash(
    JSON.stringify([template ?? null, concurrency ?? null, spec.backend ?? null, ...(resources === undefined ? [] : [resources])]),
  );
}

/** `given`: as the user wrote it, which names no container where the model server is elsewhere. */
function podSpec(run: RolloutRun, given: Partial<PodSpec>, pods: PodSettings): PodSpec {
  const { name } = run.metadata;
  const sidecars = (given.containers ?? []).map((container) => ({ ...container, restartPolicy: 'Always' }));
  return {
    automountServiceAccountToken: false,
    terminationGracePeriodSeconds: GRACE_SECONDS,
    ...given,
    restartPolicy: 'OnFailure',
    imagePullSecrets: [...(given.imagePullSecrets ?? []), ...pods.imagePullSecrets.map((secret) => ({ name: secret }))],
    initContainers: [...(given.initContainers ?? []), ...sidecars],
    containers: [workerContainer(run, pods)],
    volumes: [
      ...(given.volumes ?? []),
      configVolume(name, { key: 'worker.yaml', path: 'worker.yaml' }, pods),
      { name: 'rollout-state', emptyDir: {} },
      tlsVolume(name, 'worker', run.spec.certificates.mode),
    ],
  };
}

function workerContainer(run: RolloutRun, pods: PodSettings): Container {
  const key = run.spec.backend?.apiKeySecretRef;
  return ownContainer(WORKER_CONTAINER, pods, {
    args: ['/app/worker.js', '--config', `${CONFIG_DIR}/worker.yaml`, '--worker-id', '$(POD_NAME)', '--node', '$(NODE_NAME)'],
    env: [
      fieldVariable('POD_NAME', 'metadata.name'),
      fieldVariable('NODE_NAME', 'spec.nodeName'),
      ...(key === undefined ? [] : [{ name: 'OPENAI_API_KEY', valueFrom: { secretKeyRef: { name: key.name, key: key.key } } }]),
    ],
    resources: run.spec.workers.resources ?? RESOURCES,
    volumeMounts: [CONFIG_MOUNT, { name: 'rollout-state', mountPath: STATE_DIR }, TLS_MOUNT],
  });
}

/** Not on nodes that are about to go: a condition of a node keeps no pod away by itself. The API server wants one name in each expression. */
function avoiding(spec: PodSpec, nodes: readonly string[]): PodSpec {
  if (nodes.length === 0) return spec;
  const elsewhere = nodes.map((node) => ({ key: 'metadata.name', operator: 'NotIn', values: [node] }));
  const { nodeAffinity, ...affinity } = spec.affinity ?? {};
  const required = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const terms = required.length === 0 ? [{}] : required;
  return {
    ...spec,
    affinity: {
      ...affinity,
      nodeAffinity: {
        ...nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: {
          nodeSelectorTerms: terms.map((term) => ({ ...term, matchFields: [...(term.matchFields ?? []), ...elsewhere] })),
        },
      },
    },
  };
}
