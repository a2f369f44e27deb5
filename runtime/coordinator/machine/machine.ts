import { assertNever } from '../../base/assert.ts';
import type { ItemRef } from '../../model/row.ts';
import { COORDINATOR_WORKER } from '../../model/row.ts';
import type { Outcome } from '../../model/session.ts';
import { deliverGranted, onClaimed, onIndexed, onSurveyed, planClaims } from '../dispatch/claims.ts';
import { onSecondAttempts, planSecondAttempts } from '../dispatch/second-attempts.ts';
import { onReassigned, planSteals } from '../dispatch/steal.ts';
import { releaseLastSuspects } from '../items/breaker.ts';
import { judge, judgeReopened } from '../items/judge.ts';
import { onHandedBack, onLooked, onRecorded } from '../items/outcomes.ts';
import { isPoison, rejectItem, resolvePendingCrashes } from '../items/poison.ts';
import { onRestored } from '../items/restore.ts';
import { checkEnd, onExported, onFinished, onPaused } from '../progress/ending.ts';
import { scanStall } from '../progress/stall.ts';
import { tellWaits } from '../progress/waits.ts';
import type { Command } from '../state/commands.ts';
import { command, takeCommands } from '../state/commands.ts';
import type { Committed, Fact } from '../state/facts.ts';
import { refOf, rowOfWorker } from '../state/item.ts';
import { itemAt, openLock } from '../state/items.ts';
import { releaseDue, unqueue } from '../state/queues.ts';
import { record } from '../state/rows.ts';
import type { State } from '../state/state.ts';
import { flushTouched } from '../workers/delivery.ts';
import { onDrainOrder, onHintsFile, onHintWord } from '../workers/hints.ts';
import { onLoaded, readAhead } from '../workers/reading.ts';
import { onBeat, onDeregister, onForgotten, onRegistered, onWorkerExited, scanWorkers } from '../workers/registry.ts';
import { onHungUp, onMessage, onPoll, onWritten, scanChannels } from '../workers/sessions.ts';

/**
 * The coordinator's machine: facts in, commands out. It has no clock, does no I/O and is never async; the loop hands it one fact
 * at a time and carries out what it says (loop.ts, performer.ts).
 */

/** Takes in one fact at `nowMs` of the monotonic clock and says what is to be done, in order. */
export function step(state: State, nowMs: number, fact: Fact): readonly Command[] {
  if (state.phase.kind === 'stopped') return [];
  state.nowMs = nowMs;
  const { phase } = state;
  takeIn(state, nowMs, fact);
  // One that says nothing new has no other effect, and most facts are such beats where many workers are idle.
  if (fact.kind === 'beat' && state.dirty.size === 0) return takeCommands(state);
  judgeReopened(state);
  deliverGranted(state);
  releaseLastSuspects(state);
  checkEnd(state, nowMs);
  if (state.phase !== phase || fact.kind === 'tick') for (const id of state.workers.keys()) state.dirty.add(id);
  for (const id of state.dirty) state.withCapacity.add(id);
  planClaims(state);
  readAhead(state);
  flushTouched(state);
  state.dirty.clear();
  return takeCommands(state);
}

function takeIn(state: State, nowMs: number, fact: Fact): void {
  switch (fact.kind) {
    case 'started':
      return resumeRejected(state);
    case 'beat':
      return onBeat(state, nowMs, fact.beat, fact.token);
    case 'poll':
      return onPoll(state, nowMs, fact.poll, fact.token);
    case 'message':
      return onMessage(state, fact.poll, fact.token);
    case 'written':
      return onWritten(state, fact.worker, fact.token);
    case 'hung-up':
      return onHungUp(state, fact.worker, fact.token);
    case 'deregister':
      return onDeregister(state, fact.deregistration, fact.token);
    case 'worker-exited':
      return onWorkerExited(state, fact.worker, fact.pid);
    case 'hints':
      return onHintsFile(state, fact.hints);
    case 'hint':
      return onHintWord(state, fact.word);
    case 'drain':
      return onDrainOrder(state, fact.order);
    case 'tick':
      onTick(state, nowMs);
      return planTail(state);
    case 'committed':
      return onCommitted(state, fact);
    case 'reassigned':
      return onReassigned(state, fact.moves, fact.verdicts);
    case 'second-attempts':
      return onSecondAttempts(state, fact.worker, fact.rows, fact.verdicts);
    case 'restored':
      return onRestored(state, fact.worker, fact.rows, fact.verdicts);
    case 'looked':
      return onLooked(state, fact.worker, fact.outcomes, fact.verdicts);
    case 'loaded':
      return onLoaded(state, fact.worker, fact.assignments);
    case 'rejected':
      return onRejected(state, fact.outcomes);
    case 'surveyed':
      return onSurveyed(state, fact.upTo, fact.invalid);
    case 'indexed':
      return onIndexed(state, fact.count, fact.items);
    case 'registered':
      return onRegistered(state, fact.worker, fact.bootNonce);
    case 'forgotten':
      return onForgotten(state, fact.token);
    case 'paused':
      return onPaused(state);
    case 'finished':
      return onFinished(state);
    case 'exported':
      return onExported(state, nowMs);
    default:
      assertNever(fact);
  }
}

/** In the order in which the ledger has taken them. */
function onCommitted(state: State, { recordings, verdicts, returns, handedBack, claimed }: Committed): void {
  onRecorded(state, recordings, verdicts);
  onHandedBack(state, returns, handedBack);
  if (claimed.length > 0) onClaimed(state, claimed);
}

function onTick(state: State, nowMs: number): void {
  scanWorkers(state, nowMs);
  scanChannels(state, nowMs);
  resolvePendingCrashes(state);
  tellWaits(state);
  scanStall(state);
  releaseDue(state);
}

/** What is left of the list goes round the workers that are idle. */
function planTail(state: State): void {
  planSteals(state);
  planSecondAttempts(state);
}

/** Items claimed by an earlier coordinator for itself have no worker that would hand them back. */
function resumeRejected(state: State): void {
  const refs: ItemRef[] = [];
  for (const item of state.items.withHistory()) {
    const live = rowOfWorker(item, COORDINATOR_WORKER);
    if (live !== undefined) refs.push(refOf(item.index, live.row));
    if (item.rows.length > 0 || !isPoison(item)) continue;
    unqueue(state, new Set([item.index]));
    rejectItem(state, item);
  }
  state.rejected += refs.length;
  if (refs.length > 0) command(state, { kind: 'reject', refs, why: 'invalid' });
}

/** Their error lines are made: the coordinator records them, poison in its last worker's place (L15). */
function onRejected(state: State, outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    const item = itemAt(state, outcome.index);
    if (item.lock === 'rejected') {
      openLock(item, 'rejected');
      record(state, COORDINATOR_WORKER, item, outcome);
    } else judge(state, COORDINATOR_WORKER, outcome);
  }
}
