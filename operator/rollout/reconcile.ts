import type { Clock } from '../../runtime/base/clock.ts';
import { conditionOf, isTrue } from '../api/conditions.ts';
import { CONDITION, type ConditionType, REASON } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { ApiError, isConflict } from '../kube/api-error.ts';
import type { KubeClient } from '../kube/client.ts';
import type { Kind, Secret } from '../kube/kind.ts';
import { controllerOf, type KubeObject, keyOf, refOfKey } from '../kube/object.ts';
import type { Outcome } from '../kube/outcome.ts';
import type { Recorder } from '../kube/recorder.ts';
import { type ActDeps, act } from './act.ts';
import { believedSignals } from './believed-signals.ts';
import { type Caches, COORDINATORS, informersOf, WORKERS } from './caches.ts';
import type { CertManager } from './cert-manager.ts';
import { type CertificateDeps, ensureCertificates } from './certificates.ts';
import { coordinatorName } from './children.ts';
import { hasEnded } from './clocks.ts';
import { type CoordinatorAnswer, type CoordinatorView, coordinatorView, freshAnswer, isOlder } from './coordinator-view.ts';
import { PORT } from './desired/pod-places.ts';
import type { PodSettings } from './desired/pod-settings.ts';
import { isNamespaceEnding } from './ending-namespace.ts';
import { hurryFormer } from './hurry-former.ts';
import { inTheWay } from './in-the-way.ts';
import { findInput } from './input.ts';
import type { NodeSignals } from './node-signals.ts';
import { nodeWords } from './node-words.ts';
import { IN_ENDING_NAMESPACE, type InputFinding, isForeign, type Observed, type Plan, planRun } from './plan.ts';
import { lookAgainMs } from './policy/look.ts';
import type { RedisSecrets } from './redis-secrets.ts';
import type { RunClients } from './run-clients.ts';
import { runIdOf } from './run-id.ts';
import type { RunObserver } from './run-observer.ts';
import { hasCertificates, operatorPem, runSecrets } from './run-secrets.ts';
import type { StatusWriter } from './status-writer.ts';
import type { Word } from './told-words.ts';
import { workerView } from './worker-view.ts';
import { workerWords } from './worker-words.ts';

export interface ReconcileDeps extends CertificateDeps {
  readonly client: KubeClient;
  /** Those of a namespace; undefined where the operator does not work in it. */
  readonly cachesOf: (namespace: string) => Caches | undefined;
  readonly clients: RunClients;
  readonly statuses: StatusWriter;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly redisSecrets: RedisSecrets;
  readonly signals: NodeSignals;
  readonly watchesNodes: boolean;
  readonly pods: PodSettings;
  readonly observer: RunObserver;
  readonly certManager: CertManager;
  readonly clock: Clock;
  /** By key the uid of the run that was looked at last: what is known of it is forgotten when it is gone. */
  readonly lookedAt: Map<string, string>;
}

/** A timer takes no time that is longer than 24 days, and a finished run may be kept for years. */
const LONGEST_MS = 3_600_000;

/** Looks at one run, decides, and acts. `key`: `namespace/name`. */
export async function reconcile(deps: ReconcileDeps, key: string): Promise<Outcome> {
  const caches = deps.cachesOf(refOfKey(key).namespace ?? '');
  const cached = caches?.runs.store.get(key);
  const run = cached === undefined ? undefined : deps.statuses.latest(cached);
  forgetFormer(deps, key, run);
  if (caches !== undefined) await hurryFormer(deps.client, caches, key, run);
  if (caches === undefined || run === undefined) {
    deps.observer.onGone(key);
    return { kind: 'done' };
  }
  if (isForeign(run)) return { kind: 'done' };
  const seen = await observe(deps, caches, run);
  const plan = (await isNamespaceEnding(deps.client, seen)) ? IN_ENDING_NAMESPACE : planRun(seen, deps.pods);
  deps.observer.onLook(key, seen, plan);
  // First of all: what is about to go leaves sooner, and nothing that the API server refuses stands in the way.
  if (seen.answer !== null && !hasEnded(run.status)) await deps.clients.tellWords(run.metadata.uid, wordsOf(seen));
  const acting = actDepsOf(deps, caches, seen);
  try {
    await act(acting, run, plan);
  } catch (error) {
    if (!(error instanceof ApiError && error.causes.includes('NamespaceTerminating'))) return refused(deps, run, error);
    await act(acting, run, IN_ENDING_NAMESPACE);
    return { kind: 'done' };
  }
  return outcomeOf(seen, plan);
}

function wordsOf({ workers, signals, nowMs }: Observed): readonly Word[] {
  return [...nodeWords(workers, signals, nowMs), ...workerWords(workers, nowMs)];
}

/** People are told what the API server refuses: a quota, a policy, a field of the template. */
function refused({ recorder }: ReconcileDeps, run: RolloutRun, error: unknown): never {
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

/** A run that is deleted is mostly gone at once, and another one may have its name by now. Of one that has ended nobody is asked again. */
function forgetFormer(
  { lookedAt, clients, statuses, redisSecrets, certManager }: ReconcileDeps,
  key: string,
  run: RolloutRun | undefined,
): void {
  const former = lookedAt.get(key);
  const now = run === undefined || run.metadata.deletionTimestamp !== undefined ? undefined : run.metadata.uid;
  if (former !== undefined && former !== now) {
    for (const one of [clients, statuses, redisSecrets, certManager]) one.forget(former);
  }
  if (now === undefined) lookedAt.delete(key);
  else lookedAt.set(key, now);
  if (now !== undefined && hasEnded(run?.status)) for (const one of [clients, redisSecrets, certManager]) one.forget(now);
}

function outcomeOf(seen: Observed, plan: Plan): Outcome {
  const { run } = seen;
  const { conditions = [] } = run.status ?? {};
  if (run.metadata.deletionTimestamp !== undefined) return { kind: 'done' };
  if (hasEnded(run.status))
    return plan.againMs === null ? { kind: 'done' } : { kind: 'again', afterMs: Math.min(plan.againMs, LONGEST_MS) };
  const lookMs = lookAgainMs({
    isStill: run.spec.suspend && seen.workers.length === 0 && !seen.hasDeployment,
    waitsFor: waitsFor(seen),
    conditions,
    nowMs: seen.nowMs,
  });
  return { kind: 'again', afterMs: Math.min(plan.againMs ?? lookMs, lookMs) };
}

function waitsFor({ input, redis }: Observed): ConditionType | null {
  if (input.kind === 'missing') return CONDITION.inputReady;
  return redis?.kind === 'missing' ? CONDITION.coordinatorAvailable : null;
}

async function observe(deps: ReconcileDeps, caches: Caches, run: RolloutRun): Promise<Observed> {
  const { clock, signals } = deps;
  const pods = [...caches.pods.store.ownedBy(run.metadata.uid)];
  const workers = pods.map(workerView).filter((view) => view !== null);
  const coordinators = coordinatorsOf(caches, run);
  const secrets = runSecrets(caches.secrets.store, run);
  const deployment = caches.deployments.store.get(childKey(run, coordinatorName(run.metadata.name)));
  const hasDeployment = deployment !== undefined && controllerOf(deployment)?.uid === run.metadata.uid;
  const isOver = isSettled(run);
  const redis = isOver ? null : await deps.redisSecrets.find(run);
  const issued = isOver ? null : await deps.certManager.find(run, secrets);
  const askedAtMs = clock.wallMs();
  const answer = isOver ? null : await ask(deps, run, secrets, coordinators);
  const isAnswered = answer !== null && answer.atMs >= askedAtMs;
  const nowMs = clock.wallMs();
  return {
    watchesNodes: deps.watchesNodes,
    run,
    input: isOver ? { kind: 'unseen' } : await lookForInput(deps, run, hasDeployment, isAnswered),
    redis,
    issued,
    hasCertificates: hasCertificates(run, secrets, issued, nowMs),
    hasDeployment,
    inTheWay: hasDeployment || isOver ? [] : inTheWay(run, informersOf(caches), caches.pods.store.by(WORKERS, keyOf(run)), nowMs),
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

/** Before the start it is needed; later it is looked for while no coordinator answers, which may be for the lack of it, and while it is missing. */
async function lookForInput(
  { client }: ReconcileDeps,
  run: RolloutRun,
  hasDeployment: boolean,
  isAnswered: boolean,
): Promise<InputFinding> {
  const hasOwn = hasOwnList(run);
  if (!hasDeployment && (hasOwn || isFoundAndSuspended(run))) return { kind: 'unseen' };
  const isMissing = conditionOf(run.status?.conditions ?? [], 'InputReady')?.reason === REASON.inputNotFound;
  if (isAnswered && !isMissing) return { kind: 'unseen' };
  // The pod of a coordinator mounts a claim, whether it has a copy of what is on it or not.
  const isNeedless = hasOwn && run.spec.input.pvc === undefined;
  return findInput(
    client,
    run,
    isNeedless ? 'the run goes on with its copy' : `create it, and the run ${hasDeployment ? 'goes on' : 'starts'}`,
  );
}

/** Once a coordinator has answered, the list has been copied to the volume of the run, which stays while the run is suspended. */
function hasOwnList({ spec, status }: RolloutRun): boolean {
  return spec.coordinator.store.redis === undefined && status?.coordinator !== undefined;
}

/** It is looked for again when the run is to go on. */
function isFoundAndSuspended({ spec, status }: RolloutRun): boolean {
  return spec.suspend && isTrue(status?.conditions ?? [], CONDITION.inputReady);
}

function coordinatorsOf(caches: Caches, run: RolloutRun): readonly CoordinatorView[] {
  return [...caches.pods.store.by(COORDINATORS, keyOf(run))].filter((pod) => !isOlder(pod, run)).map(coordinatorView);
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
