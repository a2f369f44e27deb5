import { never } from '../base/assert.ts';
import type {
  HandBack,
  HandBackVerdict,
  Move,
  NamedRow,
  ReassignReply,
  RestoreReply,
  SecondReply,
  SettleVerdict,
  Verdict,
} from '../ledger/contract.ts';
import type { DrainOrder, HintWord } from '../model/drain.ts';
import type { ComputeHint } from '../model/hint.ts';
import type { ItemIndex, ItemRef, WorkerId } from '../model/row.ts';
import { COORDINATOR_WORKER } from '../model/row.ts';
import type { Assignment, Beat, Deregistration, Outcome, Poll } from '../model/session.ts';
import { releaseLastSuspects } from './breaker.ts';
import { type ClaimResult, onClaimed, onIndexed, onSurveyed, planClaims } from './claims.ts';
import type { Command, Recording, Token } from './commands.ts';
import { flushTouched } from './delivery.ts';
import { checkEnd, onExported, onFinished, onPaused } from './ending.ts';
import { onDrainOrder, onHintsFile, onHintWord } from './hints.ts';
import { judge } from './judge.ts';
import { command, itemAt, refOf, rowOfWorker, takeCommands, unqueue } from './mirror.ts';
import { onHandedBack, onLooked, onRecorded } from './outcomes.ts';
import { condemn, endTrials, isPoison } from './poison.ts';
import { onLoaded, readAhead } from './reading.ts';
import { onBeat, onDeregister, onForgotten, onRegistered, onWorkerExited, scanWorkers } from './registry.ts';
import { onRestored } from './restore.ts';
import { record } from './rows.ts';
import { onHungUp, onMessage, onPoll, onWritten, scanChannels } from './sessions.ts';
import { scanStall } from './stall.ts';
import type { State } from './state.ts';
import { onReassigned, planSteals } from './steal.ts';
import { onSeconded, planSeconds } from './straggler.ts';
import { tellWaits } from './waits.ts';

/**
 * The coordinator's machine: facts in, commands out. It has no clock, does no I/O and is never async; the loop hands it one fact
 * at a time and carries out what it says (loop.ts, performer.ts).
 */
export type Fact =
  /** The mirror has been built; what the coordinator itself had claimed is taken up again. */
  | { readonly kind: 'started' }
  | { readonly kind: 'beat'; readonly beat: Beat; readonly token: Token }
  | { readonly kind: 'poll'; readonly poll: Poll; readonly token: Token }
  /** A message of a stream. */
  | { readonly kind: 'message'; readonly poll: Poll; readonly token: Token }
  /** What was said last on a stream has left. */
  | { readonly kind: 'written'; readonly worker: WorkerId; readonly token: Token }
  /** The caller of a poll, or the peer of a stream, has gone. */
  | { readonly kind: 'hung-up'; readonly worker: WorkerId; readonly token: Token }
  | { readonly kind: 'deregister'; readonly deregistration: Deregistration; readonly token: Token }
  | { readonly kind: 'worker-exited'; readonly worker: WorkerId; readonly pid: number }
  /** What the hints file says now. */
  | { readonly kind: 'hints'; readonly hints: readonly ComputeHint[] }
  | { readonly kind: 'hint'; readonly word: HintWord }
  | { readonly kind: 'drain'; readonly order: DrainOrder }
  | { readonly kind: 'tick' }
  | { readonly kind: 'claimed'; readonly results: readonly ClaimResult[] }
  | { readonly kind: 'recorded'; readonly recordings: readonly Recording[]; readonly verdicts: readonly SettleVerdict[] }
  | { readonly kind: 'handed-back'; readonly returns: readonly HandBack[]; readonly results: readonly HandBackVerdict[] }
  /** Null: the run is paused, and nothing moved or was given. */
  | { readonly kind: 'reassigned'; readonly moves: readonly Move[]; readonly verdicts: ReassignReply['verdicts'] | null }
  | {
      readonly kind: 'seconded';
      readonly worker: WorkerId;
      readonly rows: readonly NamedRow[];
      readonly verdicts: SecondReply['verdicts'] | null;
    }
  | {
      readonly kind: 'restored';
      readonly worker: WorkerId;
      readonly rows: readonly NamedRow[];
      readonly verdicts: RestoreReply['verdicts'];
    }
  | { readonly kind: 'looked'; readonly worker: WorkerId; readonly outcomes: readonly Outcome[]; readonly verdicts: readonly Verdict[] }
  | { readonly kind: 'loaded'; readonly worker: WorkerId; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'condemned'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'surveyed'; readonly upTo: ItemIndex; readonly invalid: readonly ItemIndex[] }
  | { readonly kind: 'indexed'; readonly count: number; readonly items: number | null }
  | { readonly kind: 'registered'; readonly worker: WorkerId; readonly bootNonce: string }
  | { readonly kind: 'forgotten'; readonly token: Token | null }
  | { readonly kind: 'paused' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'exported' };

/** Takes in one fact at `nowMs` of the monotonic clock and says what is to be done, in order. */
export function step(state: State, nowMs: number, fact: Fact): readonly Command[] {
  if (state.phase.kind === 'stopped') return [];
  state.nowMs = nowMs;
  const { phase } = state;
  takeIn(state, nowMs, fact);
  releaseLastSuspects(state);
  checkEnd(state, nowMs);
  if (state.phase !== phase || fact.kind === 'tick') for (const id of state.workers.keys()) state.touched.add(id);
  for (const id of state.touched) state.hungry.add(id);
  planClaims(state);
  flushTouched(state);
  readAhead(state);
  state.touched.clear();
  return takeCommands(state);
}

function takeIn(state: State, nowMs: number, fact: Fact): void {
  switch (fact.kind) {
    case 'started':
      return resumeCondemned(state);
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
    case 'claimed':
      return onClaimed(state, fact.results);
    case 'recorded':
      return onRecorded(state, fact.recordings, fact.verdicts);
    case 'handed-back':
      return onHandedBack(state, fact.returns, fact.results);
    case 'reassigned':
      return onReassigned(state, fact.moves, fact.verdicts);
    case 'seconded':
      return onSeconded(state, fact.worker, fact.rows, fact.verdicts);
    case 'restored':
      return onRestored(state, fact.worker, fact.rows, fact.verdicts);
    case 'looked':
      return onLooked(state, fact.worker, fact.outcomes, fact.verdicts);
    case 'loaded':
      return onLoaded(state, fact.worker, fact.assignments);
    case 'condemned':
      return onCondemned(state, fact.outcomes);
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
      never(fact);
  }
}

function onTick(state: State, nowMs: number): void {
  scanWorkers(state, nowMs);
  scanChannels(state, nowMs);
  endTrials(state);
  tellWaits(state);
  scanStall(state);
  releaseDue(state, nowMs);
}

/** Handed-back items whose time has come may be claimed. After a boot, or where a server was away for long, that may be the whole list at once. */
function releaseDue(state: State, nowMs: number): void {
  const waiting: ItemIndex[] = [];
  for (const index of state.delayed) {
    const item = state.items.get(index);
    if (item !== undefined && item.dueAtMs > nowMs) waiting.push(index);
    else if (item !== undefined) state.ready.push(index);
  }
  state.delayed = waiting;
}

/** What is left of the list goes round the workers that are idle. */
function planTail(state: State): void {
  planSteals(state);
  planSeconds(state);
}

/** Items claimed by an earlier coordinator for itself have no worker that would hand them back. */
function resumeCondemned(state: State): void {
  const refs: ItemRef[] = [];
  for (const item of state.items.values()) {
    const live = rowOfWorker(item, COORDINATOR_WORKER);
    if (live !== undefined) refs.push(refOf(item.index, live.row));
    if (item.rows.length > 0 || !isPoison(item)) continue;
    unqueue(state, new Set([item.index]));
    condemn(state, item);
  }
  state.condemned += refs.length;
  if (refs.length > 0) command(state, { kind: 'condemn', refs, why: 'invalid' });
}

/** Their error lines are made: the coordinator records them, poison in its last worker's place (L15). */
function onCondemned(state: State, outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) {
    const item = itemAt(state, outcome.index);
    if (item.lock === 'condemned') {
      item.lock = null;
      record(state, COORDINATOR_WORKER, item, outcome);
    } else judge(state, COORDINATOR_WORKER, outcome);
  }
}
