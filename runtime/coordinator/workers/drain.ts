import { oneLine } from '../../model/detail.ts';
import type { RunEvent } from '../../model/event.ts';
import { concerns, earlier, strictest } from '../../model/hint.ts';
import type { WorkerId } from '../../model/row.ts';
import type { DrainStep } from '../../model/session.ts';
import { command } from '../state/commands.ts';
import { itemAt } from '../state/items.ts';
import { handBackAll } from '../state/rows.ts';
import type { Drain, State } from '../state/state.ts';
import { type Instruction, isGoing, type OwnWorker, type Worker } from '../state/worker.ts';
import { ownWorkers, takeOutgoing } from '../state/workers.ts';

/** Who is to leave or to hold, what each worker is told, and how its drain goes. */

/** Drains that are remembered for those who ask how they went; the oldest one is forgotten. */
const MAX_DRAINS = 10_000;
/** A drain has six kinds of steps, and hands back started items a few times; more is a worker gone wrong. */
const MAX_STEPS = 64;

export const WORK: Instruction = { order: 'work', untilMs: null, reason: '' };

export function instructionFor(state: State, worker: Worker): Instruction {
  const { phase } = state;
  switch (phase.kind) {
    case 'running':
    case 'finishing':
      return demanded(worker);
    case 'pausing':
      return { order: 'drain', untilMs: earlier(phase.untilMs, demanded(worker).untilMs), reason: oneLine(phase.reason) };
    case 'stopped':
      return { order: 'drain', untilMs: null, reason: '' };
    case 'finished':
      return { order: 'finished', untilMs: null, reason: '' };
  }
}

export function isSameInstruction(a: Instruction, b: Instruction): boolean {
  return a.order === b.order && a.untilMs === b.untilMs && a.reason === b.reason;
}

/** What is left of a drain's time as the wire has it, where 0 means that no time was given. */
export function remainingMs({ order, untilMs }: Instruction, nowMs: number): number {
  return order === 'drain' && untilMs !== null ? Math.max(1, untilMs - nowMs) : 0;
}

function demanded({ demand }: Worker): Instruction {
  if (demand === null) return WORK;
  const reason = oneLine(demand.reason);
  if (demand.severity === 'hint') return { order: 'hold', untilMs: null, reason };
  // One that lives on a machine that is gone must stop at once.
  return { order: 'drain', untilMs: demand.severity === 'gone' ? 0 : demand.untilMs, reason };
}

/** Looks again at what is asked of a worker. */
export function reviewWorker(state: State, worker: OwnWorker): void {
  const { file, told, asked } = state.hints;
  const own = asked.get(worker.id);
  const all = [...file, ...told.values(), ...(own?.bootNonce === worker.bootNonce ? [own.hint] : [])];
  const wasFree = worker.demand === null;
  state.dirty.add(worker.id);
  worker.demand = strictest(all.filter((hint) => concerns(hint, worker)));
  if (wasFree && worker.demand !== null) returnUnsent(state, worker);
}

/** What has not been sent to it goes to others at once. */
function returnUnsent(state: State, worker: OwnWorker): void {
  const indexes = [...worker.outgoing.keys(), ...worker.unread];
  for (const index of indexes) takeOutgoing(worker, index);
  worker.unread.clear();
  const items = indexes.map((index) => itemAt(state, index));
  // What something else is being done with is looked at again after that (L27).
  for (const item of items) if (item.lock !== null) worker.unreconciled.add(item.index);
  handBackAll(
    state,
    worker.id,
    items.filter((item) => item.lock === null),
    'lost',
  );
}

/** It holds, drains, or is to: it gets nothing, and nothing that happens to it now is an item's fault. */
export function isLeaving(state: State, id: WorkerId): boolean {
  const worker = ownWorkers(state).get(id);
  return worker !== undefined && (isGoing(worker) || openDrain(state, worker) !== null);
}

/** The drain of this boot, whether or not it has told of it yet. */
export function expectDrain(state: State, worker: OwnWorker): Drain {
  const known = openDrain(state, worker);
  if (known !== null) return known;
  const { drains } = state.hints;
  const drain: Drain = { bootNonce: worker.bootNonce, steps: [], state: 'draining' };
  drains.delete(worker.id);
  drains.set(worker.id, drain);
  const [oldest] = drains.keys();
  if (oldest !== undefined && drains.size > MAX_DRAINS) drains.delete(oldest);
  return drain;
}

function openDrain(state: State, worker: OwnWorker): Drain | null {
  const drain = state.hints.drains.get(worker.id);
  return drain?.state === 'draining' && drain.bootNonce === worker.bootNonce ? drain : null;
}

/** What the worker has done since its last message; the first step begins the drain for those who watch. */
export function onDrainSteps(state: State, worker: OwnWorker, steps: readonly DrainStep[]): void {
  for (const step of steps) onStep(state, worker, step);
}

function onStep(state: State, worker: OwnWorker, step: DrainStep): void {
  if (step.step === 'withdrawn' && openDrain(state, worker) === null) return;
  const drain = expectDrain(state, worker);
  if (drain.steps.length >= MAX_STEPS) return;
  const { id: workerId } = worker;
  const { reason, remainingMs: leftMs, items } = step;
  if (drain.steps.length === 0) emit(state, { kind: 'drain_started', workerId, reason, remainingMs: leftMs });
  drain.steps.push(step);
  emit(state, { kind: 'drain_step', workerId, step: step.step, items, remainingMs: leftMs });
  if (step.step !== 'withdrawn') return;
  state.hints.drains.delete(workerId);
  emit(state, { kind: 'drain_finished', workerId, end: 'withdrawn' });
}

/** It says goodbye. The call may overtake the message with the last step, which is then told here. */
export function noteGoodbye(state: State, worker: OwnWorker): void {
  const last = openDrain(state, worker)?.steps.at(-1);
  if (last === undefined || last.step === 'leaving') return;
  const leftMs = remainingMs(instructionFor(state, worker), state.nowMs);
  onStep(state, worker, { step: 'leaving', items: 0, remainingMs: leftMs, reason: last.reason });
}

/** The worker is gone, in order or not; called after the event that says so. */
export function endDrain(state: State, worker: OwnWorker, end: 'left' | 'lost'): void {
  const asked = state.hints.asked.get(worker.id);
  if (asked?.bootNonce === worker.bootNonce && end === 'left') state.hints.asked.delete(worker.id);
  const drain = openDrain(state, worker);
  if (drain === null) return;
  drain.state = end;
  if (drain.steps.length > 0) emit(state, { kind: 'drain_finished', workerId: worker.id, end });
}

function emit(state: State, event: RunEvent): void {
  command(state, { kind: 'emit', event });
}
