import { assert } from '../../runtime/base/assert.ts';
import type { Clock, Timer } from '../../runtime/base/clock.ts';
import { RateLimit, type RateLimits } from './rate-limit.ts';

/** What a person did goes before what a start or a resync shows all at once. */
export type Priority = 'high' | 'low';

export interface QueueObserver {
  onAdd(): void;
  /** A worker takes a key that has waited so long. */
  onTake(waitedMs: number): void;
  onDone(workedMs: number): void;
  onRetry(): void;
}

interface Delayed {
  readonly atMs: number;
  readonly priority: Priority;
  readonly timer: Timer;
}

export interface WorkQueueOptions {
  readonly clock: Clock;
  readonly limits: RateLimits;
  readonly observer: QueueObserver;
}

/**
 * Keys of objects that have to be looked at. A key is in it once, however often it is added, and one worker has it at a time: what is added
 * meanwhile comes again when that worker is done. So no change is overlooked, and nothing is done twice at once.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver;
  readonly #rate: RateLimit;
  /** Keys to be looked at, with the time since when: those that wait, and those that came while a worker had them. */
  readonly #dirty = new Map<string, { readonly sinceMs: number; readonly priority: Priority }>();
  /** The keys of `#dirty` that no worker has, in the order in which they came. */
  readonly #waiting: Readonly<Record<Priority, Set<string>>> = { high: new Set(), low: new Set() };
  readonly #processing = new Map<string, number>();
  readonly #delayed = new Map<string, Delayed>();
  #takers: ((key: string | null) => void)[] = [];
  #onIdle: (() => void)[] = [];
  #isShutDown = false;

  constructor({ clock, limits, observer }: WorkQueueOptions) {
    this.#clock = clock;
    this.#observer = observer;
    this.#rate = new RateLimit(limits);
  }

  /** How many keys wait for a worker. */
  get depth(): number {
    return this.#waiting.high.size + this.#waiting.low.size;
  }

  add(key: string, priority: Priority = 'high'): void {
    if (this.#isShutDown) return;
    const known = this.#dirty.get(key);
    if (known !== undefined && (known.priority === 'high' || priority === 'low')) return;
    if (known === undefined) this.#observer.onAdd();
    this.#dirty.set(key, { sinceMs: known?.sinceMs ?? this.#clock.monotonicMs(), priority });
    if (!this.#processing.has(key)) this.#wait(key, priority);
  }

  /** Of several times for a key the earliest counts. */
  addAfter(key: string, afterMs: number, priority: Priority = 'high'): void {
    if (this.#isShutDown) return;
    if (afterMs <= 0) return this.add(key, priority);
    const atMs = this.#clock.monotonicMs() + afterMs;
    const known = this.#delayed.get(key);
    if (known !== undefined && known.atMs <= atMs) return;
    known?.timer.stop();
    const timer = this.#clock.after(afterMs, () => {
      this.#delayed.delete(key);
      this.add(key, priority);
    });
    this.#delayed.set(key, { atMs, priority, timer });
  }

  /** After a failure; `atLeastMs` is what a server has asked for. */
  addRateLimited(key: string, atLeastMs = 0): void {
    this.#observer.onRetry();
    this.addAfter(key, Math.max(atLeastMs, this.#rate.delayMs(key, this.#clock.monotonicMs())));
  }

  /** The key has succeeded, or is given up. */
  forget(key: string): void {
    this.#rate.forget(key);
  }

  /** How often the key has failed in a row. */
  failures(key: string): number {
    return this.#rate.failures(key);
  }

  /** The next key, once there is one; its taker calls `done`. Null after shutDown. */
  take(): Promise<string | null> {
    if (this.#isShutDown) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      this.#handOut();
    });
  }

  done(key: string): void {
    const takenMs = this.#processing.get(key);
    assert(takenMs !== undefined, 'a key that no worker has is done');
    this.#processing.delete(key);
    this.#observer.onDone(this.#clock.monotonicMs() - takenMs);
    const again = this.#dirty.get(key);
    if (again !== undefined && !this.#isShutDown) this.#wait(key, again.priority);
    if (this.#processing.size === 0) this.#tellIdle();
  }

  /** How long each key that a worker has is being worked on. */
  workingMs(): readonly number[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#processing.values()].map((takenMs) => nowMs - takenMs);
  }

  /** Nothing more is handed out or taken in. What waits is dropped: who comes next looks at everything. */
  shutDown(): void {
    this.#isShutDown = true;
    for (const { timer } of this.#delayed.values()) timer.stop();
    this.#delayed.clear();
    for (const take of this.#takers) take(null);
    this.#takers = [];
  }

  /** Resolves when no worker has a key. */
  idle(): Promise<void> {
    if (this.#processing.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #wait(key: string, priority: Priority): void {
    this.#waiting.low.delete(key);
    this.#waiting[priority].add(key);
    this.#handOut();
  }

  #handOut(): void {
    while (this.#takers.length > 0) {
      const key = first(this.#waiting.high) ?? first(this.#waiting.low);
      if (key === undefined) return;
      this.#takers.shift()?.(this.#taken(key));
    }
  }

  #taken(key: string): string {
    const nowMs = this.#clock.monotonicMs();
    this.#observer.onTake(nowMs - (this.#dirty.get(key)?.sinceMs ?? nowMs));
    this.#dirty.delete(key);
    this.#waiting.high.delete(key);
    this.#waiting.low.delete(key);
    this.#processing.set(key, nowMs);
    return key;
  }

  #tellIdle(): void {
    for (const tell of this.#onIdle) tell();
    this.#onIdle = [];
  }
}

function first(keys: ReadonlySet<string>): string | undefined {
  for (const key of keys) return key;
  return undefined;
}
