import { assertNever } from '../../runtime/base/assert.ts';
import type { Clock } from '../../runtime/base/clock.ts';
import { inTime } from '../../runtime/base/in-time.ts';
import type { Log } from '../../runtime/base/log.ts';
import { isBug, type Outcome, outcomeOfThrow, retryAfterMs } from './outcome.ts';
import type { WorkQueue } from './workqueue.ts';

export interface ReconcileContext {
  /** Has the controller, the key and the number of this call. */
  readonly log: Log;
  /** Aborts at the deadline, and when the controller stops at once. What is under way is ended; nothing new is begun. */
  readonly signal: AbortSignal;
}

/** Makes the world of one key as it should be. It learns which key, and nothing of why: it looks at everything. */
export type Reconcile = (key: string, context: ReconcileContext) => Promise<Outcome>;

export interface ControllerObserver {
  onStart(): void;
  onEnd(outcome: Outcome['kind'], tookMs: number): void;
  /** It threw what is no answer of the API server: a bug. */
  onPanic(): void;
  onTimeout(): void;
}

export interface ControllerOptions {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly reconcile: Reconcile;
  /** How many keys are worked on at a time. */
  readonly workers: number;
  /** Of one call. A call that does not end then keeps its key, since two at a time would be worse. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly observer: ControllerObserver;
}

export class Controller {
  readonly name: string;
  readonly #options: ControllerOptions;
  readonly #calling = new Set<AbortController>();
  #workers: Promise<unknown> | null = null;
  #calls = 0;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
  }

  /** The caches have synced, and this process leads. */
  start(): void {
    this.#workers ??= Promise.all(Array.from({ length: this.#options.workers }, () => this.#work()));
  }

  /** Takes up nothing more, and waits for what is under way; false where that has not ended within `graceMs`. */
  async stop(graceMs: number): Promise<boolean> {
    const { queue, clock } = this.#options;
    queue.shutDown();
    if (this.#workers === null) return true;
    const isDrained = await inTime(clock, graceMs, this.#workers);
    if (!isDrained) this.abort();
    return isDrained;
  }

  /** Takes up nothing more, and asks what is under way to end. */
  abort(): void {
    this.#options.queue.shutDown();
    for (const call of this.#calling) call.abort();
  }

  async #work(): Promise<void> {
    const { queue } = this.#options;
    for (;;) {
      const key = await queue.take();
      if (key === null) return;
      this.#settle(key, await this.#call(key));
      queue.done(key);
    }
  }

  async #call(key: string): Promise<Outcome> {
    const { name, reconcile, clock, observer, deadlineMs } = this.#options;
    this.#calls += 1;
    const log = this.#options.log.child({ controller: name, key, call: this.#calls });
    const over = new AbortController();
    this.#calling.add(over);
    const timer = clock.after(deadlineMs, () => {
      observer.onTimeout();
      log.error({ deadlineMs }, 'a reconcile takes longer than it may');
      over.abort();
    });
    const startedMs = clock.monotonicMs();
    observer.onStart();
    let outcome: Outcome;
    try {
      outcome = await reconcile(key, { log, signal: over.signal });
    } catch (error) {
      outcome = this.#onThrow(error, log);
    } finally {
      timer.stop();
      this.#calling.delete(over);
    }
    observer.onEnd(outcome.kind, clock.monotonicMs() - startedMs);
    this.#say(outcome, log);
    return outcome;
  }

  #onThrow(error: unknown, log: Log): Outcome {
    if (isBug(error)) {
      this.#options.observer.onPanic();
      log.error({ err: error }, 'a reconcile threw');
    }
    return outcomeOfThrow(error);
  }

  #say(outcome: Outcome, log: Log): void {
    if (outcome.kind === 'giveUp') log.error({ err: outcome.error }, 'a key is given up until it changes');
    if (outcome.kind === 'retry') log[outcome.isQuiet === true ? 'debug' : 'warn']({ err: outcome.error }, 'a reconcile is tried again');
  }

  #settle(key: string, outcome: Outcome): void {
    const { queue } = this.#options;
    switch (outcome.kind) {
      case 'done':
      case 'giveUp':
        return queue.forget(key);
      case 'again':
        queue.forget(key);
        return queue.addAfter(key, outcome.afterMs);
      case 'retry':
        return queue.addRateLimited(key, retryAfterMs(outcome.error));
      default:
        return assertNever(outcome);
    }
  }
}
