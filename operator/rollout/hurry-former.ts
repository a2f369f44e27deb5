import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import type { KubeClient } from '../kube/client.ts';
import { POD } from '../kube/kind.ts';
import { refOf, refOfKey } from '../kube/object.ts';
import { type Caches, WORKERS } from './caches.ts';
import { FORMER_GRACE_SECONDS, formerWorkers } from './former-workers.ts';

/** Ends the workers of runs of this name that are gone. `run`: the one that the cache has, if any. */
export async function hurryFormer(client: KubeClient, { pods }: Caches, key: string, run: RolloutRun | undefined): Promise<void> {
  const ofName = [...pods.store.by(WORKERS, key)];
  if (formerWorkers(ofName, run?.metadata.uid ?? null).length === 0) return;
  // The cache of runs may be behind that of pods: a run that it does not have yet must not lose its workers.
  const { namespace, name } = refOfKey(key);
  const { items } = await client.list(ROLLOUT_RUN, { namespace, fieldSelector: `metadata.name=${name}` });
  for (const pod of formerWorkers(ofName, items[0]?.metadata.uid ?? null)) {
    const { uid } = pod.metadata;
    const options = { gracePeriodSeconds: FORMER_GRACE_SECONDS, propagation: 'Background' as const };
    await client.delete(POD, refOf(pod), uid === undefined ? options : { ...options, uid });
  }
}
