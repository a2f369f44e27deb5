import { type ItemRef, refKey, type WorkerId } from '../../runtime/model/row.ts';
import type { BeatReply, Poll, PollReply } from '../../runtime/model/session.ts';
import type { Timing } from '../../runtime/model/timing.ts';
import type { Answered } from '../../runtime/rpc/client.ts';
import type { Checking } from './checking.ts';
import type { SimProcess } from './sim-process.ts';

/** What one start of a worker has heard and said. */
export interface Seen {
  readonly worker: WorkerId;
  readonly process: SimProcess;
  /** What its main loop has heard of, and what the thread that beats has: while the loop is blocked they differ. */
  highestEpoch: number;
  beatEpoch: number;
  validMs: number;
  hasLeft: boolean;
  beatsUnderWay: number;
  /** Beats that asked for no answer, and how many of them have arrived: an answer to a later one, or the end of their stream, tells it. */
  beatsTold: number;
  beatsArrived: number;
  readonly assigned: Set<string>;
  readonly mayForget: Set<string>;
  readonly returned: Set<string>;
  /** Revoked by a deposed coordinator, which nobody is to believe, and when. */
  readonly wronglyRevoked: Map<string, number>;
}

/** The worker's rules (L32 to L36), seen at its edges: what it says, what it executes, what it forgets. */
export class WorkerChecker {
  readonly executions: Map<number, string[]> = new Map();
  readonly #checking: Checking;
  readonly #timing: Timing;
  /** Who executed an attempt last, and whether it was told to stop. */
  readonly #executed = new Map<string, { readonly seen: Seen; isStopped: boolean }>();
  readonly #moved = new Set<string>();

  constructor(checking: Checking, timing: Timing) {
    this.#checking = checking;
    this.#timing = timing;
  }

  /** Whether this attempt was started, and not let go of since (L28). */
  wasExecuted(index: number, attempt: number): boolean {
    return this.#executed.get(`${index}/${attempt}`)?.isStopped === false;
  }

  boot(worker: WorkerId, process: SimProcess): Seen {
    return {
      worker,
      process,
      highestEpoch: 0,
      beatEpoch: 0,
      validMs: process.monotonicMs(),
      hasLeft: false,
      beatsUnderWay: 0,
      beatsTold: 0,
      beatsArrived: 0,
      assigned: new Set(),
      mayForget: new Set(),
      returned: new Set(),
      wronglyRevoked: new Map(),
    };
  }

  /** Its store is open; only now does it speak. */
  onOpened(seen: Seen, highestEpoch: number): void {
    seen.highestEpoch = highestEpoch;
    seen.validMs = seen.process.monotonicMs();
  }

  /** The thread that beats has heard it; its main loop hears it as soon as it can. */
  onBeatReply(seen: Seen, { epoch }: { readonly epoch: number }): void {
    if (epoch < Math.max(seen.beatEpoch, seen.highestEpoch)) return this.#checking.count('word of a deposed coordinator');
    seen.beatEpoch = epoch;
    seen.validMs = seen.process.monotonicMs();
  }

  onBeatHeard(seen: Seen, { epoch }: { readonly epoch: number }): void {
    seen.highestEpoch = Math.max(seen.highestEpoch, epoch);
  }

  /** The main loop has heard it. */
  onReply(seen: Seen, reply: { readonly epoch: number } | PollReply): void {
    if (reply.epoch < seen.highestEpoch) return this.#onDeposed(seen, reply);
    seen.highestEpoch = reply.epoch;
    seen.validMs = seen.process.monotonicMs();
    if (!('status' in reply) || reply.status !== 'ok') return;
    for (const ref of [...reply.acknowledged, ...reply.stale]) seen.mayForget.add(refKey(ref));
    for (const ref of reply.assignments) seen.assigned.add(refKey(ref));
  }

  #onDeposed(seen: Seen, reply: { readonly epoch: number } | PollReply): void {
    this.#checking.count('word of a deposed coordinator');
    if (!('status' in reply) || reply.status !== 'ok') return;
    for (const ref of reply.revoked) seen.wronglyRevoked.set(refKey(ref), this.#checking.nowMs());
  }

  onBeatSent(seen: Seen, state: string): void {
    this.#checking.trace.note('beat', `${seen.process.name} ${state}`);
    this.#checking.hold('L36', !seen.hasLeft, `${seen.worker} beats after its deregistration`);
    seen.beatsUnderWay += 1;
  }

  /** `toldBefore`: how many had asked for none when it was sent. */
  onBeatEnded(seen: Seen, answer: Answered<BeatReply | null>, toldBefore: number): void {
    seen.beatsUnderWay -= 1;
    if (answer.kind !== 'reply') seen.beatsArrived = seen.beatsTold;
    else if (answer.reply === null) seen.beatsTold += 1;
    else seen.beatsArrived = Math.max(seen.beatsArrived, toldBefore);
  }

  onFarewell(seen: Seen): void {
    seen.hasLeft = true;
    const isLast = seen.beatsUnderWay === 0 && seen.beatsArrived === seen.beatsTold;
    this.#checking.hold('L36', isLast, `${seen.worker} deregisters while a beat is under way, which could register it again`);
  }

  onPollSent(seen: Seen, poll: Poll, isDurable: (ref: ItemRef) => boolean): void {
    this.#checking.hold('L36', !seen.hasLeft, `${seen.worker} polls after its deregistration`);
    for (const outcome of poll.outcomes) {
      const key = refKey(outcome);
      this.#checking.hold('L34', isDurable(outcome), `${seen.worker} sent its outcome of ${key} before it was durable`);
      this.#checking.hold('L36', !seen.returned.has(key), `${seen.worker} sent an outcome of ${key}, which it had handed back`);
    }
    for (const ref of poll.returns) seen.returned.add(refKey(ref));
  }

  onForgotten(seen: Seen, refs: readonly ItemRef[]): void {
    for (const ref of refs) {
      const isAllowed = seen.mayForget.has(refKey(ref));
      this.#checking.hold('L34', isAllowed, `${seen.worker} forgot ${refKey(ref)}, which no valid reply had named`);
    }
  }

  onExecuted(seen: Seen, ref: { readonly index: number; readonly attempt: number }): void {
    const key = `${ref.index}/${ref.attempt}`;
    this.#checking.trace.note('executed', `${seen.worker} ${key}`);
    const before = this.#executed.get(key);
    // What was revoked while its hand-back was under way may come again, where that hand-back came to nothing (L28).
    const isNew = before === undefined || (before.seen === seen && before.isStopped);
    this.#checking.hold('L35', isNew, `${key} was executed by ${before?.seen.process.name ?? ''}, and again by ${seen.process.name}`);
    this.#checking.hold('W1', seen.assigned.has(key), `${seen.worker} executes ${key}, which no valid reply had assigned`);
    this.#checking.hold('L32', !this.#moved.has(key), `${seen.worker} executes ${key}, which was stolen from it`);
    this.#executed.set(key, { seen, isStopped: false });
    this.executions.set(ref.index, [...(this.executions.get(ref.index) ?? []), `${seen.worker}/${ref.attempt}`]);
    this.#checkTouch(seen, key);
  }

  /** Its execution was let go of. */
  onStopped({ index, attempt }: { readonly index: number; readonly attempt: number }): void {
    const execution = this.#executed.get(`${index}/${attempt}`);
    if (execution === undefined) return;
    execution.isStopped = true;
    const isObeyed = execution.seen.wronglyRevoked.get(`${index}/${attempt}`) === this.#checking.nowMs();
    this.#checking.hold('W1', !isObeyed, `${execution.seen.worker} let ${index}/${attempt} go at the word of a deposed coordinator`);
  }

  /** W2: after so long without a valid reply nothing starts, by the worker's own monotonic clock; nor where it was held up itself. */
  #checkTouch({ process, validMs, worker }: Seen, key: string): void {
    const silentMs = process.monotonicMs() - validMs;
    const mostMs = this.#timing.workerSelfFenceTimeoutMs + 2 * this.#timing.heartbeatIntervalMs;
    this.#checking.hold('W2', silentMs <= mostMs, `${worker} started ${key} after ${silentMs} ms without a word`);
  }

  /** L32: a started item is never stolen. */
  onMoved(ref: ItemRef, from: WorkerId): void {
    const key = refKey(ref);
    this.#checking.hold('L32', this.#executed.get(key)?.isStopped !== false, `${key} was stolen from ${from}, which had started it`);
    this.#moved.add(key);
  }
}
