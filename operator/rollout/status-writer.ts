import type { Clock } from '../../runtime/base/clock.ts';
import { API_VERSION, KIND, STATUS_FIELD_MANAGER } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import type { RunStatus } from '../api/types.gen.ts';
import { isNotFound } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Recorder } from '../kube/recorder.ts';
import { eventsOf } from './events.ts';
import { isSameStatus, isStatusDue } from './status-due.ts';

/** A cache that is further behind may stay so. */
const BEHIND_MS = 10_000;

interface Written {
  readonly atMs: number;
  readonly before: RunStatus | undefined;
  readonly after: RunStatus;
}

/** Writes the status of runs: only what differs, and counts not too often. Events follow what is written. */
export class StatusWriter {
  readonly #client: KubeClient;
  readonly #recorder: Pick<Recorder, 'record'>;
  readonly #clock: Clock;
  readonly #written = new Map<string, Written>();

  constructor(client: KubeClient, recorder: Pick<Recorder, 'record'>, clock: Clock) {
    this.#client = client;
    this.#recorder = recorder;
    this.#clock = clock;
  }

  /** The run with the status that was written last, where the cache still has the one before: what has been told is not told again. */
  latest(run: RolloutRun): RolloutRun {
    const written = this.#written.get(run.metadata.uid);
    if (written === undefined || this.#clock.monotonicMs() - written.atMs > BEHIND_MS) return run;
    return isSameStatus(run.status, written.before) ? { ...run, status: written.after } : run;
  }

  /** `gone`: the run has been deleted meanwhile, which the cache does not know yet. */
  async write(run: RolloutRun, status: RunStatus): Promise<'stands' | 'gone'> {
    const { metadata, status: before } = run;
    const { name, namespace, uid } = metadata;
    const nowMs = this.#clock.monotonicMs();
    if (!isStatusDue(before, status, nowMs - (this.#written.get(uid)?.atMs ?? Number.NEGATIVE_INFINITY))) return 'stands';
    // With its uid: a status of a run that was deleted does not reach another one of its name.
    const object = { apiVersion: API_VERSION, kind: KIND, metadata: { name, namespace, uid }, status } as RolloutRun;
    try {
      await this.#client.apply(ROLLOUT_RUN, object, { fieldManager: STATUS_FIELD_MANAGER, force: true, subresource: 'status' });
    } catch (error) {
      if (isNotFound(error)) return 'gone';
      throw error;
    }
    this.#written.set(uid, { atMs: nowMs, before, after: status });
    for (const { type, reason, message } of eventsOf(before, status))
      this.#recorder.record({ kind: ROLLOUT_RUN, object: run, type, reason, action: 'Reconcile', note: message });
    return 'stands';
  }

  forget(uid: string): void {
    this.#written.delete(uid);
  }
}
