import type { Log } from '../../runtime/base/log.ts';
import { FIELD_MANAGER, REASON } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import { CONFIG_MAP, type ConfigMap, type Kind } from '../kube/kind.ts';
import { type KubeObject, refOf } from '../kube/object.ts';
import type { Recorder } from '../kube/recorder.ts';
import { type Caches, KEY_RECORDS } from './caches.ts';
import { currentRun } from './current-run.ts';
import { copiedFrom, type FormerKeys, formerKeys, orphanRecords, releasePatch } from './former-records.ts';
import { copyText, keptText } from './kept-text.ts';
import type { RedisRetirements } from './redis-retirements.ts';
import type { RedisSecrets } from './redis-secrets.ts';

export interface ReleaseDeps {
  readonly client: Pick<KubeClient, 'get' | 'list' | 'patch'>;
  readonly retirements: RedisRetirements;
  readonly redisSecrets: Pick<RedisSecrets, 'forget'>;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly log: Log;
}

/** Retires the runs of this name that are gone, and releases their records. True while it is at it. `run`: the one in the cache, if any. */
export async function releaseFormer(deps: ReleaseDeps, { configMaps }: Caches, key: string, run: RolloutRun | undefined): Promise<boolean> {
  const records = [...configMaps.store.by(KEY_RECORDS, key)];
  for (const orphan of orphanRecords(records)) await releaseOrphan(deps, orphan);
  const seen = formerKeys(records, run ?? null);
  if (seen.length === 0) return false;
  // A run that goes on must not lose its keys.
  const isNew = seen.some((one) => !deps.retirements.has(one));
  const former = isNew ? formerKeys(records, await currentRun(deps.client, key)) : seen;
  const steps = await Promise.all(former.map((one) => step(deps, one)));
  return steps.includes('pending');
}

async function step(deps: ReleaseDeps, former: FormerKeys): Promise<'pending' | 'over'> {
  const { client, retirements, redisSecrets } = deps;
  const found = retirements.look(former);
  if (found.kind === 'pending') return 'pending';
  if (found.kind === 'kept') tellOfRun(deps, former, found.message);
  await releaseRecord(client, former.record);
  retirements.forget(former);
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

/** Nothing is retired: the run may go on without its RolloutRun. The cache does not have the data, and may be behind. */
async function releaseOrphan(deps: ReleaseDeps, seen: ConfigMap): Promise<void> {
  const record = await deps.client.get(CONFIG_MAP, refOf(seen));
  if (record === null || orphanRecords([record]).length === 0) return;
  const { runId = 'unknown', url = null } = record.data ?? {};
  const home = copiedFrom(record);
  tell(deps, CONFIG_MAP, record, home === null ? keptText(runId, url, NO_OWNER) : copyText(runId, home));
  await releaseRecord(deps.client, record);
}

const NO_OWNER = 'its ConfigMap was made an orphan, so the run was not retired';

function tellOfRun(deps: ReleaseDeps, { namespace, runName: name, runUid: uid }: FormerKeys, note: string): void {
  tell(deps, ROLLOUT_RUN, { metadata: { namespace, name, uid } }, note);
}

/** In the log as well: a namespace that is being deleted takes no Events, and keeps none. */
function tell({ recorder, log }: ReleaseDeps, kind: Kind<KubeObject>, object: KubeObject, note: string): void {
  const { namespace, name } = object.metadata;
  log.warn({ namespace, name }, note);
  recorder.record({ kind, object, type: 'Warning', reason: REASON.redisKeysKept, action: 'Delete', note });
}
