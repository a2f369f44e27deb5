import type { Clock } from '../../runtime/base/clock.ts';
import { REASON } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { ApiError, isConflict } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Kind, Secret } from '../kube/kind.ts';
import { type KubeObject, keyOf, refOfKey } from '../kube/object.ts';
import type { Outcome } from '../kube/outcome.ts';
import type { Recorder } from '../kube/recorder.ts';
import { type ActDeps, act } from './act.ts';
import { believedSignals } from './believed-signals.ts';
import { type Caches, COORDINATORS, informersOf, KEY_RECORDS } from './caches.ts';
import type { CertManager } from './cert-manager.ts';
import { type CertificateDeps, ensureCertificates } from './certificates.ts';
import { coordinatorName, redisRecordName } from './children.ts';
import { hasEnded } from './clocks.ts';
import { type CoordinatorAnswer, type CoordinatorView, coordinatorView, freshAnswer } from './coordinator-view.ts';
import { PORT } from './desired/pod-places.ts';
import type { PodSettings } from './desired/pod-settings.ts';
import { hurryFormer } from './hurry-former.ts';
import { findInput } from './input.ts';
import type { NodeSignals } from './node-signals.ts';
import { nodeWords } from './node-words.ts';
import { isForeign, type Observed, type Plan, planRun } from './plan.ts';
import type { RedisRetirements } from './redis-retirements.ts';
import type { RedisSecrets } from './redis-secrets.ts';
import { releaseFormer } from './release-former.ts';
import type { RunClients } from './run-clients.ts';
import { runIdOf } from './run-id.ts';
import type { RunObserver } from './run-observer.ts';
import { hasCertificates, operatorPem, runSecrets } from './run-secrets.ts';
import type { StatusWriter } from './status-writer.ts';
import { workerView } from './worker-view.ts';

export interface ReconcileDeps extends CertificateDeps {
  readonly client: KubeClient;
  /** Those of a namespace; undefined where the operator does not work in it. */
  readonly cachesOf: (namespace: string) => Caches | undefined;
  readonly clients: RunClients;
  readonly statuses: StatusWriter;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly redisSecrets: RedisSecrets;
  readonly retirements: RedisRetirements;
  readonly signals: NodeSignals;
  readonly watchesNodes: boolean;
  readonly pods: PodSettings;
  readonly observer: RunObserver;
  readonly certManager: CertManager;
  readonly clock: Clock;
  /** By key the uid of the run that was looked at last: what is known of it is forgotten when it is gone. */
  readonly lookedAt: Map<string, string>;
}

/** How often the coordinator of a run that goes on is asked. */
const ASK_MS = 2_000;
/** How often a run is looked at that stands still until its spec changes. */
const STILL_MS = 60_000;
/** How often it is asked how far it is with keys of runs that are gone. */
const LETTING_GO_MS = 1_000;
/** A timer takes no time that is longer than 24 days, and a finished run may be kept for years. */
const LONGEST_MS = 3_600_000;

/** Looks at one run, decides, and acts. `key`: `namespace/name`. */
export async function reconcile(deps: ReconcileDeps, key: string): Promise<Outcome> {
  const caches = deps.cachesOf(refOfKey(key).namespace ?? '');
  const cached = caches?.runs.store.get(key);
  const run = cached === undefined ? undefined : deps.statuses.latest(cached);
  forgetFormer(deps, key, run, hasRecords(caches, key));
  if (caches !== undefined) await hurryFormer(deps.client, caches, key, run);
  const isLettingGo = caches !== undefined && (await releaseFormer(deps, caches, key, run));
  const outcome = caches === undefined || run === undefined ? gone(deps, key) : await lookAt(deps, caches, key, run);
  return isLettingGo ? sooner(outcome, LETTING_GO_MS) : outcome;
}

function gone({ observer }: ReconcileDeps, key: string): Outcome {
  observer.onGone(key);
  return { kind: 'done' };
}

async function lookAt(deps: ReconcileDeps, caches: Caches, key: string, run: RolloutRun): Promise<Outcome> {
  if (isForeign(run)) return { kind: 'done' };
  const seen = await observe(deps, caches, run);
  const plan = planRun(seen, deps.pods);
  deps.observer.onLook(key, seen, plan);
  // First of all: what is about to go leaves sooner, and nothing that the API server refuses stands in the way.
  if (seen.answer !== null && !hasEnded(run.status))
    await deps.clients.tellNodes(run.metadata.uid, nodeWords(seen.workers, seen.signals, seen.nowMs));
  try {
    await act(actDepsOf(deps, caches, seen), run, plan);
  } catch (error) {
    return refused(deps, run, error);
  }
  return outcomeOf(seen, plan);
}

function sooner(outcome: Outcome, ms: number): Outcome {
  if (outcome.kind === 'done') return { kind: 'again', afterMs: ms };
  return outcome.kind === 'again' ? { ...outcome, afterMs: Math.min(outcome.afterMs, ms) } : outcome;
}

/** People are told what the API server refuses: a quota, a policy, a field of the template. In a namespace that goes nothing is to be done. */
function refused({ recorder }: ReconcileDeps, run: RolloutRun, error: unknown): Outcome {
  if (error instanceof ApiError && error.causes.includes('NamespaceTerminating')) return { kind: 'done' };
  if (error instanceof ApiError && !isConflict(error) && error.status < 500)
    recorder.record({
      kind: ROLLOUT_RUN,
      object: run,
      type: 'Warning',
      reason: REASON.childRefused,
      action: 'Reconcile',
      note: error.message,
    });
  throw error;
}

function hasRecords(caches: Caches | undefined, key: string): boolean {
  return caches !== undefined && [...caches.configMaps.store.by(KEY_RECORDS, key)].length > 0;
}

/** A run that is deleted is mostly gone at once, and another one may have its name by now. Of one that has ended nobody is asked again. */
function forgetFormer(
  { lookedAt, clients, statuses, redisSecrets, certManager }: ReconcileDeps,
  key: string,
  run: RolloutRun | undefined,
  hasKeys: boolean,
): void {
  const former = lookedAt.get(key);
  const now = run === undefined || run.metadata.deletionTimestamp !== undefined ? undefined : run.metadata.uid;
  // Where there are keys to be let go, that is done with the Secret which is remembered.
  const secrets = hasKeys ? [] : [redisSecrets];
  if (former !== undefined && former !== now) {
    for (const one of [clients, statuses, certManager, ...secrets]) one.forget(former);
  }
  if (now === undefined) lookedAt.delete(key);
  else lookedAt.set(key, now);
  if (now !== undefined && hasEnded(run?.status)) for (const one of [clients, certManager, ...secrets]) one.forget(now);
}

function outcomeOf({ run, workers, hasDeployment }: Observed, plan: Plan): Outcome {
  if (run.metadata.deletionTimestamp !== undefined) return { kind: 'done' };
  if (hasEnded(run.status))
    return plan.againMs === null ? { kind: 'done' } : { kind: 'again', afterMs: Math.min(plan.againMs, LONGEST_MS) };
  const isStill = run.spec.suspend && workers.length === 0 && !hasDeployment;
  const lookMs = isStill ? STILL_MS : ASK_MS;
  return { kind: 'again', afterMs: Math.min(plan.againMs ?? lookMs, lookMs) };
}

async function observe(deps: ReconcileDeps, caches: Caches, run: RolloutRun): Promise<Observed> {
  const { clock, signals } = deps;
  const pods = [...caches.pods.store.ownedBy(run.metadata.uid)];
  const workers = pods.map(workerView).filter((view) => view !== null);
  const coordinators = coordinatorsOf(caches, run);
  const secrets = runSecrets(caches.secrets.store, run);
  const hasDeployment = caches.deployments.store.get(childKey(run, coordinatorName(run.metadata.name))) !== undefined;
  const isOver = isSettled(run);
  const keyRecord = caches.configMaps.store.get(childKey(run, redisRecordName(run))) ?? null;
  // Of one that has keys on a server its Secret is remembered, in case that goes with the namespace.
  const redis = isOver && keyRecord === null ? null : await deps.redisSecrets.find(run);
  const needsInput = !isOver && !hasDeployment && !hasOwnList(run);
  const issued = isOver ? null : await deps.certManager.find(run, secrets);
  const answer = isOver ? null : await ask(deps, run, secrets, coordinators);
  const nowMs = clock.wallMs();
  return {
    watchesNodes: deps.watchesNodes,
    run,
    input: needsInput ? await findInput(deps.client, run) : { kind: 'found' },
    redis,
    keyRecord,
    issued,
    hasCertificates: hasCertificates(run, secrets, issued, nowMs),
    hasDeployment,
    coordinators,
    workers,
    answer,
    signals: believedSignals(signals.now(), workers, freshAnswer(answer, nowMs)),
    nowMs,
  };
}

function isSettled({ metadata, status }: RolloutRun): boolean {
  return hasEnded(status) || metadata.deletionTimestamp !== undefined;
}

/** Once a coordinator has answered, the list has been copied to the volume of the run, which stays while the run is suspended. */
function hasOwnList({ spec, status }: RolloutRun): boolean {
  return spec.coordinator.store.redis === undefined && status?.coordinator !== undefined;
}

function coordinatorsOf(caches: Caches, run: RolloutRun): readonly CoordinatorView[] {
  return [...caches.pods.store.by(COORDINATORS, keyOf(run))].map(coordinatorView);
}

async function ask(
  { clients }: ReconcileDeps,
  run: RolloutRun,
  secrets: ReadonlyMap<string, Secret>,
  coordinators: readonly CoordinatorView[],
): Promise<CoordinatorAnswer | null> {
  const { uid } = run.metadata;
  const pem = operatorPem(run, secrets);
  if (pem === null) return null;
  const pods = coordinators.flatMap(({ name, podIp }) => (podIp === null ? [] : [{ name, address: `${podIp}:${PORT}` }]));
  return clients.ask({ uid, runId: runIdOf(uid), pem, pods });
}

function actDepsOf(deps: ReconcileDeps, caches: Caches, { run, nowMs }: Observed): ActDeps {
  const { client, clients, statuses, pods } = deps;
  const stores = informersOf(caches);
  return {
    client,
    clients,
    statuses,
    pods,
    ensureCertificates: async () => {
      const secrets = runSecrets(caches.secrets.store, run);
      if (run.spec.certificates.mode === 'certManager') await deps.certManager.ensure(run, secrets);
      else await ensureCertificates(deps, run, secrets, nowMs);
    },
    child: (kind: Kind<KubeObject>, _run, name) =>
      stores.find((informer) => informer.kind.plural === kind.plural)?.store.get(childKey(run, name)) ?? null,
  };
}

function childKey({ metadata }: RolloutRun, name: string): string {
  return `${metadata.namespace}/${name}`;
}
