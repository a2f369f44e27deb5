import { assert, mustGet } from '../base/assert.ts';
import { type Durations, noDurations } from '../model/durations.ts';
import { type Attempt, type Epoch, type ItemIndex, type ItemRef, plainRef, type WorkerId } from '../model/row.ts';
import type { Outcome, Transport, WorkerState } from '../model/session.ts';
import type { Command } from './commands.ts';
import type { Drain } from './drain.ts';
import { type Endpoint, newEndpoint } from './endpoint/endpoint.ts';
import type { Beginning } from './endpoint/load.ts';
import { newSilence, type Silence } from './heartbeat/silence.ts';
import type { EpochGuard } from './session/epoch-guard.ts';
import { type Credit, newCredit } from './session/window.ts';
import { outcomeBytes, type Stage, waitingBytes } from './stage.ts';

export interface MachineSettings {
  readonly workerId: WorkerId;
  readonly bootNonce: string;
  readonly concurrency: number;
  /** The most that is held ready beyond what runs; null where that follows the items alone (window.ts). */
  readonly prefetch: number | null;
  /** The servers that items are executed on, as they are named in messages. */
  readonly endpoints: readonly string[];
  readonly requestTimeoutMs: number;
  /** How long all endpoints may be away before the worker gives up. */
  readonly waitBackendMs: number;
  readonly transport: Transport;
  readonly heartbeatIntervalMs: number;
  readonly pollWaitMs: number;
  readonly selfFenceTimeoutMs: number;
  /** How long a drain may take where nobody says. */
  readonly drainTimeoutMs: number;
  /** Without a coordinator for so long the worker ends; Infinity where its parent sees to that. */
  readonly waitCoordinatorMs: number;
}

export interface Held {
  readonly ref: ItemRef;
  stage: Stage;
  /** When it was put into a poll last; null when it is to be sent. */
  sentAtMs: number | null;
}

/** One session with a coordinator (L26); polls and batches are numbered within it. */
export interface Session {
  readonly number: number;
  isOpen: boolean;
  polls: number;
  /** Polls that are not answered; of a stream, the message that has not left yet. */
  readonly inFlight: Set<number>;
  /** Since something was said, in milliseconds. */
  quietMs: number;
  receivedBatch: number;
  /** The last item of the last message that is to be acknowledged: until it is, what can wait does so. Null where nothing is waited for. */
  awaited: Held | null;
  /** The newest batch that a poll has acknowledged. */
  acknowledgedBatch: number;
  /** The capacity that the coordinator still knows of: as announced, less what came since. */
  announced: number;
}

export type Mode =
  | { readonly kind: 'working' }
  /** Takes nothing new, and stays: the hint may be withdrawn. */
  | { readonly kind: 'holding' }
  | {
      readonly kind: 'draining';
      /** The run is over, and only what is held has still to be told. */
      readonly isFinished: boolean;
      /** What still runs then goes back. */
      readonly untilMs: number;
      /** Acknowledgements are not waited for any longer. */
      readonly giveUpAtMs: number;
      /** The process must have ended. */
      readonly endMs: number;
    }
  | { readonly kind: 'left' };

/** One item on one endpoint. */
export interface Execution extends Beginning {
  readonly endpoint: Endpoint;
}

export interface State {
  /** Its times become those of the coordinator. */
  settings: MachineSettings;
  readonly held: Map<ItemIndex, Held[]>;
  readonly counts: Record<Stage['kind'], number>;
  /** Bytes of finished and storing outcomes. */
  outcomeBytes: number;
  readonly queue: Set<Held>;
  /** Bytes of the lines in it. */
  waitingBytes: number;
  /** Started, and not told so yet (L32). */
  readonly untold: Set<Held>;
  /** What can wait is to be told now: nothing else has carried it since the last tick. */
  isTellingDue: boolean;
  readonly unsent: Set<Held>;
  /** In a poll, unacknowledged; in the order of sending. */
  readonly sent: Set<Held>;
  /** By key, executions that occupy a slot, those included that were told to stop. */
  readonly executing: Map<string, Execution>;
  /** Held items in the stage `failed`. */
  readonly failures: Set<Held>;
  readonly endpoints: readonly Endpoint[];
  /** Endpoints whose readiness is being asked. */
  readonly asked: Set<number>;
  /** Why the worker gave its endpoints up; null while it has not. */
  givenUp: string | null;
  mode: Mode;
  readonly drain: Drain;
  readonly durations: Durations;
  readonly credit: Credit;
  guard: EpochGuard;
  isRegistered: boolean;
  isFenced: boolean;
  isConnected: boolean;
  session: Session;
  /** Of the coordinator, on a stream. */
  silence: Silence;
  lastTickMs: number;
  /** Since a coordinator was heard, not counting the time during which this process itself stood still. */
  aloneMs: number;
  /** What its disk lacks for outcomes, which are kept in memory until then; null while there is room. */
  shortage: string | null;
  said: { readonly state: WorkerState; readonly detail: string };
  commands: Command[];
}

/** At the start: the outcomes found in the outbox are finished items, to be sent again. */
export function newState(settings: MachineSettings, highestEpoch: Epoch, found: readonly Outcome[], nowMs: number): State {
  assert(settings.concurrency >= 1, 'concurrency is at least 1');
  const state: State = {
    settings,
    held: new Map(),
    counts: { queued: 0, started: 0, failed: 0, storing: 0, finished: 0, returning: 0 },
    outcomeBytes: 0,
    queue: new Set(),
    waitingBytes: 0,
    untold: new Set(),
    isTellingDue: false,
    unsent: new Set(),
    sent: new Set(),
    executing: new Map(),
    failures: new Set(),
    endpoints: settings.endpoints.map((url, number) => newEndpoint(number, url, settings.concurrency, settings.requestTimeoutMs, nowMs)),
    asked: new Set(),
    givenUp: null,
    mode: { kind: 'working' },
    drain: { own: null, file: null, ordered: null, heard: { session: 0, poll: 0 }, reason: '', steps: [] },
    durations: noDurations(),
    credit: newCredit(nowMs),
    guard: { highestEpoch, lastValidMs: nowMs },
    isRegistered: false,
    isFenced: false,
    isConnected: false,
    session: newSession(1),
    silence: newSilence(settings.heartbeatIntervalMs),
    lastTickMs: nowMs,
    aloneMs: 0,
    shortage: null,
    said: { state: 'init', detail: '' },
    commands: [],
  };
  for (const outcome of found) add(state, plainRef(outcome), { kind: 'finished', outcome });
  return state;
}

export function newSession(number: number): Session {
  return {
    number,
    isOpen: false,
    polls: 0,
    inFlight: new Set(),
    quietMs: 0,
    awaited: null,
    receivedBatch: 0,
    acknowledgedBatch: 0,
    announced: 0,
  };
}

export function find(state: State, ref: { readonly index: ItemIndex; readonly attempt: Attempt }): Held | undefined {
  return state.held.get(ref.index)?.find((held) => held.ref.attempt === ref.attempt);
}

export function add(state: State, ref: ItemRef, stage: Stage): void {
  assert(find(state, ref) === undefined, 'one held item per index and attempt');
  const held: Held = { ref, stage, sentAtMs: null };
  const siblings = state.held.get(ref.index);
  if (siblings === undefined) state.held.set(ref.index, [held]);
  else siblings.push(held);
  enter(state, held);
}

export function moveTo(state: State, held: Held, stage: Stage): void {
  leave(state, held);
  held.stage = stage;
  held.sentAtMs = null;
  enter(state, held);
}

export function drop(state: State, held: Held): void {
  leave(state, held);
  const siblings = mustGet(state.held.get(held.ref.index), 'held item').filter((other) => other !== held);
  if (siblings.length === 0) state.held.delete(held.ref.index);
  else state.held.set(held.ref.index, siblings);
}

export function allHeld(state: State): Held[] {
  return [...state.held.values()].flat();
}

/** Held without an outcome that is safe: what occupies a slot or a place in the queue. What has failed occupies neither. */
export function unfinished(state: State): number {
  return state.counts.queued + state.counts.started + state.counts.storing;
}

export function command(state: State, next: Command): void {
  state.commands.push(next);
}

function enter(state: State, held: Held): void {
  const { stage } = held;
  state.counts[stage.kind] += 1;
  state.outcomeBytes += outcomeBytes(stage);
  state.waitingBytes += waitingBytes(stage);
  if (stage.kind === 'queued') state.queue.add(held);
  if (stage.kind === 'started') state.untold.add(held);
  if (stage.kind === 'failed') state.failures.add(held);
  if (stage.kind === 'finished' || stage.kind === 'returning') state.unsent.add(held);
}

/** What an item that waits to be told or for its acknowledgement is listed in depends on its stage alone. */
function leave(state: State, held: Held): void {
  const { stage } = held;
  state.counts[stage.kind] -= 1;
  state.outcomeBytes -= outcomeBytes(stage);
  state.waitingBytes -= waitingBytes(stage);
  if (stage.kind === 'queued') state.queue.delete(held);
  if (stage.kind === 'started') state.untold.delete(held);
  if (stage.kind === 'failed') state.failures.delete(held);
  if (stage.kind !== 'finished' && stage.kind !== 'returning') return;
  state.unsent.delete(held);
  state.sent.delete(held);
}
