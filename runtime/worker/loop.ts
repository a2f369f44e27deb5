import { assertNever } from '../base/assert.ts';
import type { Timer } from '../base/clock.ts';
import { Gathered } from '../base/gathered.ts';
import { inTime } from '../base/in-time.ts';
import type { ComputeHint } from '../model/hint.ts';
import type { Assignment, Outcome } from '../model/session.ts';
import { Asking, type AskingDeps } from './asking.ts';
import type { AnswerBudget } from './backends/answer-budget.ts';
import type { Command, Ended, Leaving } from './commands.ts';
import type { Heartbeat } from './heartbeat/heartbeat.ts';
import {
  onBeat,
  onConnected,
  onDiskSpace,
  onDrain,
  onEnded,
  onHint,
  onKnownGood,
  onPollFailed,
  onReadiness,
  onReply,
  onSessionEnded,
  onStart,
  onStored,
  onTick,
  onWake,
  onWritten,
} from './machine.ts';
import type { Outbox } from './outbox/contract.ts';
import { deregister } from './session/deregister.ts';
import type { Link } from './session/link.ts';
import type { Slots } from './slots.ts';
import { createSpeaking, type Speaking } from './speaking.ts';
import type { State } from './state.ts';

export interface LoopDeps extends AskingDeps {
  readonly state: State;
  readonly outbox: Outbox;
  readonly slots: Slots;
  readonly link: Link;
  readonly heartbeat: Heartbeat;
  readonly answers: Pick<AnswerBudget, 'keep'>;
  readonly tickMs: number;
}

/** Why the loop ended, and how many outcomes stay in the outbox for the next start. */
export type LoopEnd = { readonly why: Leaving; readonly unacknowledged: number; readonly backendDetail: string | null };

/**
 * Does what the machine decides. The order of effects is here and nowhere else, an item's way from top to bottom: execute, make the
 * outcome durable, send it, forget it once acknowledged (L34).
 */
export class WorkerLoop {
  readonly #deps: LoopDeps;
  readonly #stopped = new AbortController();
  readonly #speaking: Speaking;
  readonly #ended = new Gathered<Ended>((ended) => this.#fact(() => onEnded(this.#deps.state, this.#nowMs(), ended)));
  readonly #asking: Asking;
  readonly #onFault = (error: unknown): void => this.fail(error);
  #wake: Timer | null = null;
  #resolve: (end: LoopEnd) => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(deps: LoopDeps) {
    this.#deps = deps;
    const { state, link } = deps;
    this.#speaking = createSpeaking(state.settings.transport, link, {
      onReply: (id, reply) => this.#fact(() => onReply(state, this.#nowMs(), id, reply)),
      onPollFailed: (id) => this.#fact(() => onPollFailed(state, this.#nowMs(), id)),
      onWritten: (id) => this.#fact(() => onWritten(state, this.#nowMs(), id)),
      onSessionEnded: (session) => this.#fact(() => onSessionEnded(state, this.#nowMs(), session)),
    });
    this.#asking = new Asking(deps, {
      onReadiness: (endpoint, detail) => this.#fact(() => onReadiness(state, this.#nowMs(), endpoint, detail)),
      onKnownGood: (endpoint, ended) => this.#fact(() => onKnownGood(state, this.#nowMs(), endpoint, ended)),
    });
  }

  /** Works until the run is finished, the worker has drained, or something broke that cannot be gone on from. */
  async run(): Promise<LoopEnd> {
    const { state, clock, tickMs, link } = this.#deps;
    const ended = new Promise<LoopEnd>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const ticks = clock.every(tickMs, () => this.#fact(() => onTick(state, this.#nowMs(), link.isHostUnknown())));
    this.#fact(() => onStart(state, this.#nowMs()));
    try {
      return await ended;
    } finally {
      ticks.stop();
      this.#abort();
    }
  }

  drain(reason: string): void {
    this.#fact(() => onDrain(this.#deps.state, this.#nowMs(), reason));
  }

  /** What its hints file says about this worker now; null for nothing. */
  hint(hint: ComputeHint | null): void {
    this.#fact(() => onHint(this.#deps.state, this.#nowMs(), hint));
  }

  /** What the disk of the outbox lacks; null once there is room again. */
  room(shortage: string | null): void {
    this.#fact(() => onDiskSpace(this.#deps.state, this.#nowMs(), shortage));
  }

  onBeat(beat: Parameters<typeof onBeat>[2]): void {
    this.#fact(() => onBeat(this.#deps.state, this.#nowMs(), beat));
  }

  replaceAddresses(addresses: readonly string[]): void {
    this.#deps.link.replaceAddresses(addresses);
    this.#deps.heartbeat.replaceAddresses(addresses);
  }

  /** Ends at once: requests are let go of; what is not acknowledged stays in the outbox. */
  fail(error: unknown): void {
    this.#reject(error);
  }

  #abort(): void {
    this.#stopped.abort();
    this.#wake?.stop();
    this.#deps.slots.stopAll();
    this.#deps.link.close();
  }

  #execute(assignment: Assignment, endpoint: number): Promise<void> | null {
    return this.#deps.slots.start(assignment, endpoint, (ending) => {
      this.#deps.knownGood.note(assignment, ending);
      this.#ended.add({ ref: assignment, ending });
    });
  }

  async #store(outcomes: readonly Outcome[]): Promise<void> {
    await this.#deps.outbox.put(outcomes);
    this.#fact(() => onStored(this.#deps.state, this.#nowMs(), outcomes));
  }

  /** A timer counts whole milliseconds; one for the rest of one would come too early, and be set again and again. */
  #wakeAt(atMs: number): void {
    this.#wake?.stop();
    const run = (): void => this.#fact(() => onWake(this.#deps.state, this.#nowMs()));
    this.#wake = this.#deps.clock.after(Math.max(0, Math.ceil(atMs - this.#nowMs())), run);
  }

  async #reconnect(): Promise<void> {
    const { link, state } = this.#deps;
    const answered = this.#speaking.answered();
    await link.move();
    await answered;
    this.#fact(() => onConnected(state, this.#nowMs()));
  }

  /** L36: the last call. No beat may follow it, since a beat would register the worker again. */
  async #leave({ why, unacknowledged, byMs }: Extract<Command, { kind: 'leave' }>): Promise<void> {
    const { state, slots, log } = this.#deps;
    slots.stopAll();
    const isSilent = await this.#stopBeats(byMs);
    if (why !== 'superseded' && isSilent) {
      const { workerId, bootNonce } = state.settings;
      const deregistration = { workerId, bootNonce, isClean: why === 'drained' || why === 'finished' };
      const isHeard = await deregister(this.#deps, deregistration, byMs);
      if (!isHeard) log.warn('the coordinator did not hear that this worker leaves; it will notice');
    }
    this.#resolve({ why, unacknowledged, backendDetail: state.givenUp });
  }

  /** Whether they have stopped in time. */
  #stopBeats(byMs: number): Promise<boolean> {
    const { heartbeat, clock } = this.#deps;
    return inTime(clock, Math.max(0, byMs - this.#nowMs()), heartbeat.stop());
  }

  #fact(handle: () => readonly Command[]): void {
    if (this.#stopped.signal.aborted) return;
    try {
      for (const command of handle()) this.#own(this.#perform(command));
      this.#deps.answers.keep(this.#deps.state.outcomeBytes);
    } catch (error) {
      this.fail(error);
    }
  }

  #perform(command: Command): Promise<void> | null {
    switch (command.kind) {
      case 'start':
        return this.#execute(command.assignment, command.endpoint);
      case 'store':
        return this.#store(command.outcomes);
      case 'wake':
        this.#wakeAt(command.atMs);
        return null;
      case 'poll':
        return this.#speaking.say(command.poll);
      case 'forget':
        return this.#deps.outbox.forget(command.refs);
      case 'keep-epoch':
        this.#deps.heartbeat.tellEpoch(command.epoch);
        return this.#deps.outbox.keepEpoch(command.epoch);
      case 'reconnect':
        return this.#reconnect();
      case 'ask':
        return this.#asking.readiness(command.endpoint, command.tries, this.#stopped.signal);
      case 'ask-known-good':
        return this.#asking.knownGood(command.endpoint);
      case 'note-away':
        this.#asking.noteAway(command.detail);
        return null;
      case 'leave':
        return this.#leave(command);
      case 'say':
        this.#deps.heartbeat.say(command.state, command.detail);
        return null;
      case 'stop':
        this.#deps.slots.stop(command.ref);
        return null;
      default:
        return assertNever(command);
    }
  }

  /** A rejection here is a bug or a broken store: the worker ends, and starts again from its outbox. */
  #own(promise: Promise<void> | null): void {
    promise?.catch(this.#onFault);
  }

  #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }
}
