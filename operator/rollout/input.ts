import { conditionOf, isTrue } from '../api/conditions.ts';
import { CONDITION, REASON } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import type { KubeClient } from '../kube/client.ts';
import { CONFIG_MAP, PERSISTENT_VOLUME_CLAIM } from '../kube/kind.ts';
import type { InputFinding } from './observed.ts';

/** Looked for before the start, while no coordinator answers, which may be for the lack of it, and while it is known to be missing. */
export async function lookForInput(
  client: KubeClient,
  run: RolloutRun,
  hasDeployment: boolean,
  isAnswered: boolean,
): Promise<InputFinding> {
  const hasOwn = hasOwnList(run);
  if (!hasDeployment && (hasOwn || isFoundAndSuspended(run))) return { kind: 'unseen' };
  const isMissing = conditionOf(run.status?.conditions ?? [], CONDITION.inputReady)?.reason === REASON.inputNotFound;
  if (isAnswered && !isMissing) return { kind: 'unseen' };
  // The pod of a coordinator mounts a claim, whether it has a copy of what is on it or not.
  const isNeedless = hasOwn && run.spec.input.pvc === undefined;
  return findInput(
    client,
    run,
    isNeedless ? 'the run goes on with its copy' : `create it, and the run ${hasDeployment ? 'goes on' : 'starts'}`,
  );
}

/** Once a coordinator has answered, the list has been copied to the volume of the run, which stays while the run is suspended. */
function hasOwnList({ spec, status }: RolloutRun): boolean {
  return spec.coordinator.store.redis === undefined && status?.coordinator !== undefined;
}

/** It is looked for again when the run is to go on. */
function isFoundAndSuspended({ spec, status }: RolloutRun): boolean {
  return spec.suspend && isTrue(status?.conditions ?? [], CONDITION.inputReady);
}

/** Whether what spec.input names is there. `advice`: what follows where it is not. */
export async function findInput(client: KubeClient, { metadata, spec }: RolloutRun, advice: string): Promise<InputFinding> {
  const { namespace } = metadata;
  const { configMap, pvc } = spec.input;
  if (configMap !== undefined) {
    const found = await client.get(CONFIG_MAP, { namespace, name: configMap.name });
    if (found === null) return missing(`there is no ConfigMap ${configMap.name} in ${namespace}: ${advice}`);
    if (found.data?.[configMap.key] === undefined && found.binaryData?.[configMap.key] === undefined) {
      const keys = [...Object.keys(found.data ?? {}), ...Object.keys(found.binaryData ?? {})];
      return missing(`the ConfigMap ${configMap.name} has no key ${configMap.key}: it has ${keys.join(', ') || 'none'}; ${advice}`);
    }
  }
  if (pvc !== undefined && (await client.get(PERSISTENT_VOLUME_CLAIM, { namespace, name: pvc.claimName })) === null) {
    return missing(`there is no PersistentVolumeClaim ${pvc.claimName} in ${namespace}: ${advice}`);
  }
  return { kind: 'found' };
}

function missing(message: string): InputFinding {
  return { kind: 'missing', message };
}
