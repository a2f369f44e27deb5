import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import type { KubeClient } from '../kube/client.ts';
import { refOfKey } from '../kube/object.ts';

/** The run of this `namespace/name` as the API server has it now: the cache of runs may be behind that of their children. */
export async function currentRun(client: Pick<KubeClient, 'list'>, key: string): Promise<RolloutRun | null> {
  const { namespace, name } = refOfKey(key);
  const { items } = await client.list(ROLLOUT_RUN, { namespace, fieldSelector: `metadata.name=${name}` });
  return items[0] ?? null;
}
