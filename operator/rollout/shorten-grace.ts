import type { KubeClient } from '../kube/client.ts';
import { POD } from '../kube/kind.ts';
import type { Ref } from '../kube/object.ts';
import { SHORT_GRACE_SECONDS } from './short-grace.ts';

/** Ends a pod within seconds, also one that has been told to end and has longer for it. */
export async function shortenGrace(client: Pick<KubeClient, 'delete'>, pod: Ref, uid: string | undefined): Promise<void> {
  const options = { gracePeriodSeconds: SHORT_GRACE_SECONDS, propagation: 'Background' as const };
  await client.delete(POD, pod, uid === undefined ? options : { ...options, uid });
}
