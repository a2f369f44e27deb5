import type { Random } from '../../runtime/base/random.ts';
import { step } from '../../runtime/coordinator/machine/machine.ts';
import type { Command as CoordinatorCommand } from '../../runtime/coordinator/state/commands.ts';
import type { ClaimResult, Fact } from '../../runtime/coordinator/state/facts.ts';
import { stateFrom } from '../../runtime/coordinator/state/mirror.ts';
import type { State as CoordinatorState } from '../../runtime/coordinator/state/state.ts';
import { NO_FAULTS } from '../../runtime/ledger/contract.ts';
import { plainRef } from '../../runtime/model/row.ts';
import type { Outcome } from '../../runtime/model/session.ts';
import type { Command as WorkerCommand } from '../../runtime/worker/commands.ts';
import { onBeat, onConnected, onReadiness, onReply, onStart, onStored, onTick, onWake, onWritten } from '../../runtime/worker/machine.ts';
import { newState, type State as WorkerState } from '../../runtime/worker/state.ts';
import { EventQueue } from '../sim/event-queue.ts';
import { type CommittedPart, factOf } from './committed-part.ts';
import { SETTINGS as COORDINATOR, EPOCH, scanOf } from './machine-start.ts';
import { onOneEnded } from './one-ended.ts';
import { SETTINGS as WORKER } from './worker-state.ts';

/** How long each stage of an item's way takes, in milliseconds: about what was measured where two cores are shared by all processes. */
export interface Delays {
  readonly messageMs: number;
  readonly claimMs: number;
  readonly readMs: number;
  readonly recordMs: number;
  readonly storeMs: number;
}

const DELAYS: Delays = { messageMs: 6, claimMs: 12, readMs: 8, recordMs: 15, storeMs: 8 };
const TICK_MS = 250;

export interface FleetOptions {
  readonly workers: number;
  readonly slots: number;
  readonly items: number;
  readonly itemMs: (index: number, worker: number) => number;
  readonly random: Random;
  readonly delays?: Partial<Delays>;
  /** The line of every item. */
  readonly line?: Uint8Array;
}

/** The real machines of a coordinator and its workers on a clock of their own: everything between them takes its time, and nothing fails. */
export class VirtualFleet {
  readonly coordinator: CoordinatorState;
  readonly workers: readonly WorkerState[];
  ended = 0;
  stolen = 0;
  /** Of the workers. */
  messages = 0;
  readonly #options: FleetOptions;
  readonly #delays: Delays;
  readonly #queue = new EventQueue();
  #executing = 0;
  /** Summed over all slots, since the last look. */
  #busyMs = 0;
  #notedMs = 0;
  #lookedMs = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#delays = { ...DELAYS, ...options.delays };
    this.coordinator = stateFrom(COORDINATOR, EPOCH, scanOf({}), 0);
    this.workers = Array.from({ length: options.workers }, (_, n) =>
      newState({ ...WORKER, workerId: `w${n}`, concurrency: options.slots, prefetch: null, transport: 'stream' }, 0, [], 0),
    );
    this.#tell({ kind: 'started' });
    this.#tell({ kind: 'indexed', count: options.items, items: options.items });
    this.#every(TICK_MS, () => this.#tell({ kind: 'tick' }));
    for (const [n, state] of this.workers.entries()) this.#begin(n, state);
  }

  get nowMs(): number {
    return this.#queue.nowMs;
  }

  /** Time passes. */
  run(ms: number): void {
    let isOver = false;
    this.#after(ms, () => {
      isOver = true;
    });
    while (!isOver && this.#queue.runNext());
    this.#note(0);
  }

  /** The part of the slots that was busy since the last call. */
  busyShare(): number {
    const slotMs = this.#options.workers * this.#options.slots * (this.nowMs - this.#lookedMs);
    const share = this.#busyMs / slotMs;
    this.#busyMs = 0;
    this.#lookedMs = this.nowMs;
    return share;
  }

  /** So many slots more are busy from now on. */
  #note(more: number): void {
    this.#busyMs += this.#executing * (this.nowMs - this.#notedMs);
    this.#notedMs = this.nowMs;
    this.#executing += more;
  }

  #begin(n: number, state: WorkerState): void {
    // They do not start in the same moment.
    this.#after(this.#options.random.next() * TICK_MS, () => {
      this.#perform(n, onStart(state, this.nowMs));
      this.#beat(n, state);
      this.#every(COORDINATOR.heartbeatIntervalMs, () => this.#beat(n, state));
      this.#every(TICK_MS, () => this.#perform(n, onTick(state, this.nowMs)));
    });
  }

  #beat(n: number, state: WorkerState): void {
    const { workerId, bootNonce, concurrency } = state.settings;
    const about = { loopLagMs: 0, highestEpoch: state.guard.highestEpoch, detail: '', node: '', pid: n, isAsking: true };
    const beat = { workerId, bootNonce, concurrency, state: state.said.state, ...about };
    this.#message(() => this.#tell({ kind: 'beat', beat, token: -n - 1 }));
  }

  #tell(fact: Fact | CommittedPart): void {
    for (const command of step(this.coordinator, this.nowMs, factOf(fact))) this.#carryOut(command);
  }

  #carryOut(command: CoordinatorCommand): void {
    const { claimMs, readMs, recordMs } = this.#delays;
    const { line = Buffer.alloc(400, 'x') } = this.#options;
    switch (command.kind) {
      case 'survey': {
        const upTo = Math.min(this.#options.items, command.from + 16_384);
        return this.#after(readMs, () => this.#tell({ kind: 'surveyed', upTo, invalid: [] }));
      }
      case 'register': {
        const { worker, info } = command;
        return this.#after(claimMs, () => this.#tell({ kind: 'registered', worker, bootNonce: info.bootNonce }));
      }
      case 'reply-beat': {
        const n = -command.token - 1;
        return this.#message(() => this.#hear(n, (state) => onBeat(state, this.nowMs, { ...command.reply, receivedMs: this.nowMs })));
      }
      case 'claim':
        return this.#after(claimMs, () => this.#tell({ kind: 'claimed', results: command.grants.map(claimed) }));
      case 'load': {
        const assignments = command.refs.map((ref) => ({ ...ref, line, lineNumber: ref.index + 1, form: 'batch' as const }));
        return this.#after(readMs, () => this.#tell({ kind: 'loaded', worker: command.worker, assignments }));
      }
      case 'record': {
        const { recordings } = command;
        return this.#after(recordMs, () => this.#tell({ kind: 'recorded', recordings, verdicts: recordings.map(() => 'accepted') }));
      }
      case 'hand-back': {
        const { returns } = command;
        const results = returns.map(({ row }) => ({
          ...{ kind: 'returned' as const, faults: NO_FAULTS, lastAttempt: row.attempt, other: null },
        }));
        return this.#after(claimMs, () => this.#tell({ kind: 'handed-back', returns, results }));
      }
      case 'reassign': {
        const { moves } = command;
        const verdicts = moves.map(({ row }) => ({ kind: 'moved' as const, attempt: row.attempt + 1 }));
        this.stolen += moves.length;
        return this.#after(claimMs, () => this.#tell({ kind: 'reassigned', moves, verdicts }));
      }
      case 'reply-poll':
        return this.#reply(command);
      default:
        return undefined;
    }
  }

  #reply({ token, reply }: Extract<CoordinatorCommand, { kind: 'reply-poll' }>): void {
    this.#message(() => this.#hear(token, (state) => onReply(state, this.nowMs, { session: state.session.number, poll: 0 }, reply)));
    this.#after(0, () => this.#tell({ kind: 'written', worker: `w${token}`, token }));
  }

  #hear(n: number, fact: (state: WorkerState) => readonly WorkerCommand[]): void {
    const state = this.workers[n];
    if (state !== undefined) this.#perform(n, fact(state));
  }

  #perform(n: number, commands: readonly WorkerCommand[]): void {
    for (const command of commands) this.#performOne(n, command);
  }

  #performOne(n: number, command: WorkerCommand): void {
    switch (command.kind) {
      case 'reconnect':
        return this.#after(1, () => this.#hear(n, (state) => onConnected(state, this.nowMs)));
      case 'ask':
        return this.#after(1, () => this.#hear(n, (state) => onReadiness(state, this.nowMs, command.endpoint, null)));
      case 'poll': {
        const { session, poll } = command.poll;
        this.messages += 1;
        this.#message(() => this.#tell({ kind: 'message', poll: command.poll, token: n }));
        return this.#after(0, () => this.#hear(n, (state) => onWritten(state, this.nowMs, { session, poll })));
      }
      case 'start': {
        const ref = plainRef(command.assignment);
        this.#note(1);
        return this.#after(this.#options.itemMs(ref.index, n), () => this.#end(n, outcomeOf(ref)));
      }
      case 'store': {
        const refs = command.outcomes.map(plainRef);
        return this.#after(this.#delays.storeMs, () => this.#hear(n, (state) => onStored(state, this.nowMs, refs)));
      }
      case 'wake':
        return this.#after(Math.max(0, command.atMs - this.nowMs), () => this.#hear(n, (state) => onWake(state, this.nowMs)));
      default:
        return undefined;
    }
  }

  #end(n: number, outcome: Outcome): void {
    this.#note(-1);
    this.ended += 1;
    this.#hear(n, (state) => onOneEnded(state, this.nowMs, plainRef(outcome), { kind: 'outcome', outcome }));
  }

  #message(run: () => void): void {
    this.#after(this.#delays.messageMs, run);
  }

  #after(ms: number, run: () => void): void {
    this.#queue.after(ms, run);
  }

  #every(ms: number, run: () => void): void {
    this.#after(ms, () => {
      run();
      this.#every(ms, run);
    });
  }
}

type Grant = Extract<CoordinatorCommand, { kind: 'claim' }>['grants'][number];

/** Grants are carried out in order, so that the cursor is where the last one of a grant ends. */
function claimed({ picks }: Grant): ClaimResult {
  const granted = picks.map((pick) => {
    if ('index' in pick) return { from: pick.index, count: 1, attempt: pick.lastAttempt + 1 };
    return { from: pick.cursor, count: pick.count, attempt: 1 };
  });
  const ends = picks.map((pick) => ('cursor' in pick ? pick.cursor + pick.count : 0));
  return { kind: 'claimed', granted, found: [], cursor: Math.max(...ends) };
}

function outcomeOf(ref: ReturnType<typeof plainRef>): Outcome {
  return { ...ref, kind: 'result', line: RESULT, httpStatus: 200, code: '', isRetryable: false, isProbe: false, delayMs: 0 };
}

const RESULT = Buffer.alloc(400, 'y');
