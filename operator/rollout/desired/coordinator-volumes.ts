import type { RolloutRun } from '../../api/run.ts';
import type { Container, Volume } from '../../kube/kind.ts';
import { stateClaimName } from '../children.ts';
import type { RedisAccess } from '../redis-access.ts';
import { CONFIG_MOUNT, configVolume, ownContainer, TLS_MOUNT, tlsVolume } from './container.ts';
import { INPUT_FILE, OUTPUT_DIR, REDIS_DIR, STATE_DIR } from './pod-places.ts';
import type { PodSettings } from './pod-settings.ts';

/** What a coordinator's pod has beside its program. A reader's pod has the same. */

const SOURCE_DIR = '/input';
export const INPUT_CONTAINER = 'input';

/** `settings`: which file of the run's ConfigMap. */
export function coordinatorVolumes(run: RolloutRun, redis: RedisAccess | null, settings: string, pods: PodSettings): readonly Volume[] {
  const { name } = run.metadata;
  return [
    configVolume(name, { key: settings, path: 'coordinator.yaml' }, pods),
    // With the ledger and the results on a server nothing on a coordinator's disk has to outlive it.
    redis === null ? { name: 'state', persistentVolumeClaim: { claimName: stateClaimName(name) } } : { name: 'state', emptyDir: {} },
    ...inputVolumes(run, redis),
    ...outputVolumes(run),
    ...secretOf(redis).map((secretName) => ({ name: 'redis', secret: { secretName } })),
    tlsVolume(name, 'coordinator', run.spec.certificates.mode),
  ];
}

export function coordinatorMounts({ spec }: RolloutRun, redis: RedisAccess | null): NonNullable<Container['volumeMounts']> {
  return [
    CONFIG_MOUNT,
    { name: 'state', mountPath: STATE_DIR },
    TLS_MOUNT,
    ...(spec.output?.pvc === undefined ? [] : [{ name: 'output', mountPath: OUTPUT_DIR }]),
    ...secretOf(redis).map(() => ({ name: 'redis', mountPath: REDIS_DIR, readOnly: true })),
  ];
}

function secretOf(redis: RedisAccess | null): readonly string[] {
  const name = redis?.secretName ?? null;
  return name === null ? [] : [name];
}

/** Copies the list to the state volume before the first start: what is changed or deleted at its source later does not reach the run. */
export function inputContainer({ spec }: RolloutRun, pods: PodSettings): Container {
  const { uri } = spec.input;
  const from = uri === undefined ? ['--file', `${SOURCE_DIR}/${inputPath(spec.input)}`] : ['--url', uri.url, '--sha256', uri.sha256];
  const source = uri === undefined ? [{ name: 'input', mountPath: SOURCE_DIR, readOnly: true }] : [];
  return ownContainer(INPUT_CONTAINER, pods, {
    args: ['/app/cli.js', 'fetch-input', ...from, '--to', INPUT_FILE],
    // At most those of the coordinator, which follows it: the pod needs no more by it.
    resources: spec.coordinator.resources ?? { requests: { cpu: '50m', memory: '64Mi' } },
    volumeMounts: [CONFIG_MOUNT, { name: 'state', mountPath: STATE_DIR }, ...source],
  });
}

function inputPath({ configMap, pvc }: RolloutRun['spec']['input']): string {
  return pvc?.path ?? configMap?.key ?? '';
}

function inputVolumes({ spec }: RolloutRun, redis: RedisAccess | null): readonly Volume[] {
  const { configMap, pvc } = spec.input;
  // A coordinator that has a copy starts again without it.
  if (configMap !== undefined)
    return [{ name: 'input', configMap: { name: configMap.name, ...(redis === null ? { optional: true } : {}) } }];
  if (pvc !== undefined) return [{ name: 'input', persistentVolumeClaim: { claimName: pvc.claimName, readOnly: true } }];
  return [];
}

function outputVolumes({ spec }: RolloutRun): readonly Volume[] {
  const pvc = spec.output?.pvc;
  return pvc === undefined ? [] : [{ name: 'output', persistentVolumeClaim: { claimName: pvc.claimName } }];
}
