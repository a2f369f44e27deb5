import type { DrainOrder, DrainReply, HintReply, HintWord } from '../../model/drain.ts';
import { type ComputeHint, concerns, earlier, PROVIDER_TIMES } from '../../model/hint.ts';
import type { State } from '../state/state.ts';
import type { OwnWorker } from '../state/worker.ts';
import { ownWorkers } from '../state/workers.ts';
import { expectDrain, reviewWorker } from './drain.ts';
import { failWorker } from './registry.ts';

/** What is said about machines and workers from outside: by the hints file, by call, and by name. */

/** Nodes that a cluster's watcher may have told of at a time; of more the oldest word is forgotten. */
const MAX_TOLD = 10_000;

/** What the hints file says now, all of it; what it says no more is withdrawn. */
export function onHintsFile(state: State, hints: readonly ComputeHint[]): void {
  state.hints.file = hints;
  review(state, [...ownWorkers(state).values()]);
}

/** The newest word about this node and worker. */
export function onHintWord(state: State, { node, worker, severity, provider, deadlineMs, reason }: HintWord): void {
  const { told } = state.hints;
  const key = JSON.stringify([node, worker]);
  told.delete(key);
  if (severity !== 'withdrawn') {
    const ms = earlier(deadlineMs, provider === null ? null : PROVIDER_TIMES[provider].drainMs);
    const untilMs = ms === null ? null : state.nowMs + ms;
    told.set(key, { node, worker, severity, untilMs, reason: reason === '' ? `${provider ?? 'a watcher'} says ${severity}` : reason });
  }
  review(state, concerned(state, { node, worker }));
  const [oldest] = told.entries();
  if (oldest === undefined || told.size <= MAX_TOLD) return;
  told.delete(oldest[0]);
  review(state, concerned(state, oldest[1]));
}

export function hintReply(state: State, word: HintWord): HintReply {
  return { workers: concerned(state, word).map((one) => one.id) };
}

/** A cluster that loses hundreds of machines says so of each: a word costs a look at its own workers, not at what was said of all. */
function concerned(state: State, about: Parameters<typeof concerns>[0]): readonly OwnWorker[] {
  return [...ownWorkers(state).values()].filter((one) => concerns(about, one));
}

/** A worker is told to leave by name. Asked again, the earliest deadline holds. */
export function onDrainOrder(state: State, order: DrainOrder): void {
  const worker = orderedWorker(state, order);
  if (worker === null) return;
  const { asked } = state.hints;
  const { bootNonce } = worker;
  const before = asked.get(worker.id);
  const untilMs = order.deadlineMs === null ? null : state.nowMs + order.deadlineMs;
  const reason = order.reason === '' ? 'told to leave' : order.reason;
  const hint: ComputeHint =
    before?.bootNonce === bootNonce
      ? { ...before.hint, untilMs: earlier(before.hint.untilMs, untilMs) }
      : { node: null, worker: worker.id, severity: 'drain', untilMs, reason };
  asked.set(worker.id, { bootNonce, hint });
  expectDrain(state, worker);
  reviewWorker(state, worker);
}

/** How far the drain is that was asked for. */
export function drainReply(state: State, order: DrainOrder): DrainReply {
  const worker = orderedWorker(state, order);
  const bootNonce = worker?.bootNonce ?? order.bootNonce;
  if (bootNonce === '')
    return { state: 'unknown', workers: [...ownWorkers(state).values()].filter((one) => one.isRegistered).map((one) => one.id) };
  const drain = state.hints.drains.get(order.workerId);
  if (drain?.bootNonce === bootNonce) return { state: drain.state, bootNonce, steps: [...drain.steps] };
  // An earlier coordinator was asked first, and by now there is nobody of this boot.
  return { state: 'left', bootNonce, steps: [] };
}

function orderedWorker(state: State, { workerId, bootNonce }: DrainOrder): OwnWorker | null {
  const worker = ownWorkers(state).get(workerId);
  if (worker === undefined || !worker.isRegistered) return null;
  return bootNonce === '' || bootNonce === worker.bootNonce ? worker : null;
}

/** Whose machine has just turned out to be gone is failed at once; one that is heard again all the same is told to stop (L31). */
function review(state: State, workers: readonly OwnWorker[]): void {
  for (const worker of workers) {
    const before = worker.demand?.severity;
    reviewWorker(state, worker);
    if (worker.demand?.severity === 'gone' && before !== 'gone') failWorker(state, worker, 'gone');
  }
}
