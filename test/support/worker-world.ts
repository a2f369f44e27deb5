import { type ItemRef, refKey } from '../../runtime/model/row.ts';
import type { Outcome, Poll, Transport } from '../../runtime/model/session.ts';
import { checkState } from '../../runtime/worker/check-state.ts';
import type { Command } from '../../runtime/worker/commands.ts';
import {
  onBeat,
  onConnected,
  onDrain,
  onHint,
  onPollFailed,
  onReply,
  onSessionEnded,
  onStored,
  onTick,
  onWritten,
} from '../../runtime/worker/machine.ts';
import type { State } from '../../runtime/worker/state.ts';
import { answerAsked } from './answer-asked.ts';
import { onOneEnded } from './one-ended.ts';
import { assignment, greeting, type OkReply, ok, outcome, ref, type STEPS, someEnding, someHint, someOrder } from './worker-state.ts';

/** The world around one worker's machine, which notes what leaves it and knows nothing of its state. */
export class World {
  readonly #state: State;
  #nowMs = 0;
  #epoch = 0;
  #batch = 0;
  #session = 0;
  readonly #attempts = new Map<number, number>();
  readonly #inFlight: { session: number; poll: number }[] = [];
  readonly #executing = new Map<string, { index: number; attempt: number; isStopped: boolean }>();
  readonly #storing = new Map<string, { index: number; attempt: number }>();
  readonly #durable = new Map<string, { index: number; attempt: number }>();
  readonly #started = new Set<string>();
  readonly #handedBack = new Set<string>();
  readonly #stopped = new Set<string>();
  readonly #closed = new Set<string>();
  readonly #asked = new Map<number, Command['kind']>();
  #isGone = false;

  constructor(transport: Transport) {
    const { state, commands } = greeting(
      { transport, concurrency: 3, prefetch: 2, drainTimeoutMs: 1_000, endpoints: ['http://one:1', 'http://two:2'] },
      [outcome(900)],
    );
    this.#state = state;
    this.#durable.set('900/1', { index: 900, attempt: 1 });
    this.#see(commands);
    // Answered in the greeting.
    this.#asked.delete(0);
  }

  take(step: (typeof STEPS)[number], pick: number): void {
    this.#nowMs += pick % 50;
    const before = this.#isGone;
    const commands = this.#fact(step, pick);
    if (before && commands.length > 0) throw new Error('a worker that has left does something');
    this.#see(commands);
    checkState(this.#state);
  }

  #fact(step: (typeof STEPS)[number], pick: number): readonly Command[] {
    const [state, nowMs] = [this.#state, this.#nowMs];
    switch (step) {
      case 'hello-needed':
      case 'fail':
      case 'written':
        return this.#onWire(step, pick);
      case 'assign':
        return this.#reply(pick, {
          batch: ++this.#batch,
          assignments: [this.#nextAssignment(pick), this.#nextAssignment(pick * 7)],
          epoch: this.#epoch,
        });
      case 'reply':
        return this.#reply(pick, {
          epoch: this.#epoch,
          acknowledged: this.#some(pick),
          stale: pick % 5 === 0 ? this.#some(pick + 1) : [],
          order: pick % 97 === 0 ? 'finished' : someOrder(pick),
        });
      case 'stale-reply':
        return this.#reply(pick, { epoch: Math.max(0, this.#epoch - 1), acknowledged: this.#some(pick) });
      case 'connect':
        return onConnected(state, nowMs);
      case 'beat':
        return onBeat(state, nowMs, { epoch: this.#epoch, isSuperseded: false, receivedMs: nowMs });
      case 'new-epoch':
        this.#epoch += 1;
        return onBeat(state, nowMs, { epoch: this.#epoch, isSuperseded: false, receivedMs: nowMs });
      case 'end':
      case 'back':
      case 'fail-item':
        return this.#end(step, pick);
      case 'store': {
        const refs = [...this.#storing.values()];
        if (refs.length === 0) return [];
        this.#storing.clear();
        for (const one of refs) this.#durable.set(refKey(ref(one.index, one.attempt)), one);
        return onStored(
          state,
          nowMs,
          refs.map((one) => ref(one.index, one.attempt)),
        );
      }
      case 'tick':
        return onTick(state, nowMs);
      case 'late':
        this.#nowMs += 5_000;
        return onTick(state, this.#nowMs);
      case 'drain':
        return pick % 9 === 0 ? onDrain(state, nowMs) : onHint(state, nowMs, someHint(pick));
      case 'ready':
      case 'not-ready':
        return this.#answerReadiness(step === 'ready');
    }
  }

  #onWire(step: 'hello-needed' | 'fail' | 'written', pick: number): readonly Command[] {
    const [state, nowMs] = [this.#state, this.#nowMs];
    if (step === 'written') {
      const left = this.#isStream() ? this.#inFlight.shift() : undefined;
      return left === undefined ? [] : onWritten(state, nowMs, left);
    }
    const id = this.#answered(pick);
    if (id === undefined) return [];
    if (step === 'hello-needed') return onReply(state, nowMs, id, { status: 'hello-needed', epoch: this.#epoch });
    return this.#isStream() ? onSessionEnded(state, nowMs, id.session) : onPollFailed(state, nowMs, id);
  }

  /** The poll that is answered; on a stream, the session in which something comes, now and then an older one. */
  #answered(pick: number): { session: number; poll: number } | undefined {
    if (!this.#isStream()) return this.#inFlight.shift();
    return { session: pick % 11 === 0 ? Math.max(1, this.#session - 1) : this.#session, poll: 0 };
  }

  #isStream(): boolean {
    return this.#state.settings.transport === 'stream';
  }

  #nextAssignment(pick: number): ReturnType<typeof assignment> {
    const index = pick % 8;
    const last = this.#attempts.get(index) ?? 0;
    // Now and then one that was assigned before; never one whose end the coordinator knows (L9, L27).
    const isRepeated = pick % 3 === 0 && last > 0 && !this.#closed.has(refKey(ref(index, last)));
    const attempt = isRepeated ? last : last + 1;
    this.#attempts.set(index, attempt);
    return assignment(index, attempt);
  }

  #answerReadiness(isReady: boolean): readonly Command[] {
    const [[endpoint, how] = []] = this.#asked;
    if (endpoint === undefined) return [];
    this.#asked.delete(endpoint);
    return answerAsked(this.#state, this.#nowMs, endpoint, how, isReady);
  }

  #end(step: 'end' | 'back' | 'fail-item', pick: number): readonly Command[] {
    const list = [...this.#executing];
    const entry = list[pick % Math.max(1, list.length)];
    if (entry === undefined) return [];
    const [key, { index, attempt }] = entry;
    this.#executing.delete(key);
    return onOneEnded(this.#state, this.#nowMs, ref(index, attempt), someEnding(step, pick, index, attempt));
  }

  #reply(pick: number, content: Partial<OkReply>): readonly Command[] {
    const id = this.#answered(pick);
    if (id === undefined) return [];
    const isValid = id.session === this.#session && (content.epoch ?? 0) >= this.#epoch;
    const named = [...(content.acknowledged ?? []), ...(content.stale ?? [])].map(refKey);
    for (const key of named) this.#closed.add(key);
    const commands = onReply(this.#state, this.#nowMs, id, ok(content));
    for (const command of commands) if (command.kind === 'forget') this.#seeForget(command.refs, isValid ? new Set(named) : new Set());
    return commands;
  }

  /** L34: only pairs that this reply names, only durable ones, never by a deposed coordinator. */
  #seeForget(refs: readonly ItemRef[], named: ReadonlySet<string>): void {
    for (const key of refs.map(refKey)) {
      must(named.has(key) && this.#durable.has(key), `L34: ${key} was forgotten`);
      this.#durable.delete(key);
    }
  }

  #some(pick: number): ReturnType<typeof ref>[] {
    const known = [...this.#durable.values(), ...this.#storing.values(), { index: pick % 8, attempt: 1 + (pick % 3) }];
    return known.filter((_, n) => (n + pick) % 2 === 0).map((one) => ref(one.index, one.attempt));
  }

  #see(commands: readonly Command[]): void {
    for (const command of commands) this.#seeOne(command);
  }

  #seeOne(command: Command): void {
    if (command.kind === 'start') this.#seeStart(command.assignment);
    if ('endpoint' in command && command.kind !== 'start') this.#seeAsk(command.endpoint, command.kind);
    if (command.kind === 'stop') this.#seeStop(command.ref);
    if (command.kind === 'store') for (const outcome of command.outcomes) this.#seeStore(outcome);
    if (command.kind === 'poll') this.#seePoll(command.poll);
    if (command.kind === 'leave') this.#isGone = true;
  }

  #seeStart(one: ItemRef): void {
    const key = refKey(one);
    must(!this.#started.has(key), `L35: ${key} was started twice`);
    must(!this.#handedBack.has(key), `L36: ${key} was started after it was handed back`);
    must(!this.#state.isFenced, 'L36: started while fenced');
    must(this.#executing.size < 3, 'more than the concurrency');
    const isBesideLower = [...this.#executing.values()].some(
      (other) => other.index === one.index && !other.isStopped && other.attempt < one.attempt,
    );
    must(!isBesideLower, `L35: ${key} beside a lower attempt`);
    this.#started.add(key);
    this.#executing.set(key, { index: one.index, attempt: one.attempt, isStopped: false });
  }

  #seeAsk(endpoint: number, how: Command['kind']): void {
    must(this.#asked.size === this.#asked.set(endpoint, how).size - 1, 'an endpoint is asked once at a time');
  }

  #seeStop(one: ItemRef): void {
    const running = this.#executing.get(refKey(one));
    if (running === undefined) throw new Error(`stopped what does not run: ${refKey(one)}`);
    running.isStopped = true;
    this.#stopped.add(refKey(one));
  }

  #seeStore(one: Outcome): void {
    const key = refKey(one);
    must(!this.#handedBack.has(key) && !this.#stopped.has(key), `L36: ${key} has an outcome after it was handed back`);
    this.#storing.set(key, one);
  }

  #seePoll(poll: Poll): void {
    this.#session = poll.session;
    this.#inFlight.push({ session: poll.session, poll: poll.poll });
    must((poll.hello !== null) === (poll.poll === 1), 'L26: a hello opens each session, and only that');
    for (const one of poll.outcomes) {
      must(this.#durable.has(refKey(one)), `L34: ${refKey(one)} was sent before it was durable`);
      must(!this.#handedBack.has(refKey(one)), `L36: ${refKey(one)} was sent after it was handed back`);
    }
    for (const one of poll.returns) this.#handedBack.add(refKey(one));
  }
}

function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(rule);
}
