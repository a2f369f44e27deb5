import { ANNOTATION } from '../../api/names.ts';
import type { RolloutRun } from '../../api/run.ts';
import type { Container, Deployment, PersistentVolumeClaim, PodSpec, Service } from '../../kube/kind.ts';
import { childMeta, coordinatorName, labelsOf, selectorOf, stateClaimName } from '../children.ts';
import type { RedisAccess } from '../redis-access.ts';
import { fieldVariable, ownContainer, podSecurity } from './container.ts';
import { coordinatorMounts, coordinatorVolumes, inputContainer } from './coordinator-volumes.ts';
import { CONFIG_DIR, HTTP_PORT, PORT } from './pod-places.ts';
import type { PodSettings } from './pod-settings.ts';

/**
 * Kubernetes leaves a pod on a node that is gone for five minutes. Nobody records anything meanwhile, so that this one is replaced when the
 * node counts as lost; whether its volume follows is the volume's affair.
 */
const LOST_NODE = ['unreachable', 'not-ready'].map((key) => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  effect: 'NoExecute',
  tolerationSeconds: 10,
}));

/** More than a coordinator takes at ten million items. */
const RESOURCES = { requests: { cpu: '100m', memory: '384Mi' } };
const STORAGE = '1Gi';
export const COORDINATOR_CONTAINER = 'coordinator';

/** `settings`: a digest of the settings, whose change makes a new pod. */
export function coordinatorDeployment(run: RolloutRun, settings: string, redis: RedisAccess | null, pods: PodSettings): Deployment {
  const { name } = run.metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: childMeta(run, coordinatorName(name), 'coordinator'),
    spec: {
      replicas: run.spec.coordinator.replicas,
      // Two coordinators of one embedded store would wait for each other's lock.
      strategy: redis === null ? { type: 'Recreate' } : { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      selector: { matchLabels: selectorOf(name, 'coordinator') },
      template: {
        metadata: {
          labels: labelsOf(name, 'coordinator'),
          annotations: { [ANNOTATION.configHash]: settings, 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
        },
        spec: podSpec(run, redis, pods),
      },
    },
  };
}

function podSpec(run: RolloutRun, redis: RedisAccess | null, pods: PodSettings): PodSpec {
  const { name } = run.metadata;
  const { nodeSelector, tolerations } = run.spec.coordinator;
  return {
    automountServiceAccountToken: false,
    securityContext: podSecurity(pods),
    imagePullSecrets: pods.imagePullSecrets.map((secret) => ({ name: secret })),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    tolerations: [...(tolerations ?? []), ...LOST_NODE],
    ...(redis === null ? {} : { topologySpreadConstraints: [spread(name)] }),
    initContainers: [inputContainer(run, pods)],
    containers: [coordinatorContainer(run, redis, pods)],
    volumes: coordinatorVolumes(run, redis, 'coordinator.yaml', pods),
  };
}

/** Where there is a choice, no node has two of them. */
function spread(run: string): NonNullable<PodSpec['topologySpreadConstraints']>[number] {
  const labelSelector = { matchLabels: selectorOf(run, 'coordinator') };
  return { maxSkew: 1, topologyKey: 'kubernetes.io/hostname', whenUnsatisfiable: 'ScheduleAnyway', labelSelector };
}

function coordinatorContainer(run: RolloutRun, redis: RedisAccess | null, pods: PodSettings): Container {
  return ownContainer(COORDINATOR_CONTAINER, pods, {
    args: ['/app/coordinator.js', '--config', `${CONFIG_DIR}/coordinator.yaml`, '--advertise', `$(POD_IP):${PORT}`],
    env: [fieldVariable('POD_IP', 'status.podIP')],
    ports: [
      { name: 'grpc', containerPort: PORT },
      { name: 'http', containerPort: HTTP_PORT },
    ],
    resources: run.spec.coordinator.resources ?? RESOURCES,
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 2, failureThreshold: 2 },
    livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    volumeMounts: coordinatorMounts(run, redis),
  });
}

/** Not ready ones too: a coordinator that recovers answers workers that they are to wait. */
export function coordinatorService(run: RolloutRun): Service {
  const { name } = run.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: childMeta(run, coordinatorName(name), 'coordinator'),
    spec: {
      selector: selectorOf(name, 'coordinator'),
      publishNotReadyAddresses: true,
      ports: [
        { name: 'grpc', port: PORT, targetPort: 'grpc' },
        { name: 'http', port: HTTP_PORT, targetPort: 'http' },
      ],
    },
  };
}

export function stateClaim(run: RolloutRun): PersistentVolumeClaim {
  const { name } = run.metadata;
  const { storage, storageClassName } = run.spec.coordinator.store.embedded ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: childMeta(run, stateClaimName(name), 'coordinator'),
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: storage ?? STORAGE } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  };
}
