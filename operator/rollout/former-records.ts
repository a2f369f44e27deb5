import { FINALIZER } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import type { ConfigMap } from '../kube/kind.ts';
import { controllerOf } from '../kube/object.ts';

/** Keys on a Redis server of a run that is gone, or that is about to go and waits for its children. */
export interface FormerKeys {
  readonly namespace: string;
  readonly record: ConfigMap;
  readonly runName: string;
  readonly runUid: string;
}

/** `run`: the one of this name that there is now. A record that somebody has deleted beside its run waits for the run. */
export function formerKeys(records: Iterable<ConfigMap>, run: RolloutRun | null): readonly FormerKeys[] {
  const livingUid = run !== null && run.metadata.deletionTimestamp === undefined ? run.metadata.uid : null;
  return [...records].flatMap((record) => {
    const { namespace = '', deletionTimestamp } = record.metadata;
    const owner = controllerOf(record);
    if (owner === null || deletionTimestamp === undefined || owner.uid === livingUid) return [];
    return [{ namespace, record, runName: owner.name, runUid: owner.uid }];
  });
}

/**
 * Records that are to go and have no owner, as `kubectl delete --cascade=orphan` leaves them: whether their runs go on, nobody can say.
 */
export function orphanRecords(records: Iterable<ConfigMap>): readonly ConfigMap[] {
  return [...records].filter(
    (record) => record.metadata.deletionTimestamp !== undefined && controllerOf(record) === null && waitsForOperator(record),
  );
}

/** The namespace that the record was made for, where it is in another one; null where it is in its own. Needs the data. */
export function copiedFrom({ metadata, data }: ConfigMap): string | null {
  const home = data?.['namespace'];
  return home === undefined || home === metadata.namespace ? null : home;
}

/** Whether the operator has to retire the run before its record may go. */
export function waitsForOperator(record: ConfigMap | null): boolean {
  return record?.metadata.finalizers?.includes(FINALIZER) === true;
}

/** The record without the operator's part in it; others may have reasons of their own to keep it. */
export function releasePatch({ metadata }: ConfigMap): object {
  const { uid, finalizers = [] } = metadata;
  return { metadata: { uid, finalizers: finalizers.filter((one) => one !== FINALIZER) } };
}
