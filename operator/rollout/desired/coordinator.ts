import type { Deployment, PersistentVolumeClaim, Service } from '../../kube/kind.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { RolloutRun } from '../../api/run.ts';
import { configName, coordinatorName, labelsOf, ownerOf, selectorOf, stateClaimName } from '../children.ts';
import { type Container, fieldVariable, ownContainer, podSecurity, TLS_MOUNT, tlsVolume, type Volume } from './container.ts';
import type { PodSettings, PodSpec } from './pod-settings.ts';
import { CONFIG_DIR, HTTP_PORT, INPUT_FILE, PORT, STATE_DIR } from './run-settings.ts';

/** Twice of what a coordinator takes at ten million items, and what it may burst to. */
const RESOURCES = { requests: { cpu: '100m', memory: '384Mi' } };
const STORAGE = '1Gi';
const SOURCE_DIR = '/input';
export const INPUT_KEY = 'items.jsonl';
export const COORDINATOR_CONTAINER = 'coordinator';
export const INPUT_CONTAINER = 'input';

/** `settings`: a digest of the settings, whose change makes a new pod. */
export function coordinatorDeployment(run: RolloutRun, settings: string, pods: PodSettings): Deployment {
  const { name, namespace } = run.metadata;
  const labels = labelsOf(name, 'coordinator');
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: coordinatorName(name), namespace, labels, ownerReferences: [ownerOf(run)] },
    spec: {
      replicas: 1,
      // Two coordinators of one embedded store would wait for each other's lock.
      strategy: { type: 'Recreate' },
      selector: { matchLabels: selectorOf(name, 'coordinator') },
      template: {
        metadata: {
          labels,
          annotations: { [ANNOTATION.configHash]: settings, 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' },
        },
        spec: podSpec(run, pods),
      },
    },
  };
}

function podSpec(run: RolloutRun, pods: PodSettings): PodSpec {
  const { name } = run.metadata;
  const { nodeSelector, tolerations } = run.spec.coordinator ?? {};
  return {
    automountServiceAccountToken: false,
    securityContext: podSecurity(pods),
    imagePullSecrets: pods.imagePullSecrets.map((secret) => ({ name: secret })),
    ...(nodeSelector === undefined ? {} : { nodeSelector }),
    ...(tolerations === undefined ? {} : { tolerations }),
    initContainers: [inputContainer(run, pods)],
    containers: [coordinatorContainer(run, pods)],
    volumes: [
      { name: 'config', configMap: { name: configName(name), items: [{ key: 'coordinator.yaml', path: 'coordinator.yaml' }] } },
      { name: 'state', persistentVolumeClaim: { claimName: stateClaimName(name) } },
      ...inputVolumes(run),
      tlsVolume(name, 'coordinator'),
    ],
  };
}

/** Copies the list to the state volume before the first start: what is changed or deleted at its source later does not reach the run. */
function inputContainer({ spec }: RolloutRun, pods: PodSettings): Container {
  const { uri } = spec.input;
  const from = uri === undefined ? ['--file', `${SOURCE_DIR}/${inputPath(spec.input)}`] : ['--url', uri.url, '--sha256', uri.sha256];
  const source = uri === undefined ? [{ name: 'input', mountPath: SOURCE_DIR, readOnly: true }] : [];
  return ownContainer(INPUT_CONTAINER, pods, {
    args: ['/app/cli.js', 'fetch-input', ...from, '--to', INPUT_FILE],
    volumeMounts: [{ name: 'state', mountPath: STATE_DIR }, ...source],
  });
}

function inputPath({ configMap, pvc }: RolloutRun['spec']['input']): string {
  return pvc?.path ?? configMap?.key ?? INPUT_KEY;
}

function inputVolumes({ spec }: RolloutRun): readonly Volume[] {
  const { configMap, pvc } = spec.input;
  if (configMap !== undefined) return [{ name: 'input', configMap: { name: configMap.name } }];
  if (pvc !== undefined) return [{ name: 'input', persistentVolumeClaim: { claimName: pvc.claimName, readOnly: true } }];
  return [];
}

function coordinatorContainer(run: RolloutRun, pods: PodSettings): Container {
  return ownContainer(COORDINATOR_CONTAINER, pods, {
    args: ['/app/coordinator.js', '--config', `${CONFIG_DIR}/coordinator.yaml`, '--advertise', `$(POD_IP):${PORT}`],
    env: [fieldVariable('POD_IP', 'status.podIP')],
    ports: [
      { name: 'grpc', containerPort: PORT },
      { name: 'http', containerPort: HTTP_PORT },
    ],
    resources: run.spec.coordinator?.resources ?? RESOURCES,
    readinessProbe: { httpGet: { path: '/readyz', port: 'http' }, periodSeconds: 2, failureThreshold: 2 },
    livenessProbe: { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
    volumeMounts: [
      { name: 'config', mountPath: CONFIG_DIR, readOnly: true },
      { name: 'state', mountPath: STATE_DIR },
      TLS_MOUNT,
    ],
  });
}

/** Not ready ones too: a coordinator that recovers answers workers that they are to wait. */
export function coordinatorService(run: RolloutRun): Service {
  const { name, namespace } = run.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: coordinatorName(name), namespace, labels: labelsOf(name, 'coordinator'), ownerReferences: [ownerOf(run)] },
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
  const { name, namespace } = run.metadata;
  const { storage, storageClassName } = run.spec.coordinator?.store?.embedded ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: stateClaimName(name), namespace, labels: labelsOf(name, 'coordinator'), ownerReferences: [ownerOf(run)] },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: storage ?? STORAGE } },
      ...(storageClassName === undefined ? {} : { storageClassName }),
    },
  };
}
