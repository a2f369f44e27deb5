import { FIELD_MANAGER, REASON } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import { CONFIG_MAP, type ConfigMap } from '../kube/kind.ts';
import { refOf, refOfKey } from '../kube/object.ts';
import type { Recorder } from '../kube/recorder.ts';
import { type Caches, KEY_RECORDS } from './caches.ts';
import { type FormerKeys, formerKeys, releasePatch } from './former-records.ts';
import type { RedisRetirements } from './redis-retirements.ts';
import type { RedisSecrets } from './redis-secrets.ts';

export interface ReleaseDeps {
  readonly client: Pick<KubeClient, 'list' | 'patch'>;
  readonly retirements: RedisRetirements;
  readonly redisSecrets: Pick<RedisSecrets, 'forget'>;
  readonly recorder: Pick<Recorder, 'record'>;
}

/** Retires the runs of this name that are gone, and releases their records. True while it is at it. `run`: the one in the cache, if any. */
export async function releaseFormer(deps: ReleaseDeps, { configMaps }: Caches, key: string, run: RolloutRun | undefined): Promise<boolean> {
  const records = [...configMaps.store.by(KEY_RECORDS, key)];
  const seen = formerKeys(records, run ?? null);
  if (seen.length === 0) return false;
  // The cache of runs may be behind that of their children: a run that goes on must not lose its keys.
  const isNew = seen.some(({ runUid }) => !deps.retirements.has(runUid));
  const former = isNew ? formerKeys(records, await currentRun(deps.client, key)) : seen;
  const steps = await Promise.all(former.map((one) => step(deps, one)));
  return steps.includes('pending');
}

async function currentRun(client: ReleaseDeps['client'], key: string): Promise<RolloutRun | null> {
  const { namespace, name } = refOfKey(key);
  const { items } = await client.list(ROLLOUT_RUN, { namespace, fieldSelector: `metadata.name=${name}` });
  return items[0] ?? null;
}

async function step({ client, retirements, redisSecrets, recorder }: ReleaseDeps, former: FormerKeys): Promise<'pending' | 'over'> {
  const found = retirements.look(former);
  if (found.kind === 'pending') return 'pending';
  if (found.kind === 'kept') tell(recorder, former, found.message);
  await releaseRecord(client, former.record);
  retirements.forget(former.runUid);
  redisSecrets.forget(former.runUid);
  return 'over';
}

/** Removes the operator's finalizer. The record goes, unless somebody else keeps it. */
export async function releaseRecord(client: Pick<KubeClient, 'patch'>, record: ConfigMap): Promise<void> {
  try {
    await client.patch(CONFIG_MAP, refOf(record), releasePatch(record), { type: 'merge', fieldManager: FIELD_MANAGER });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

function tell(recorder: Pick<Recorder, 'record'>, { namespace, runName: name, runUid: uid }: FormerKeys, note: string): void {
  const object = { metadata: { namespace, name, uid } };
  recorder.record({ kind: ROLLOUT_RUN, object, type: 'Warning', reason: REASON.redisKeysKept, action: 'Delete', note });
}
