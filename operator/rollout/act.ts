import { ANNOTATION, FIELD_MANAGER } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { isAlreadyThere } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import {
  CONFIG_MAP,
  DEPLOYMENT,
  type Kind,
  NETWORK_POLICY,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  POD_DISRUPTION_BUDGET,
  SERVICE,
} from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';
import { coordinatorName } from './children.ts';
import type { PodSettings } from './desired/pod-settings.ts';
import { textHash } from './desired/text-hash.ts';
import { workerPod } from './desired/worker-pod.ts';
import type { Plan } from './plan.ts';
import { releaseRecord } from './release-former.ts';
import type { RunClients } from './run-clients.ts';
import { shortenGrace } from './shorten-grace.ts';
import type { StatusWriter } from './status-writer.ts';
import type { WorkerView } from './worker-view.ts';

/** What a plan is carried out with. */
export interface ActDeps {
  readonly client: KubeClient;
  readonly clients: RunClients;
  readonly statuses: StatusWriter;
  readonly pods: PodSettings;
  readonly ensureCertificates: (run: RolloutRun) => Promise<void>;
  /** The child as the cache has it. */
  readonly child: (kind: Kind<KubeObject>, run: RolloutRun, name: string) => KubeObject | null;
}

const CHILD_KINDS: Readonly<Record<string, Kind<KubeObject>>> = {
  ConfigMap: CONFIG_MAP,
  PersistentVolumeClaim: PERSISTENT_VOLUME_CLAIM,
  Service: SERVICE,
  Deployment: DEPLOYMENT,
  PodDisruptionBudget: POD_DISRUPTION_BUDGET,
  NetworkPolicy: NETWORK_POLICY,
};

/**
 * Carries a plan out, in the order of its fields: what a pod needs is there before the pod, and an end is written before anything is taken
 * away. Each step may be the last one before a crash: the next plan goes on from what is seen then.
 */
export async function act(deps: ActDeps, run: RolloutRun, plan: Plan): Promise<void> {
  if (plan.keepsCertificates) await deps.ensureCertificates(run);
  for (const child of plan.apply) await applyChild(deps, run, child);
  if (plan.status !== null && (await deps.statuses.write(run, plan.status)) === 'gone') return;
  await each([
    ...plan.drain.map((worker) => async () => drainWorker(deps, run, worker)),
    ...plan.remove.map((worker) => async () => removeWorker(deps, run, worker)),
    ...plan.shortenGrace.map(
      ({ name, uid }) =>
        async () =>
          shortenGrace(deps.client, refOf(run, name), uid),
    ),
    ...plan.create.map((place) => async () => createWorker(deps, run, plan, place)),
  ]);
  if (plan.removesCoordinator) await removeCoordinator(deps, run);
  if (plan.releases !== null) await releaseRecord(deps.client, plan.releases);
  if (plan.removesRun)
    await deps.client.delete(ROLLOUT_RUN, refOf(run, run.metadata.name), { uid: run.metadata.uid, propagation: 'Background' });
}

/** What is refused for one worker is done for the others all the same; the first refusal is told then. */
async function each(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** Left alone where the child was made from the very same wish. */
async function applyChild({ client, child }: ActDeps, run: RolloutRun, wanted: KubeObject): Promise<void> {
  const kind = CHILD_KINDS[wanted.kind ?? ''];
  if (kind === undefined) throw new Error(`no kind of children: ${wanted.kind}`);
  const digest = textHash(JSON.stringify(wanted));
  const found = child(kind, run, wanted.metadata.name);
  if (found?.metadata.annotations?.[ANNOTATION.desired] === digest && found.metadata.deletionTimestamp === undefined) return;
  const annotations = { ...wanted.metadata.annotations, [ANNOTATION.desired]: digest };
  await client.apply(kind, { ...wanted, metadata: { ...wanted.metadata, annotations } }, { fieldManager: FIELD_MANAGER, force: true });
}

async function createWorker({ client, pods }: ActDeps, run: RolloutRun, { avoid }: Plan, place: Plan['create'][number]): Promise<void> {
  try {
    await client.create(POD, workerPod(run, place, avoid, pods));
  } catch (error) {
    // The cache has not seen yet what was created a moment ago.
    if (!isAlreadyThere(error)) throw error;
  }
}

/**
 * Where no coordinator can be told, SIGTERM makes the worker drain by itself, within its grace period, in which a long item may not end: one
 * that is silent for a moment is told at a later look.
 */
async function drainWorker(deps: ActDeps, run: RolloutRun, worker: WorkerView): Promise<void> {
  const told =
    worker.phase === 'running' ? await deps.clients.drain(run.metadata.uid, worker.name, null, 'it is not wanted any more') : null;
  if (told === null || told.kind === 'unanswered') await removeWorker(deps, run, worker);
}

async function removeWorker({ client }: ActDeps, run: RolloutRun, { name, uid }: WorkerView): Promise<void> {
  await client.delete(POD, refOf(run, name), { uid, propagation: 'Background' });
}

async function removeCoordinator({ client, child }: ActDeps, run: RolloutRun): Promise<void> {
  const name = coordinatorName(run.metadata.name);
  for (const kind of [DEPLOYMENT, SERVICE, POD_DISRUPTION_BUDGET, NETWORK_POLICY]) {
    const found = child(kind, run, name);
    if (found === null || found.metadata.deletionTimestamp !== undefined) continue;
    await client.delete(kind, refOf(run, name), {
      propagation: 'Background',
      ...(found.metadata.uid === undefined ? {} : { uid: found.metadata.uid }),
    });
  }
}

function refOf({ metadata }: RolloutRun, name: string): { readonly namespace: string; readonly name: string } {
  return { namespace: metadata.namespace, name };
}
