import { isTrue } from '../api/conditions.ts';
import { MANAGED_BY } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import type { RunStatus } from '../api/types.gen.ts';
import type { ConfigMap } from '../kube/kind.ts';
import type { KubeObject } from '../kube/object.ts';
import type { Signal } from '../nodes/signals.ts';
import { clocksOf, hasEnded } from './clocks.ts';
import { freshAnswer } from './coordinator-view.ts';
import { runConfigMap } from './desired/config-map.ts';
import { coordinatorDeployment, coordinatorService, stateClaim } from './desired/coordinator.ts';
import type { PodSettings } from './desired/pod-settings.ts';
import { coordinatorBudget, coordinatorPolicy } from './desired/protection.ts';
import { redisRecord } from './desired/redis-record.ts';
import { textHash } from './desired/text-hash.ts';
import { templateHash, type WorkerPlace } from './desired/worker-pod.ts';
import { waitsForOperator } from './former-records.ts';
import type { Observed } from './observed.ts';
import { deadlineLeftMs, ttlLeftMs } from './policy/deadline.ts';
import { endOf, type RunEnd } from './policy/end.ts';
import { fullReason } from './policy/full.ts';
import { missingLeftMs } from './policy/missing.ts';
import { planWorkers, type WorkerPlan } from './policy/places.ts';
import type { RedisAccess } from './redis-access.ts';
import { endedStatus, type Seen, statusOf } from './status.ts';
import type { WorkerView } from './worker-view.ts';

/** What is to be done, in this order. */
export interface Plan {
  /** Whether missing certificates are to be made and old ones renewed. */
  readonly keepsCertificates: boolean;
  /** Children as they should be; those that are there and alike are left alone. */
  readonly apply: readonly KubeObject[];
  readonly create: readonly WorkerPlace[];
  /** Nodes that new workers keep away from; those that are still there first. */
  readonly avoid: readonly string[];
  readonly drain: readonly WorkerView[];
  readonly remove: readonly WorkerView[];
  /** To be ended within seconds, whatever they still have to hand over. */
  readonly shortenGrace: readonly WorkerView[];
  /** Whether the coordinator's Deployment and Service are to go. */
  readonly removesCoordinator: boolean;
  /** The record of keys that expire by themselves by now: the operator's finalizer on it is to go. */
  readonly releases: ConfigMap | null;
  /** Whether the run itself is to be deleted. */
  readonly removesRun: boolean;
  /** Null: nothing is to be said. */
  readonly status: RunStatus | null;
  /** When to look again though nothing has changed; null where nothing waits for time. */
  readonly againMs: number | null;
}

const NOTHING: Plan = {
  keepsCertificates: false,
  apply: [],
  create: [],
  avoid: [],
  drain: [],
  remove: [],
  shortenGrace: [],
  removesCoordinator: false,
  releases: null,
  removesRun: false,
  status: null,
  againMs: null,
};

/** What workers have to leave by themselves after the end of the run. */
const FAREWELL_MS = 30_000;

/** Decides what is to be done about one run. Nothing is created while it is being deleted; its children go with their owner. */
export function planRun(seen: Observed, pods: PodSettings): Plan {
  const { metadata, status } = seen.run;
  if (metadata.deletionTimestamp !== undefined || isForeign(seen.run)) return NOTHING;
  if (hasEnded(status)) return planEnded(seen, status);
  const end = endOf({
    ...seen,
    deadlineLeftMs: deadlineLeft(seen),
    missingLeftMs: missingLeftMs(seen.run.status?.conditions ?? [], seen.nowMs),
  });
  if (end !== null) return planEnd(seen, end);
  const isWaiting = seen.input.kind === 'missing' || seen.redis?.kind === 'missing' || seen.inTheWay.length > 0;
  const full = fullReason(seen.run, seen.coordinators);
  if (isWaiting && !seen.hasDeployment) return { ...NOTHING, status: statusOf({ ...seenOf(seen, NO_WORKERS), full }) };
  return planActive(seen, pods, full);
}

/** Another controller works on it. */
export function isForeign({ spec }: RolloutRun): boolean {
  return spec.managedBy !== undefined && spec.managedBy !== MANAGED_BY;
}

/** A run that goes on, is suspended, or waits. */
function planActive(seen: Observed, pods: PodSettings, full: string | null): Plan {
  const { run } = seen;
  const wanted = run.spec.suspend || full !== null ? 0 : run.spec.workers.parallelism;
  const workers = workersOf(seen, wanted);
  const redis = seen.redis?.kind === 'found' ? seen.redis.access : null;
  const isStopped = (run.spec.suspend || full !== null) && workers.current === 0 && workers.draining === 0;
  const config = runConfigMap(run, redis, pods);
  const policies = pods.reachableFrom === null ? [] : [coordinatorPolicy(run, pods.reachableFrom)];
  const kept = [config, ...(redis === null ? [stateClaim(run)] : recordOf(seen, redis))];
  const served = [...kept, coordinatorService(run), coordinatorBudget(run), ...policies];
  const coordinator = coordinatorDeployment(run, textHash(config.data?.['coordinator.yaml'] ?? ''), redis, pods);
  const working = seen.hasCertificates ? [...served, coordinator] : served;
  const children = isStopped ? kept : working;
  return {
    ...NOTHING,
    keepsCertificates: true,
    // A Secret that is gone for a moment must not make another kind of coordinator.
    apply: seen.redis?.kind === 'missing' ? [] : children,
    create: workers.create,
    avoid: [...nodesOf(seen.signals, 'drain'), ...nodesOf(seen.signals, 'gone')],
    drain: workers.drain,
    remove: workers.remove,
    removesCoordinator: isStopped,
    status: statusOf({ ...seenOf(seen, workers), full, wanted }),
    againMs: soonest(workers.againMs, deadlineLeft(seen)),
  };
}

/** One that somebody has deleted stays as long as the run, and nothing can be written to it. */
function recordOf({ run, keyRecord }: Observed, redis: RedisAccess): readonly KubeObject[] {
  return keyRecord?.metadata.deletionTimestamp === undefined ? [redisRecord(run, redis)] : [];
}

/**
 * What is to be done in a namespace that is being deleted: nothing can be made in it. Its pods go first, so the coordinator does not come
 * back, and workers would wait for it until their grace period is over, which the namespace waits for.
 */
export function planInEndingNamespace({ workers }: Pick<Observed, 'workers'>): Plan {
  return { ...NOTHING, shortenGrace: workers.filter(({ hasShortGrace }) => !hasShortGrace), removesCoordinator: true };
}

/** Written before anything is taken away: the end is not forgotten, whatever happens to the coordinator then. */
function planEnd(seen: Observed, end: RunEnd): Plan {
  return { ...NOTHING, status: endedStatus(seenOf(seen, NO_WORKERS), end) };
}

function planEnded(seen: Observed, status: RunStatus): Plan {
  const { run, workers, nowMs } = seen;
  const leftMs = ttlLeftMs(Date.parse(status.completionTime ?? ''), run.spec.ttlSecondsAfterFinished ?? null, nowMs);
  const goneByMs = Date.parse(status.completionTime ?? '') + FAREWELL_MS;
  const remaining = workers.filter((view) => !view.isTerminating);
  const isComplete = isTrue(status.conditions ?? [], 'Complete');
  const isWaited = nowMs < goneByMs ? mayHandIn(seen, isComplete) : remaining.length > 0;
  return {
    ...NOTHING,
    // Workers are told by the coordinator that the run is over, and end by themselves; it stays until they are gone.
    remove: remaining.filter(({ phase }) => phase !== 'running' || !isComplete || nowMs >= goneByMs),
    removesCoordinator: !isWaited,
    releases: isComplete && waitsForOperator(seen.keyRecord) ? seen.keyRecord : null,
    removesRun: leftMs <= 0,
    againMs: soonest(isWaited ? goneByMs - nowMs : null, leftMs),
  };
}

/**
 * Workers that are deleted hand in what they have finished, too. A pod on a node that is gone stays until the node is back; where nothing is
 * to be handed in, it is not waited for. After an API outage all nodes seem gone for a moment.
 */
function mayHandIn({ workers, signals }: Observed, isComplete: boolean): boolean {
  const lost = isComplete ? nodesOf(signals, 'gone') : new Set<string>();
  return workers.some(({ isTerminating, node }) => !(isTerminating && lost.has(node ?? '')));
}

const NO_WORKERS: WorkerPlan = { create: [], remove: [], drain: [], current: 0, draining: 0, againMs: null };

/** Workers are created only once the lease is held: they would hold their machines, and wait. Where there is no room for results, likewise. */
function workersOf(seen: Observed, wanted: number): WorkerPlan {
  const { run, workers, signals, nowMs } = seen;
  const isServed = freshAnswer(seen.answer, nowMs) !== null;
  const plan = planWorkers(
    workers,
    {
      desired: wanted,
      template: templateHash(run),
      replacesOutdated: run.spec.workers.updateStrategy === 'RollingUpdate',
      lostNodes: nodesOf(signals, 'gone'),
      goingNodes: nodesOf(signals, 'drain'),
    },
    nowMs,
  );
  return isServed ? plan : { ...plan, create: [] };
}

function nodesOf(signals: ReadonlyMap<string, Signal>, severity: Signal['severity']): ReadonlySet<string> {
  return new Set([...signals].filter(([, signal]) => signal.severity === severity).map(([node]) => node));
}

function seenOf(seen: Observed, workers: WorkerPlan): Seen {
  return { ...seen, answer: freshAnswer(seen.answer, seen.nowMs), lastAnswer: seen.answer, plan: workers, full: null, wanted: 0 };
}

function deadlineLeft({ run, nowMs }: Observed): number {
  return deadlineLeftMs({ ...clocksOf(run.status), activeDeadlineSeconds: run.spec.activeDeadlineSeconds ?? null }, nowMs);
}

function soonest(one: number | null, other: number): number | null {
  const least = Math.min(one ?? Number.POSITIVE_INFINITY, other);
  return Number.isFinite(least) ? Math.max(0, least) : null;
}
