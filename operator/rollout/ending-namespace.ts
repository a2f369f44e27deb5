import { ApiError } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import { NAMESPACE } from '../kube/kind.ts';
import type { Observed } from './observed.ts';

/**
 * Whether the namespace of a run is being deleted. That takes all pods first, and the run only when the last of them has ended. Asked only where
 * it looks like that: all pods of the run are ending. False where the operator may not ask.
 */
export async function isNamespaceEnding(client: KubeClient, { run, workers, coordinators }: Observed): Promise<boolean> {
  if (workers.length === 0 || [...workers, ...coordinators].some(({ isTerminating }) => !isTerminating)) return false;
  return isBeingDeleted(client, run.metadata.namespace);
}

/** False where the operator may not ask. */
export async function isBeingDeleted(client: Pick<KubeClient, 'get'>, namespace: string): Promise<boolean> {
  try {
    const found = await client.get(NAMESPACE, { namespace: null, name: namespace });
    return found?.metadata.deletionTimestamp !== undefined;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return false;
    throw error;
  }
}
