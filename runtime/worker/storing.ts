import type { Outcome } from '../model/session.ts';
import { acknowledgeDueMs, addOutcome, isFull, storeDueMs, takeOutcomes } from './gathering.ts';
import { readyMs } from './session/window.ts';
import type { Held } from './stage.ts';
import { command, moveTo, type State } from './state.ts';

/** When outcomes are made durable, and when an acknowledgement no longer waits for them. Pure. */

/** The outcome is final for this attempt: it is made durable, and then sent (L34). */
export function keepOutcome(state: State, held: Held, outcome: Outcome): void {
  moveTo(state, held, { kind: 'storing', outcome });
  addOutcome(state.gathering, outcome);
}

/** One batch at a time: what ends meanwhile goes into the next one. */
export function storeWhereDue(state: State, nowMs: number): void {
  const { gathering, mode } = state;
  if (gathering.outcomes.length === 0 || gathering.isStoring) return;
  const dueMs = storeDueMs(gathering, readyFor(state));
  if (nowMs < dueMs && mode.kind === 'working' && !isFull(gathering)) return wakeAt(state, dueMs);
  command(state, { kind: 'store', outcomes: takeOutcomes(gathering, nowMs) });
}

/** Whether an acknowledgement that is due waits for outcomes; the loop then comes back. */
export function waitsForOutcomes(state: State, nowMs: number): boolean {
  const dueMs = acknowledgeDueMs(state.gathering, readyFor(state));
  if (nowMs >= dueMs || state.mode.kind !== 'working') return false;
  wakeAt(state, dueMs);
  return true;
}

function readyFor({ queue, credit, settings }: State): number {
  return readyMs(credit, settings.concurrency, queue.size);
}

function wakeAt(state: State, atMs: number): void {
  const { gathering } = state;
  if (gathering.wakeAtMs !== null && gathering.wakeAtMs <= atMs) return;
  gathering.wakeAtMs = atMs;
  command(state, { kind: 'wake', atMs });
}
