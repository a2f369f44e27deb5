import type { RolloutRun } from '../../api/run.ts';
import type { Container, Pod } from '../../kube/kind.ts';
import { childMeta, readerName } from '../children.ts';
import type { RedisAccess } from '../redis-access.ts';
import { ownContainer, podSecurity } from './container.ts';
import { coordinatorMounts, coordinatorVolumes, inputContainer } from './coordinator-volumes.ts';
import { CONFIG_DIR, RUN_DIR } from './pod-places.ts';
import type { PodSettings } from './pod-settings.ts';

/** Where the run's ConfigMap has its reader, and the one for a run that is not complete. */
export const READER_KEY = 'reader.json';
export const PARTIAL_READER_KEY = 'partial-reader.json';
export const READER_CONTAINER = 'rollout-reader';
export const READER_PORT = 8_080;
export const TOKEN_VARIABLE = 'ROLLOUT_RESULTS_TOKEN';
/** With the epoch that the run is known to have reached: a ledger that knows less is refused. */
export const EPOCH_VARIABLE = 'ROLLOUT_RESULTS_EPOCH';
const RESOURCES = { requests: { cpu: '50m', memory: '128Mi' } };
/** A reader that nobody ends is over by then. */
const LIFE_SECONDS = 3_600;

/**
 * The pod that shows the results of a finished run. Whoever makes it gives it a token. Where they are on a server, a coordinator writes
 * them out first: that of a finished run does nothing else.
 */
export function readerPod(run: RolloutRun, redis: RedisAccess | null, pods: PodSettings): Pod {
  const first = redis === null ? [] : [inputContainer(run, pods), exportContainer(run, redis, pods)];
  return podWith(run, redis, pods, first, ['--state', RUN_DIR]);
}

/** The pod that shows what is recorded of a run on which no coordinator works. It starts none: one would continue the run. */
export function partialReaderPod(run: RolloutRun, redis: RedisAccess | null, pods: PodSettings): Pod {
  return podWith(run, redis, pods, redis === null ? [] : [inputContainer(run, pods)], ['--config', `${CONFIG_DIR}/coordinator.yaml`]);
}

function podWith(
  run: RolloutRun,
  redis: RedisAccess | null,
  pods: PodSettings,
  initContainers: readonly Container[],
  shows: readonly string[],
): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: childMeta(run, readerName(run.metadata.name), 'reader'),
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: LIFE_SECONDS,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: podSecurity(pods),
      imagePullSecrets: pods.imagePullSecrets.map((secret) => ({ name: secret })),
      ...(initContainers.length === 0 ? {} : { initContainers }),
      containers: [
        ownContainer(READER_CONTAINER, pods, {
          args: ['/app/cli.js', 'results-server', ...shows, '--port', String(READER_PORT)],
          ports: [{ name: 'results', containerPort: READER_PORT }],
          readinessProbe: { tcpSocket: { port: 'results' }, periodSeconds: 1 },
          resources: run.spec.coordinator.resources ?? RESOURCES,
          // The proof asks the ledger, wherever it is.
          volumeMounts: coordinatorMounts(run, redis),
        }),
      ],
      volumes: coordinatorVolumes(run, redis, 'reader.yaml', pods),
    },
  };
}

/** Ends with 0 or 1: either is a finished run. */
function exportContainer(run: RolloutRun, redis: RedisAccess, pods: PodSettings): Container {
  return ownContainer('export', pods, {
    resources: run.spec.coordinator.resources ?? RESOURCES,
    args: ['/app/cli.js', 'export-finished', '--config', `${CONFIG_DIR}/coordinator.yaml`],
    volumeMounts: coordinatorMounts(run, redis),
  });
}
