import type { RunStatus as CoordinatorWord } from '../../runtime/model/status.ts';
import { conditionOf, isTrue } from '../api/conditions.ts';
import { MANAGED_BY, PHASE, type Phase, REASON } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import type { RunStatus } from '../api/types.gen.ts';
import { hasEnded } from '../rollout/clocks.ts';
import { templateHash } from '../rollout/desired/worker-pod.ts';
import type { Observed } from '../rollout/observed.ts';
import type { Plan } from '../rollout/plan.ts';
import { type DrainEnd, endOfGone, lookAtWorker, type Replacement, type WorkerFacts, type WorkerSample } from './worker-sample.ts';

/** What the metrics keep of a run between two looks. */
export interface RunSample {
  readonly uid: string;
  readonly phase: Phase;
  /** Reason of the condition with which the run has ended; null while it goes on. */
  readonly end: string | null;
  readonly items: ItemCounts;
  readonly epoch: number | null;
  /** It goes on, and no coordinator serves it. */
  readonly isCoordinatorMissing: boolean;
  readonly desiredWorkers: number;
  /** By the uid of their pods. */
  readonly workers: ReadonlyMap<string, WorkerSample>;
  /** Places whose worker has vanished, and why: whoever is created there takes its place. */
  readonly gaps: ReadonlyMap<number, Replacement>;
}

export interface ItemCounts {
  readonly done: number;
  readonly failed: number;
  readonly running: number;
  /** How often one whose execution had begun was handed out again. */
  readonly redone: number;
  /** Without a record, of those that are known so far. */
  readonly left: number;
}

/** What has happened since the last look. */
export interface RunChanges {
  readonly done: number;
  readonly failed: number;
  readonly redone: number;
  readonly leaseTransitions: number;
  readonly ended: string | null;
  readonly drains: readonly DrainEnd[];
  readonly replaced: readonly Replacement[];
}

export interface RunLook {
  readonly sample: RunSample;
  readonly changes: RunChanges;
}

/** Reasons with which a run may end. */
export const RUN_ENDS: readonly string[] = [
  REASON.allItemsDone,
  REASON.completedWithFailures,
  REASON.tooManyFailedItems,
  REASON.paused,
  REASON.inputInvalid,
  REASON.coordinatorFailed,
  REASON.deadlineExceeded,
  REASON.tooManyMissingWorkers,
];

/**
 * What a look at a run says to the metrics; null for a run that another operator works on. Counting goes on from what the run's status says
 * where `before` is null: an operator that is started again misses nothing, and counts nothing twice but what came within the last seconds.
 */
export function lookAtRun(before: RunSample | null, seen: Observed, plan: Plan): RunLook | null {
  const { spec, metadata } = seen.run;
  if (spec.managedBy !== undefined && spec.managedBy !== MANAGED_BY) return null;
  const known = before?.uid === metadata.uid ? before : null;
  const was = known ?? beginning(seen.run);
  const sample = sampleOf(was, seen, plan);
  const workers = sample.goesOn ? lookAtWorkers(known, seen, plan, sample.isServed ? (seen.answer?.status ?? null) : null) : NO_WORKERS;
  return {
    sample: { ...sample.run, workers: workers.workers, gaps: workers.gaps },
    changes: { ...changesBetween(was, sample.run), drains: workers.drains, replaced: workers.replaced },
  };
}

/** What is known of a run that is seen for the first time: of one that is over, its end is no news. */
function beginning({ metadata, status }: RolloutRun): Omit<RunSample, 'workers' | 'gaps'> {
  return {
    uid: metadata.uid,
    phase: phaseOf(status),
    end: endIn(status),
    items: itemsIn(status),
    epoch: status?.coordinator?.epoch ?? null,
    isCoordinatorMissing: false,
    desiredWorkers: 0,
  };
}

interface RunNow {
  readonly run: Omit<RunSample, 'workers' | 'gaps'>;
  readonly goesOn: boolean;
  readonly isServed: boolean;
}

function sampleOf(was: Omit<RunSample, 'workers' | 'gaps'>, { run, answer }: Observed, plan: Plan): RunNow {
  const { metadata, spec } = run;
  const status = plan.status ?? run.status;
  const isOver = hasEnded(run.status);
  const goesOn = !isOver && metadata.deletionTimestamp === undefined;
  const isServed = isTrue(status?.conditions ?? [], 'CoordinatorAvailable');
  const sample = {
    uid: metadata.uid,
    phase: phaseOf(status),
    end: endIn(run.status),
    items: isOver ? { ...itemsIn(run.status), running: 0, left: 0 } : itemsOf(answer?.status ?? null, was.items),
    epoch: answer?.status.epoch ?? was.epoch,
    isCoordinatorMissing: goesOn && !spec.suspend && !isServed,
    desiredWorkers: goesOn ? (status?.workers?.desired ?? 0) : 0,
  };
  return { run: sample, goesOn, isServed };
}

type Counted = Pick<RunSample, 'items' | 'epoch' | 'end'>;

function changesBetween(was: Counted, is: Counted): Omit<RunChanges, 'drains' | 'replaced'> {
  return {
    done: Math.max(0, is.items.done - was.items.done),
    failed: Math.max(0, is.items.failed - was.items.failed),
    redone: Math.max(0, is.items.redone - was.items.redone),
    leaseTransitions: is.epoch === null || was.epoch === null ? 0 : Math.max(0, is.epoch - was.epoch),
    ended: was.end === null ? is.end : null,
  };
}

function itemsIn(status: RunStatus | undefined): ItemCounts {
  const { done = 0, failed = 0, running = 0, redone = 0, total = 0 } = status?.items ?? {};
  return { done, failed, running, redone, left: Math.max(0, total - done - failed) };
}

function itemsOf(word: CoordinatorWord | null, before: ItemCounts): ItemCounts {
  if (word === null) return before;
  const { done, failed, running, redone, items } = word;
  return { done, failed, running, redone, left: Math.max(0, items - done - failed) };
}

function endIn(status: RunStatus | undefined): string | null {
  if (!hasEnded(status)) return null;
  const conditions = status.conditions ?? [];
  const end = isTrue(conditions, 'Complete') ? 'Complete' : 'Failed';
  return conditionOf(conditions, end)?.reason ?? null;
}

function phaseOf(status: RunStatus | undefined): Phase {
  return Object.values(PHASE).find((phase) => phase === status?.phase) ?? PHASE.pending;
}

interface WorkersLook extends Pick<RunSample, 'workers' | 'gaps'>, Pick<RunChanges, 'drains' | 'replaced'> {}

/** Those that a run leaves behind at its end go by themselves: that is no drain. */
const NO_WORKERS: WorkersLook = { workers: new Map(), gaps: new Map(), drains: [], replaced: [] };

function lookAtWorkers(before: RunSample | null, seen: Observed, plan: Plan, word: CoordinatorWord | null): WorkersLook {
  const workers = new Map<string, WorkerSample>();
  const drains: DrainEnd[] = [];
  for (const facts of factsOf(seen, plan, word)) {
    const { uid } = facts.view;
    const { sample, ended } = lookAtWorker(before?.workers.get(uid) ?? null, facts, seen.nowMs);
    workers.set(uid, sample);
    if (ended !== null) drains.push(ended);
  }
  const gone = [...(before?.workers ?? [])].filter(([uid]) => !workers.has(uid)).map(([, sample]) => sample);
  drains.push(...gone.map((sample) => endOfGone(sample, seen.nowMs)).filter((end) => end !== null));
  const fresh = before === null ? [] : [...workers].filter(([uid]) => !before.workers.has(uid)).map(([, sample]) => sample);
  const empty = new Map([...(before?.gaps ?? []), ...gone.map(({ slot, cause }) => [slot, cause ?? 'deleted'] as const)]);
  const replaced = fresh.map((sample) => predecessorCause(sample, workers, empty)).filter((cause) => cause !== null);
  return { workers, gaps: stillEmpty(empty, workers, plan), drains, replaced };
}

function factsOf({ run, workers, signals }: Observed, plan: Plan, word: CoordinatorWord | null): readonly WorkerFacts[] {
  const words = new Map(word?.workers.map(({ workerId, state }) => [workerId, state]));
  const unwanted = new Set([...plan.drain, ...plan.remove].map(({ uid }) => uid));
  const template = templateHash(run);
  return workers.map((view) => ({
    view,
    signal: view.node === null ? null : (signals.get(view.node) ?? null),
    word: words.get(view.name) ?? null,
    isUnwanted: unwanted.has(view.uid),
    template,
  }));
}

/** Null for a worker in a place that nobody has had. */
function predecessorCause(
  { slot, incarnation }: WorkerSample,
  workers: ReadonlyMap<string, WorkerSample>,
  empty: ReadonlyMap<number, Replacement>,
): Replacement | null {
  const earlier = [...workers.values()].filter((other) => other.slot === slot && other.incarnation < incarnation);
  const last = earlier.toSorted((one, other) => other.incarnation - one.incarnation)[0];
  return last === undefined ? (empty.get(slot) ?? null) : (last.cause ?? 'deleted');
}

/** A place that is not wanted any more is no gap. */
function stillEmpty(
  empty: ReadonlyMap<number, Replacement>,
  workers: ReadonlyMap<string, WorkerSample>,
  { status }: Plan,
): ReadonlyMap<number, Replacement> {
  const taken = new Set([...workers.values()].map(({ slot }) => slot));
  const wanted = status?.workers?.desired ?? 0;
  return new Map([...empty].filter(([slot]) => !taken.has(slot) && slot < wanted));
}
