import { FINALIZER } from '../../api/names.ts';
import type { RolloutRun } from '../../api/run.ts';
import type { ConfigMap } from '../../kube/kind.ts';
import { childMeta, redisRecordName } from '../children.ts';
import type { RedisAccess } from '../redis-access.ts';
import { runIdOf } from '../run-id.ts';

/**
 * Says where a run has keys outside the cluster. It is there before a coordinator is, and is deleted with the run, but stays until the
 * operator has retired the run, so that the run itself waits for nobody.
 */
export function redisRecord(run: RolloutRun, { url, secretName }: RedisAccess): ConfigMap {
  const { uid, namespace } = run.metadata;
  const meta = childMeta(run, redisRecordName(run), 'coordinator');
  // A run that is deleted in the foreground does not wait for it either.
  const ownerReferences = meta.ownerReferences?.map((owner) => ({ ...owner, blockOwnerDeletion: false })) ?? [];
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { ...meta, ownerReferences, finalizers: [FINALIZER] },
    // A copy in another namespace says by it that it is one.
    data: { runId: runIdOf(uid), namespace, url, ...(secretName === null ? {} : { secret: secretName }) },
  };
}
