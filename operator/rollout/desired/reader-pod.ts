import type { RolloutRun } from '../../api/run.ts';
import type { Pod } from '../../kube/kind.ts';
import { labelsOf, ownerOf, readerName, stateClaimName } from '../children.ts';
import { ownContainer, podSecurity } from './container.ts';
import type { PodSettings } from './pod-settings.ts';
import { RUN_DIR, STATE_DIR } from './run-settings.ts';

/** Where the run's ConfigMap has its reader. */
export const READER_KEY = 'reader.json';
export const READER_CONTAINER = 'rollout-reader';
export const READER_PORT = 8_080;
export const TOKEN_VARIABLE = 'ROLLOUT_RESULTS_TOKEN';
/** A reader that nobody ends is over by then. */
const LIFE_SECONDS = 3_600;

/** The pod that shows the results of a finished run from the coordinator's volume. Whoever makes it gives it a token. */
export function readerPod(run: RolloutRun, pods: PodSettings): Pod {
  const { name, namespace } = run.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: readerName(name), namespace, labels: labelsOf(name, 'reader'), ownerReferences: [ownerOf(run)] },
    spec: {
      restartPolicy: 'Never',
      activeDeadlineSeconds: LIFE_SECONDS,
      automountServiceAccountToken: false,
      terminationGracePeriodSeconds: 1,
      securityContext: podSecurity(pods),
      imagePullSecrets: pods.imagePullSecrets.map((secret) => ({ name: secret })),
      containers: [
        ownContainer(READER_CONTAINER, pods, {
          args: ['/app/cli.js', 'results-server', '--state', RUN_DIR, '--port', String(READER_PORT)],
          ports: [{ name: 'results', containerPort: READER_PORT }],
          readinessProbe: { tcpSocket: { port: 'results' }, periodSeconds: 1 },
          resources: { requests: { cpu: '50m', memory: '128Mi' } },
          volumeMounts: [{ name: 'state', mountPath: STATE_DIR }],
        }),
      ],
      volumes: [{ name: 'state', persistentVolumeClaim: { claimName: stateClaimName(name) } }],
    },
  };
}
