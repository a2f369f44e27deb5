import type { Clock } from '../../runtime/base/clock.ts';
import { API_VERSION, KIND, STATUS_FIELD_MANAGER } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import type { RunStatus } from '../api/types.gen.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Recorder } from '../kube/recorder.ts';
import { eventsOf } from './events.ts';
import { isStatusDue } from './status-due.ts';

/** Writes the status of runs: only what differs, and counts not too often. Events follow what is written. */
export class StatusWriter {
  readonly #client: KubeClient;
  readonly #recorder: Pick<Recorder, 'record'>;
  readonly #clock: Clock;
  readonly #writtenMs = new Map<string, number>();

  constructor(client: KubeClient, recorder: Pick<Recorder, 'record'>, clock: Clock) {
    this.#client = client;
    this.#recorder = recorder;
    this.#clock = clock;
  }

  async write(run: RolloutRun, status: RunStatus): Promise<void> {
    const { metadata, status: before } = run;
    const { name, namespace, uid } = metadata;
    const nowMs = this.#clock.monotonicMs();
    if (!isStatusDue(before, status, nowMs - (this.#writtenMs.get(uid) ?? Number.NEGATIVE_INFINITY))) return;
    // With its uid: a status of a run that was deleted does not reach another one of its name.
    const object = { apiVersion: API_VERSION, kind: KIND, metadata: { name, namespace, uid }, status } as RolloutRun;
    await this.#client.apply(ROLLOUT_RUN, object, { fieldManager: STATUS_FIELD_MANAGER, force: true, subresource: 'status' });
    this.#writtenMs.set(uid, nowMs);
    for (const { type, reason, message } of eventsOf(before, status))
      this.#recorder.record({ kind: ROLLOUT_RUN, object: run, type, reason, action: 'Reconcile', note: message });
  }

  forget(uid: string): void {
    this.#writtenMs.delete(uid);
  }
}
