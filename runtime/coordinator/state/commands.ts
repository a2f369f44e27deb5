import type { CountedRow, HandBack, IndexPick, Move, SoleRow, WorkerInfo } from '../../ledger/contract.ts';
import type { RunEvent } from '../../model/event.ts';
import type { Epoch, ItemIndex, ItemRef, WorkerId } from '../../model/row.ts';
import type { BeatReply, Outcome, PollReply } from '../../model/session.ts';
import type { State } from './state.ts';

/** Names one waiting call, or one stream, of a worker; the performer keeps what is behind it. */
export type Token = number;

/** One claim for one worker, as the ledger takes it; the grants of a round are carried out in their order. */
export interface Grant {
  readonly worker: WorkerId;
  readonly picks: readonly GrantPick[];
}

export type GrantPick = IndexPick | { readonly cursor: ItemIndex; readonly count: number };

/** An outcome on its way to the result log. */
export interface Recording {
  readonly worker: WorkerId;
  readonly outcome: Outcome;
}

export interface SeenEpoch {
  readonly worker: WorkerId;
  readonly epoch: Epoch;
}

/** What the machine wants done. Each command but `reply`, `end-session`, `emit` and `stop` comes back as a fact (see machine.ts). */
export type Command =
  | { readonly kind: 'claim'; readonly grants: readonly Grant[] }
  /** Result log first, then the ledger: persist before you speak. */
  | { readonly kind: 'record'; readonly recordings: Recording[] }
  | { readonly kind: 'hand-back'; readonly returns: readonly HandBack[] }
  | { readonly kind: 'look'; readonly worker: WorkerId; readonly outcomes: readonly Outcome[] }
  /** Read the input lines of these claims. */
  | { readonly kind: 'load'; readonly worker: WorkerId; readonly refs: readonly ItemRef[] }
  | { readonly kind: 'reassign'; readonly moves: readonly Move[] }
  /** Let these items run again in the rows that were taken from them (L44). */
  | { readonly kind: 'restore'; readonly worker: WorkerId; readonly rows: readonly CountedRow[] }
  /** Give these items a second attempt on this worker (L13). */
  | { readonly kind: 'second'; readonly worker: WorkerId; readonly rows: readonly SoleRow[] }
  /** Make error lines of these items, which nobody is to execute, or not again. */
  | { readonly kind: 'reject'; readonly refs: readonly ItemRef[]; readonly why: 'invalid' | 'poison' }
  /** Find out which of the next items are invalid. */
  | { readonly kind: 'survey'; readonly from: ItemIndex }
  | { readonly kind: 'register'; readonly worker: WorkerId; readonly info: Omit<WorkerInfo, 'registeredAtMs'> }
  | { readonly kind: 'forget'; readonly worker: WorkerId; readonly token: Token | null }
  | { readonly kind: 'pause'; readonly reason: string }
  | { readonly kind: 'finish'; readonly items: number }
  | { readonly kind: 'export' }
  /** `seen`: a worker that has seen a higher epoch than this coordinator's; null if there is none. */
  | { readonly kind: 'check-lease'; readonly seen: SeenEpoch | null }
  | { readonly kind: 'reply-beat'; readonly token: Token; readonly reply: BeatReply }
  | { readonly kind: 'reply-poll'; readonly token: Token; readonly reply: PollReply }
  /** What was said on the stream still arrives. */
  | { readonly kind: 'end-session'; readonly token: Token }
  | { readonly kind: 'reply-deregister'; readonly token: Token; readonly epoch: Epoch }
  | { readonly kind: 'emit'; readonly event: RunEvent }
  | { readonly kind: 'stop'; readonly outcome: StopOutcome; readonly reason: string };

export type StopOutcome = 'completed' | 'paused' | 'stalled';

export function command(state: State, next: Command): void {
  state.commands.push(next);
}

/** The commands since the last call. */
export function takeCommands(state: State): readonly Command[] {
  const taken = state.commands;
  state.commands = [];
  return taken;
}
