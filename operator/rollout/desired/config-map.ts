import type { RolloutRun } from '../../api/run.ts';
import type { ConfigMap } from '../../kube/kind.ts';
import { configName, labelsOf, ownerOf } from '../children.ts';
import { coordinatorSettings, workerSettings } from './run-settings.ts';

/** The settings files of the run's processes. */
export function runConfigMap(run: RolloutRun): ConfigMap {
  const { name, namespace } = run.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: configName(name), namespace, labels: labelsOf(name, 'coordinator'), ownerReferences: [ownerOf(run)] },
    data: { 'coordinator.yaml': coordinatorSettings(run), 'worker.yaml': workerSettings(run) },
  };
}
