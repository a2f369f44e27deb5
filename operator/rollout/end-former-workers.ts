import type { RolloutRun } from '../api/run.ts';
import type { KubeClient } from '../kube/client.ts';
import { refOf } from '../kube/object.ts';
import { type Caches, WORKERS } from './caches.ts';
import { currentRun } from './current-run.ts';
import { formerWorkers } from './former-workers.ts';
import { shortenGrace } from './shorten-grace.ts';

/** Ends the workers of runs of this name that are gone. `run`: the one that the cache has, if any. */
export async function endFormerWorkers(client: KubeClient, { pods }: Caches, key: string, run: RolloutRun | undefined): Promise<void> {
  const ofName = [...pods.store.by(WORKERS, key)];
  if (formerWorkers(ofName, run?.metadata.uid ?? null).length === 0) return;
  // A run that the cache does not have yet must not lose its workers.
  const current = await currentRun(client, key);
  for (const pod of formerWorkers(ofName, current?.metadata.uid ?? null)) await shortenGrace(client, refOf(pod), pod.metadata.uid);
}
