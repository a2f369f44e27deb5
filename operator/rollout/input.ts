import type { RolloutRun } from '../api/run.ts';
import type { KubeClient } from '../kube/client.ts';
import { CONFIG_MAP, PERSISTENT_VOLUME_CLAIM } from '../kube/kind.ts';
import type { InputFinding } from './plan.ts';

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
