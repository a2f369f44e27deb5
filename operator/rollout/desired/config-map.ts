import type { RolloutRun } from '../../api/run.ts';
import type { ConfigMap } from '../../kube/kind.ts';
import { childMeta, configName } from '../children.ts';
import type { RedisAccess } from '../redis-access.ts';
import { EXTRA_CA_KEY } from './pod-places.ts';
import type { PodSettings } from './pod-settings.ts';
import { PARTIAL_READER_KEY, partialReaderPod, READER_KEY, readerPod } from './reader-pod.ts';
import { coordinatorSettings, workerSettings } from './run-settings.ts';

/** The settings files of the run's processes, and the pods that show its results: the operator knows how pods are made, its users do not. */
export function runConfigMap(run: RolloutRun, redis: RedisAccess | null, pods: PodSettings): ConfigMap {
  const { name } = run.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: childMeta(run, configName(name), 'coordinator'),
    data: {
      'coordinator.yaml': coordinatorSettings(run, redis),
      'worker.yaml': workerSettings(run),
      'reader.yaml': coordinatorSettings(run, redis, false),
      [READER_KEY]: JSON.stringify(readerPod(run, redis, pods), null, 2),
      [PARTIAL_READER_KEY]: JSON.stringify(partialReaderPod(run, redis, pods), null, 2),
      ...(pods.extraCa === null ? {} : { [EXTRA_CA_KEY]: pods.extraCa }),
    },
  };
}
