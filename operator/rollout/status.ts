import { type Condition, conditionOf, type Observed, setCondition } from '../api/conditions.ts';
import { CONDITION, type Phase, REASON } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import type { RunStatus } from '../api/types.gen.ts';
import { selectorOf, selectorText } from './children.ts';
import { clocksOf } from './clocks.ts';
import type { CoordinatorAnswer, CoordinatorView } from './coordinator-view.ts';
import { type IssuedFinding, issuedCondition } from './issued.ts';
import type { InputFinding } from './observed.ts';
import type { RunEnd } from './policy/end.ts';
import { fullText } from './policy/full.ts';
import { mostMissing } from './policy/missing.ts';
import type { WorkerPlan } from './policy/places.ts';
import { etaText, progressText, rateText } from './progress-text.ts';
import type { RedisFinding } from './redis-access.ts';
import { runIdOf } from './run-id.ts';
import type { WorkerView } from './worker-view.ts';

/** What a status is derived from. */
export interface Seen {
  readonly run: RolloutRun;
  readonly input: InputFinding;
  readonly inTheWay: readonly string[];
  readonly redis: RedisFinding | null;
  readonly issued: IssuedFinding | null;
  readonly coordinators: readonly CoordinatorView[];
  readonly workers: readonly WorkerView[];
  readonly plan: WorkerPlan;
  /** Null where the coordinator does not answer now. */
  readonly answer: CoordinatorAnswer | null;
  readonly lastAnswer: CoordinatorAnswer | null;
  readonly watchesNodes: boolean;
  /** Why there is no room for results on the Redis server; null where there is. */
  readonly full: string | null;
  /** How many workers there should be now: none while the run is suspended, is full, or waits for something before its start. */
  readonly wanted: number;
  readonly nowMs: number;
}

/** The status of a run that is not over. */
export function statusOf(seen: Seen): RunStatus {
  const conditions = conditionsOf(seen, null);
  return { ...commonOf(seen), conditions, phase: phaseOf(seen, conditions) };
}

/** The status in which a run ends: the last one that is written. */
export function endedStatus(seen: Seen, end: RunEnd): RunStatus {
  const { eta: _eta, rate: _rate, ...common } = commonOf(seen);
  return {
    ...common,
    workers: { ...common.workers, desired: 0 },
    conditions: conditionsOf(seen, end),
    phase: end.kind === 'complete' ? 'Complete' : 'Failed',
    completionTime: timeText(seen.nowMs),
  };
}

function commonOf(seen: Seen): RunStatus {
  const { run, plan, nowMs, answer } = seen;
  const { status } = run;
  const asked = run.spec.suspend ? 0 : run.spec.workers.parallelism;
  return {
    ...status,
    observedGeneration: run.metadata.generation ?? 0,
    runId: runIdOf(run.metadata.uid),
    startTime: status?.startTime ?? timeText(nowMs),
    suspendedSeconds: suspendedSeconds(seen),
    ...countsOf(seen),
    workers: {
      desired: asked,
      current: plan.current,
      ready: readyWorkers(answer),
      draining: plan.draining,
      selector: selectorText(selectorOf(run.metadata.name, 'worker')),
    },
  };
}

/** The counts of the last answer stand while there is no newer one. */
function countsOf({ run, lastAnswer }: Seen): Partial<RunStatus> {
  if (lastAnswer === null) return { progress: run.status?.progress ?? '' };
  const { status, pod, address, perSecond } = lastAnswer;
  const { items, isIndexed, done, failed, running, redone, epoch, results } = status;
  // Without a worker the rate of late would sink for hours, and each time be written.
  const rate = readyWorkers(lastAnswer) === 0 ? null : perSecond;
  return {
    ...(results === null ? {} : { results }),
    items: { ...(isIndexed ? { total: items } : {}), done, failed, running, redone },
    progress: progressText(done + failed, isIndexed ? items : null),
    rate: rateText(rate),
    eta: isIndexed ? etaText(items - done - failed, rate) : '',
    coordinator: { pod, address, epoch },
  };
}

function readyWorkers(answer: CoordinatorAnswer | null): number {
  return answer?.status.workers.filter(({ state }) => state === 'ready').length ?? 0;
}

/** Seconds of suspensions that are over: one more is when the run goes on again. */
function suspendedSeconds({ run, nowMs }: Seen): number {
  const { suspendedSinceMs, suspendedSeconds: before } = clocksOf(run.status);
  return suspendedSinceMs === null || run.spec.suspend ? before : before + Math.max(0, Math.round((nowMs - suspendedSinceMs) / 1_000));
}

function conditionsOf(seen: Seen, end: RunEnd | null): Condition[] {
  const { run, nowMs } = seen;
  const observed = [
    inputReady(seen),
    coordinatorAvailable(seen, end),
    ...(seen.issued === null || end !== null ? [] : [issuedCondition(seen.issued)]),
    progressing(seen, end),
    draining(seen, end),
    suspended(seen, end),
    ...workersReady(seen),
    ...nodeSignals(seen),
    ...ends(end),
  ];
  let conditions: readonly Condition[] = run.status?.conditions ?? [];
  for (const one of observed) conditions = setCondition(conditions, one, run.metadata.generation ?? 0, timeText(nowMs));
  return [...conditions];
}

function inputReady({ run, input, coordinators }: Seen): Observed {
  const type = CONDITION.inputReady;
  if (input.kind === 'missing') return { type, status: 'False', reason: REASON.inputNotFound, message: input.message };
  const failed = coordinators.flatMap(({ ends: all }) => all).find(({ container, exitCode }) => container === 'input' && exitCode !== 0);
  if (failed !== undefined) return { type, status: 'False', reason: REASON.inputInvalid, message: failed.message };
  const known = conditionOf(run.status?.conditions ?? [], type);
  if (input.kind === 'unseen' && known?.reason === REASON.inputNotFound) return { ...known, type };
  return { type, status: 'True', reason: REASON.inputFound, message: 'the list is there' };
}

function coordinatorAvailable({ redis, answer, coordinators, inTheWay, full }: Seen, end: RunEnd | null): Observed {
  const type = CONDITION.coordinatorAvailable;
  if (end !== null) return { type, status: 'False', reason: REASON.ended, message: 'the run is over' };
  if (full !== null) return { type, status: 'False', reason: REASON.resultsFull, message: fullText(full) };
  if (answer !== null) {
    return { type, status: 'True', reason: REASON.leaseHeld, message: `${answer.pod} has the lease, epoch ${answer.status.epoch}` };
  }
  if (inTheWay.length > 0) {
    const message = `${inTheWay.join(', ')}: not of this run; what an earlier run of its name had goes by itself, anything else has to be deleted`;
    return { type, status: 'False', reason: REASON.coordinatorStarting, message };
  }
  if (redis?.kind === 'missing') return { type, status: 'False', reason: REASON.storeUnavailable, message: redis.message };
  const why = coordinators.flatMap(({ waits, ends: all }) => [waits, ...all.filter((one) => one.exitCode !== 0).map(endText)]);
  const message = why.find((text) => text !== null && text !== '') ?? 'no coordinator answers yet';
  return { type, status: 'False', reason: REASON.coordinatorStarting, message };
}

function endText({ container, exitCode, message }: CoordinatorView['ends'][number]): string {
  return `container ${container} ended with ${exitCode}: ${message}`;
}

function progressing({ run, answer, plan, workers, full }: Seen, end: RunEnd | null): Observed {
  const type = CONDITION.progressing;
  const no = (reason: string, message: string): Observed => ({ type, status: 'False', reason, message });
  if (end !== null) return no(REASON.ended, 'the run is over');
  if (run.spec.suspend) return no(REASON.suspended, 'spec.suspend is set');
  if (full !== null) return no(REASON.resultsFull, fullText(full));
  if (answer === null) return no(REASON.waitingForCoordinator, 'the coordinator does not answer');
  const { state, stall } = answer.status;
  if (state.kind === 'paused') return no(REASON.paused, state.reason);
  if (stall !== null) return no(REASON.stalled, stall.why);
  if (readyWorkers(answer) === 0) {
    const trouble = workers.map((view) => view.trouble).find((text) => text !== null);
    const why = answer.status.workers.map(({ detail }) => detail).find((detail) => detail !== '');
    return no(REASON.waitingForWorkers, trouble ?? why ?? `${plan.current} workers are there, none is ready`);
  }
  return { type, status: 'True', reason: REASON.itemsRunning, message: 'items are being executed' };
}

function draining({ plan }: Seen, end: RunEnd | null): Observed {
  const type = CONDITION.draining;
  if (end !== null || plan.draining === 0) return { type, status: 'False', reason: REASON.noneDraining, message: 'no worker is draining' };
  return { type, status: 'True', reason: REASON.workersDraining, message: 'workers hand their items back and leave' };
}

/** True once no worker is left: only then their machines are free. */
function suspended({ run, plan }: Seen, end: RunEnd | null): Observed {
  const type = CONDITION.suspended;
  if (end !== null || !run.spec.suspend) return { type, status: 'False', reason: REASON.resumed, message: 'spec.suspend is not set' };
  const isLeaving = plan.current + plan.draining > 0;
  if (isLeaving) return { type, status: 'False', reason: REASON.suspending, message: 'workers are leaving' };
  return { type, status: 'True', reason: REASON.suspended, message: 'no worker is left; what is recorded is kept' };
}

function workersReady({ run, answer, wanted }: Seen): readonly Observed[] {
  const { parallelism, maxMissing } = run.spec.workers;
  const most = mostMissing(maxMissing, parallelism);
  if (most === null) return [];
  const missing = Math.max(0, wanted - readyWorkers(answer));
  const message = `${missing} of ${parallelism} workers are missing, and ${most} may`;
  const type = CONDITION.workersReady;
  return [
    missing > most
      ? { type, status: 'False', reason: REASON.workersMissing, message }
      : { type, status: 'True', reason: REASON.enoughWorkers, message },
  ];
}

/** Only runs that lack it are told, and those that have lacked it once. */
function nodeSignals({ run, watchesNodes }: Seen): readonly Observed[] {
  const type = CONDITION.nodeSignals;
  const message = 'the operator may not watch nodes: that one is about to go is heard from its pods, which is later';
  if (!watchesNodes) return [{ type, status: 'False', reason: REASON.nodesForbidden, message }];
  if (conditionOf(run.status?.conditions ?? [], type) === undefined) return [];
  return [{ type, status: 'True', reason: REASON.nodesWatched, message: 'the taints and conditions of nodes are followed' }];
}

function ends(end: RunEnd | null): readonly Observed[] {
  const notEnded = { status: 'False', reason: REASON.notEnded, message: 'the run is not over' } as const;
  const no = { status: 'False', reason: REASON.ended, message: 'the run has ended otherwise' } as const;
  const yes = end === null ? notEnded : ({ status: 'True', reason: end.reason, message: end.message } as const);
  const other = end === null ? notEnded : no;
  return [
    { type: CONDITION.complete, ...(end?.kind === 'complete' ? yes : other) },
    { type: CONDITION.failed, ...(end?.kind === 'failed' ? yes : other) },
  ];
}

function phaseOf({ run, plan, answer }: Seen, conditions: readonly Condition[]): Phase {
  if (run.spec.suspend) return conditions.some(({ type, status }) => type === 'Suspended' && status === 'True') ? 'Suspended' : 'Draining';
  if (answer === null || readyWorkers(answer) === 0) return 'Pending';
  return plan.draining > 0 && plan.current === 0 ? 'Draining' : 'Running';
}

/** RFC 3339 with whole seconds, as Kubernetes writes times. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
