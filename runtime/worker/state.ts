import { assert, assertNever } from '../base/assert.ts';
import { LinkedList } from '../base/linked-list.ts';
import { AttemptMap, type AttemptRef, type OfAttempt } from '../model/attempt-map.ts';
import { type Durations, noDurations } from '../model/durations.ts';
import { type Epoch, type ItemRef, plainRef, type WorkerId } from '../model/row.ts';
import type { Outcome, Transport, WorkerState } from '../model/session.ts';
import type { Command } from './commands.ts';
import type { Drain } from './drain.ts';
import { type Endpoint, newEndpoint } from './endpoint/endpoint.ts';
import type { Beginning } from './endpoint/load.ts';
import { type Gathering, newGathering } from './gathering.ts';
import { newSilence, type Silence } from './heartbeat/silence.ts';
import type { EpochGuard } from './session/epoch-guard.ts';
import { type Credit, newCredit } from './session/window.ts';
import { type Held, outcomeBytes, type Stage, waitingBytes } from './stage.ts';

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
export interface Execution extends Beginning, OfAttempt<Execution> {
  readonly endpoint: Endpoint;
}

export interface State {
  /** Its times become those of the coordinator. */
  settings: MachineSettings;
  readonly held: AttemptMap<Held>;
  readonly counts: Record<Stage['kind'], number>;
  /** Bytes of finished and storing outcomes. */
  outcomeBytes: number;
  /** The lists of held items: each is in one of them at most, by its stage. */
  readonly queue: LinkedList<Held>;
  /** Bytes of the lines in it. */
  waitingBytes: number;
  /** Started, and not told so yet (L32). */
  readonly untold: LinkedList<Held>;
  /** What can wait is to be told now: nothing else has carried it since the last tick. */
  isTellingDue: boolean;
  readonly unsent: LinkedList<Held>;
  /** In a poll, unacknowledged; in the order of sending. */
  readonly sent: LinkedList<Held>;
  /** Executions that occupy a slot, those included that were told to stop. */
  readonly executing: AttemptMap<Execution>;
  /** Held items in the stage `failed`. */
  readonly failures: LinkedList<Held>;
  readonly endpoints: readonly Endpoint[];
  /** Endpoints whose readiness is being asked. */
  readonly asked: Set<number>;
  /** Why the worker gave its endpoints up; null while it has not. */
  givenUp: string | null;
  mode: Mode;
  readonly drain: Drain;
  readonly durations: Durations;
  readonly credit: Credit;
  readonly gathering: Gathering;
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
    held: new AttemptMap(),
    counts: { queued: 0, started: 0, failed: 0, storing: 0, finished: 0, returning: 0 },
    outcomeBytes: 0,
    queue: new LinkedList(),
    waitingBytes: 0,
    untold: new LinkedList(),
    isTellingDue: false,
    unsent: new LinkedList(),
    sent: new LinkedList(),
    executing: new AttemptMap(),
    failures: new LinkedList(),
    endpoints: settings.endpoints.map((url, number) => newEndpoint(number, url, settings.concurrency, settings.requestTimeoutMs, nowMs)),
    asked: new Set(),
    givenUp: null,
    mode: { kind: 'working' },
    drain: { own: null, file: null, ordered: null, heard: { session: 0, poll: 0 }, reason: '', steps: [], hostUnknownMs: 0 },
    durations: noDurations(),
    credit: newCredit(nowMs),
    gathering: newGathering(),
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

export function find(state: State, ref: AttemptRef): Held | undefined {
  return state.held.get(ref);
}

export function add(state: State, ref: ItemRef, stage: Stage): void {
  const held: Held = { ref, stage, sentAtMs: null, sibling: null, list: null, before: null, after: null };
  state.held.add(held);
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
  state.held.delete(held);
}

export function allHeld(state: State): Held[] {
  return [...state.held];
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
  listOf(state, stage)?.add(held);
}

function leave(state: State, held: Held): void {
  const { stage } = held;
  state.counts[stage.kind] -= 1;
  state.outcomeBytes -= outcomeBytes(stage);
  state.waitingBytes -= waitingBytes(stage);
  held.list?.delete(held);
}

/** Where an item begins that enters a stage; null where nobody looks for it. */
function listOf(state: State, { kind }: Stage): LinkedList<Held> | null {
  switch (kind) {
    case 'queued':
      return state.queue;
    case 'started':
      return state.untold;
    case 'failed':
      return state.failures;
    case 'finished':
    case 'returning':
      return state.unsent;
    case 'storing':
      return null;
    default:
      return assertNever(kind);
  }
}
