import { assert, never } from '../base/assert.ts';
import { addDuration } from '../model/durations.ts';
import type { ItemRef } from '../model/row.ts';
import { plainRef, refKey } from '../model/row.ts';
import type { Assignment, ReturnReason } from '../model/session.ts';
import type { Ending } from './commands.ts';
import { isQuiet, onSucceeded, onThrottled } from './concurrency.ts';
import { isOutOfTouch } from './epoch-guard.ts';
import { add, allHeld, command, drop, find, type Held, moveTo, type State } from './state.ts';

/** What happens to one held item: assigned, started, ended, stored, handed back, revoked, forgotten. */

/** L35: what is held already is ignored; a higher attempt of an index stops an unfinished lower one. */
export function take(state: State, assignment: Assignment): void {
  const siblings = state.held.get(assignment.index) ?? [];
  if (siblings.some((held) => held.ref.attempt >= assignment.attempt)) return;
  for (const lower of [...siblings]) if (isUnfinished(lower)) abandon(state, lower);
  const ref = plainRef(assignment);
  const reason = refusal(state);
  if (reason === null) add(state, ref, { kind: 'queued', assignment });
  else add(state, ref, { kind: 'returning', item: { ...ref, reason, delayMs: 0 } });
}

/** L27: the row is gone. An outcome that is already there is sent all the same; the ledger judges it. */
export function revoke(state: State, ref: ItemRef): void {
  const held = find(state, ref);
  if (held !== undefined && isUnfinished(held)) abandon(state, held);
}

/** L32: wanted for another worker. What has not started goes back and never will start; of the rest nothing is said. */
export function recall(state: State, ref: ItemRef): void {
  const held = find(state, ref);
  if (held?.stage.kind === 'queued') giveBack(state, held, 'recalled');
}

/** Starts what may start, in the order of arrival. */
export function startQueued(state: State, nowMs: number): void {
  if (state.mode.kind !== 'working' || state.backend !== 'ready' || state.isFenced || isQuiet(state.limit, nowMs)) return;
  // W2: of a process that was stopped, the end of an execution may be heard before the tick that fences it.
  if (isOutOfTouch(state.guard, nowMs, state.settings.selfFenceTimeoutMs)) return;
  for (const held of state.queue) {
    if (state.executing.size >= state.limit.size) return;
    assert(held.stage.kind === 'queued', 'only a queued item starts');
    const { assignment } = held.stage;
    moveTo(state, held, { kind: 'started', startedAtMs: nowMs });
    state.executing.add(refKey(held.ref));
    command(state, { kind: 'start', assignment });
  }
}

/** L36: what was handed back or revoked meanwhile has no outcome any more; nor has what was aborted because the worker leaves. */
export function end(state: State, nowMs: number, ref: ItemRef, ending: Ending): void {
  state.executing.delete(refKey(ref));
  if (state.mode.kind === 'left') return;
  adapt(state, nowMs, ending);
  const held = find(state, ref);
  if (held === undefined || held.stage.kind !== 'started') return;
  switch (ending.kind) {
    case 'outcome': {
      // A failure says little about how long an answer takes.
      if (ending.outcome.kind === 'result') addDuration(state.durations, nowMs - held.stage.startedAtMs);
      moveTo(state, held, { kind: 'storing', outcome: ending.outcome });
      command(state, { kind: 'store', outcome: ending.outcome });
      return;
    }
    case 'return': {
      moveTo(state, held, { kind: 'returning', item: ending.item });
      return;
    }
    default:
      never(ending);
  }
}

/** L34: only now may the outcome be sent. */
export function stored(state: State, ref: ItemRef): void {
  const held = find(state, ref);
  assert(held !== undefined && held.stage.kind === 'storing', 'what became durable was being stored');
  moveTo(state, held, { kind: 'finished', outcome: held.stage.outcome });
}

/** Hands back everything that has not started. */
export function returnQueued(state: State, reason: ReturnReason): void {
  for (const held of [...state.queue]) giveBack(state, held, reason);
}

/** Hands back what is still being executed, or some of it; its end is then ignored (L36). */
export function returnStarted(state: State, reason: ReturnReason, isChosen: (held: Held) => boolean = () => true): void {
  for (const held of allHeld(state)) {
    if (held.stage.kind !== 'started' || !isChosen(held)) continue;
    command(state, { kind: 'stop', ref: held.ref });
    giveBack(state, held, reason);
  }
}

/** L34: forgets exactly the pairs that a reply names, where they had been handed over. */
export function forget(state: State, refs: readonly ItemRef[]): void {
  const durable: ItemRef[] = [];
  for (const ref of refs) {
    const held = find(state, ref);
    if (held === undefined || isUnfinished(held)) continue;
    if (held.stage.kind === 'finished') durable.push(held.ref);
    if (held.stage.kind !== 'storing') drop(state, held);
  }
  if (durable.length > 0) command(state, { kind: 'forget', refs: durable });
}

function isUnfinished(held: Held): boolean {
  return held.stage.kind === 'queued' || held.stage.kind === 'started';
}

/** Drops an item that the worker may no longer execute; nothing is said about it. */
function abandon(state: State, held: Held): void {
  if (held.stage.kind === 'started') command(state, { kind: 'stop', ref: held.ref });
  drop(state, held);
}

function giveBack(state: State, held: Held, reason: ReturnReason): void {
  moveTo(state, held, { kind: 'returning', item: { ...held.ref, reason, delayMs: 0 } });
}

function refusal(state: State): ReturnReason | null {
  if (state.mode.kind !== 'working') return 'drained';
  return state.backend === 'ready' ? null : 'unavailable';
}

function adapt(state: State, nowMs: number, ending: Ending): void {
  if (ending.kind === 'outcome' && ending.outcome.kind === 'result') state.limit = onSucceeded(state.limit);
  if (ending.kind === 'return' && ending.item.reason === 'throttled') state.limit = onThrottled(state.limit, nowMs, ending.quietMs);
}
