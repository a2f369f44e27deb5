import type { Log } from '../../runtime/base/log.ts';
import { CONDITION, type ConditionType, REASON } from '../api/names.ts';
import { ROLLOUT_RUN, type RolloutRun } from '../api/run.ts';
import { ApiError, isConflict } from '../kube/api-error.ts';
import type { Kind } from '../kube/kind.ts';
import { type KubeObject, refOfKey } from '../kube/object.ts';
import type { Outcome } from '../kube/outcome.ts';
import type { Recorder } from '../kube/recorder.ts';
import { type ActDeps, act } from './act.ts';
import { type Caches, childInformers, KEY_RECORDS } from './caches.ts';
import { type CertificateDeps, ensureCertificates } from './certificates.ts';
import { childKey } from './children.ts';
import { hasEnded } from './clocks.ts';
import { freshAnswer } from './coordinator-view.ts';
import type { PodSettings } from './desired/pod-settings.ts';
import { endFormerWorkers } from './end-former-workers.ts';
import { isNamespaceEnding } from './ending-namespace.ts';
import { nodeWords } from './node-words.ts';
import { type ObserveDeps, observe } from './observe.ts';
import type { Observed } from './observed.ts';
import { isForeign, type Plan, planInEndingNamespace, planRun } from './plan.ts';
import { lookAgainMs } from './policy/look.ts';
import type { RedisRetirements } from './redis-retirements.ts';
import { releaseFormer } from './release-former.ts';
import type { RunObserver } from './run-observer.ts';
import { runSecrets } from './run-secrets.ts';
import type { StatusWriter } from './status-writer.ts';
import type { Word } from './told-words.ts';
import { workerWords } from './worker-words.ts';

export interface ReconcileDeps extends CertificateDeps, ObserveDeps {
  /** Those of a namespace; undefined where the operator does not work in it. */
  readonly cachesOf: (namespace: string) => Caches | undefined;
  readonly statuses: StatusWriter;
  readonly recorder: Pick<Recorder, 'record'>;
  readonly retirements: RedisRetirements;
  readonly log: Log;
  readonly pods: PodSettings;
  readonly observer: RunObserver;
  /** By key the uid of the run that was looked at last: what is known of it is forgotten when it is gone. */
  readonly lookedAt: Map<string, string>;
}

/** How often a run is looked at while former runs of its name are being retired. */
const RETIRING_LOOK_MS = 1_000;
/** A timer takes no time that is longer than 24 days, and a finished run may be kept for years. */
const LONGEST_MS = 3_600_000;

/** Looks at one run, decides, and acts. `key`: `namespace/name`. */
export async function reconcile(deps: ReconcileDeps, key: string): Promise<Outcome> {
  const caches = deps.cachesOf(refOfKey(key).namespace ?? '');
  const cached = caches?.runs.store.get(key);
  const run = cached === undefined ? undefined : deps.statuses.latest(cached);
  forgetFormer(deps, key, run, hasRecords(caches, key));
  if (caches !== undefined) await endFormerWorkers(deps.client, caches, key, run);
  const isRetiring = caches !== undefined && (await releaseFormer(deps, caches, key, run));
  const outcome = caches === undefined || run === undefined ? gone(deps, key) : await lookAt(deps, caches, key, run);
  return isRetiring ? sooner(outcome, RETIRING_LOOK_MS) : outcome;
}

function gone({ observer }: ReconcileDeps, key: string): Outcome {
  observer.onGone(key);
  return { kind: 'done' };
}

async function lookAt(deps: ReconcileDeps, caches: Caches, key: string, run: RolloutRun): Promise<Outcome> {
  if (isForeign(run)) return { kind: 'done' };
  const seen = await observe(deps, caches, run);
  const plan = (await isNamespaceEnding(deps.client, seen)) ? planInEndingNamespace(seen) : planRun(seen, deps.pods);
  deps.observer.onLook(key, seen, plan);
  // First of all: what is about to go leaves sooner, and nothing that the API server refuses stands in the way.
  if (seen.answer !== null && !hasEnded(run.status)) await deps.clients.tellWords(run.metadata.uid, wordsOf(seen));
  const acting = actDepsOf(deps, caches, seen);
  try {
    await act(acting, run, plan);
  } catch (error) {
    if (!(error instanceof ApiError && error.causes.includes('NamespaceTerminating'))) return refused(deps, run, error);
    await act(acting, run, planInEndingNamespace(seen));
    return { kind: 'done' };
  }
  return outcomeOf(seen, plan);
}

function wordsOf({ workers, signals, nowMs }: Observed): readonly Word[] {
  return [...nodeWords(workers, signals, nowMs), ...workerWords(workers, nowMs)];
}

function sooner(outcome: Outcome, ms: number): Outcome {
  if (outcome.kind === 'done') return { kind: 'again', afterMs: ms };
  return outcome.kind === 'again' ? { ...outcome, afterMs: Math.min(outcome.afterMs, ms) } : outcome;
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
  // A former run that is still to be retired needs the Secret that is remembered.
  const secrets = hasKeys ? [] : [redisSecrets];
  if (former !== undefined && former !== now) {
    for (const one of [clients, statuses, certManager, ...secrets]) one.forget(former);
  }
  if (now === undefined) lookedAt.delete(key);
  else lookedAt.set(key, now);
  if (now !== undefined && hasEnded(run?.status)) for (const one of [clients, certManager, ...secrets]) one.forget(now);
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

/** A coordinator that answers is asked as usual, whatever else is missing. */
function waitsFor({ input, redis, answer, nowMs }: Observed): ConditionType | null {
  if (freshAnswer(answer, nowMs) !== null) return null;
  if (input.kind === 'missing') return CONDITION.inputReady;
  return redis?.kind === 'missing' ? CONDITION.coordinatorAvailable : null;
}

function actDepsOf(deps: ReconcileDeps, caches: Caches, { run, nowMs }: Observed): ActDeps {
  const { client, clients, statuses, pods } = deps;
  const stores = childInformers(caches);
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
