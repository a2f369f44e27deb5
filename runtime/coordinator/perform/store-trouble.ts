import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { NEW_LOG_THROTTLE, onReason } from '../../base/log-throttle.ts';
import type { ToParent } from '../../base/process/supervised.ts';
import { CallFailed } from '../../ledger/call-failed.ts';
import type { Ledger } from '../../ledger/contract.ts';
import { isSameLease, type SeenLease } from '../../model/lease.ts';

/** A connection that is cut and made again is no matter for a person; what lasts longer is. */
const TELL_AFTER_MS = 2_000;
/** A verb that is wanted is asked again within ten seconds or so (deadline.ts); one that failed so long ago is wanted no more. */
const FORGET_AFTER_MS = 30_000;
/** Verbs that a store which refuses to write does not answer. Every coordinator that leads has sent the first of them. */
const WRITES: readonly string[] = ['acquire', 'commit'];

export interface StoreTroubleOptions {
  /** For people: which store it is. */
  readonly store: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Whoever waits for the run. */
  readonly tell: (message: ToParent) => void;
  /** Why the store cannot be used now; null: it can again. */
  readonly onChange: (why: string | null) => void;
}

/**
 * Listens to every call to the store, and says of those that failed why, to the log and to whoever waits for the run: each cause once, then
 * how often it came. A verb that is refused while others are answered (a full server refuses to write alone) is in trouble until it is
 * answered itself. Whoever waits is told that the store can be used only once a write has been seen: an earlier process may have found that it
 * answers and does not write.
 */
export class StoreTrouble {
  readonly #options: StoreTroubleOptions;
  /** Verbs whose last call failed, and when. */
  readonly #failing = new Map<string, number>();
  #throttle = NEW_LOG_THROTTLE;
  #sinceMs = 0;
  #isTold = false;
  /** A write of this process was answered, or one of another was seen. */
  #hasWritten = false;
  #isToldUsable = false;
  #lease: SeenLease | null = null;

  constructor(options: StoreTroubleOptions) {
    this.#options = options;
  }

  /** The same ledger, listened to. */
  of(ledger: Ledger): Ledger {
    const heard = Object.entries(ledger).map(([name, verb]: [string, Verb]): [string, Verb] => [
      name,
      (...args) => this.hear(name, () => verb(...args)),
    ]);
    const same = Object.fromEntries(heard) as unknown as Ledger;
    return { ...same, readLease: async () => this.#onSeen(await same.readLease()) };
  }

  /** A row that has changed was written by whoever holds the lease: one that waits for it writes nothing itself. */
  #onSeen(seen: SeenLease): SeenLease {
    if (this.#lease !== null && !isSameLease(this.#lease.lease, seen.lease)) this.#hasWritten = true;
    this.#lease = seen;
    this.#tellUsable();
    return seen;
  }

  async hear<T>(verb: string, call: () => Promise<T>): Promise<T> {
    try {
      const answer = await call();
      if (WRITES.includes(verb)) this.#hasWritten = true;
      if (this.#failing.size > 0) this.#onAnswered(verb);
      this.#tellUsable();
      return answer;
    } catch (error) {
      if (error instanceof CallFailed) this.#onFailed(verb, error);
      throw error;
    }
  }

  #onFailed(verb: string, { message: cause }: CallFailed): void {
    const { store, clock, log, tell, onChange } = this.#options;
    const nowMs = clock.monotonicMs();
    if (this.#failing.size === 0) this.#sinceMs = nowMs;
    this.#failing.set(verb, nowMs);
    const { throttle, isDue, unlogged } = onReason(this.#throttle, nowMs, cause);
    this.#throttle = throttle;
    if (isDue) log.warn({ store, verb, cause, unlogged }, 'the store cannot be used now; it is asked again');
    onChange(cause);
    if (nowMs - this.#sinceMs < TELL_AFTER_MS || (this.#isTold && !isDue)) return;
    this.#isTold = true;
    this.#isToldUsable = false;
    tell({ kind: 'waiting', reason: `${store}: ${cause}` });
    tell({ kind: 'store', trouble: `${store}: ${cause}` });
  }

  #onAnswered(verb: string): void {
    const { store, clock, log, tell, onChange } = this.#options;
    const nowMs = clock.monotonicMs();
    for (const [name, failedMs] of this.#failing) if (name === verb || nowMs - failedMs >= FORGET_AFTER_MS) this.#failing.delete(name);
    if (this.#failing.size > 0) return;
    onChange(null);
    log.info({ store, afterMs: Math.round(nowMs - this.#sinceMs) }, 'the store can be used again');
    if (this.#isTold) tell({ kind: 'going-on' });
    this.#isTold = false;
  }

  #tellUsable(): void {
    if (!this.#hasWritten || this.#isToldUsable || this.#failing.size > 0) return;
    this.#isToldUsable = true;
    this.#options.tell({ kind: 'store', trouble: null });
  }
}

type Verb = (...args: readonly unknown[]) => Promise<unknown>;
