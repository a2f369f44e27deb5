import type { Clock, Timer } from '../../runtime/base/clock.ts';
import { everyBy, sleepBy } from '../support/manual-clock.ts';
import type { EventQueue } from './event-queue.ts';

/** A clock may run ahead of what a timer was set for by rounding alone. */
const ROUNDING_MS = 1e-6;
/** A date of our days, where the wall clocks of all processes begin. */
const EPOCH_MS = 1_700_000_000_000;

export interface ClockTerms {
  /** Milliseconds of this clock in one of the world's. */
  readonly rate: number;
  readonly offsetMs: number;
  /** How wrong its wall clock is at first; it steps besides. */
  readonly wallOffsetMs: number;
}

/** What runs one thing at a time, and can be held up: a thread. */
class Lane {
  isHeld = false;
  readonly #queue: EventQueue;
  #late: (() => void)[] = [];

  constructor(queue: EventQueue) {
    this.#queue = queue;
  }

  whenOn(run: () => void): void {
    if (this.isHeld || this.#late.length > 0) this.#late.push(run);
    else run();
  }

  /** What has come meanwhile has its turn first, one after the other, each with all that follows from it at once. */
  release(): void {
    this.isHeld = false;
    if (this.#late.length > 0) this.#queue.after(0, () => this.#catchUp());
  }

  forget(): void {
    this.#late = [];
  }

  #catchUp(): void {
    if (this.isHeld) return;
    this.#late.shift()?.();
    if (this.#late.length > 0) this.#queue.after(0, () => this.#catchUp());
  }
}

/**
 * A process of the simulation, with a clock of its own. Killed, it does nothing any more. Stopped, it goes on later and finds the time
 * passed; suspended with its machine, it goes on later and its monotonic clock has not noticed.
 */
export class SimProcess {
  readonly pid: number;
  readonly name: string;
  readonly clock: Clock;
  /** Of the thread that beats: it goes on while the main one is blocked. */
  readonly heartbeatClock: Clock;
  isDead = false;
  /** When it was held up last; undefined: never. */
  lastHeldMs: number | undefined;
  readonly #queue: EventQueue;
  readonly #rate: number;
  readonly #main: Lane;
  readonly #heartbeat: Lane;
  readonly #onDeath = new Set<() => void>();
  #zeroMs: number;
  #wallOffsetMs: number;
  #suspendedAtMs: number | null = null;

  constructor(queue: EventQueue, pid: number, name: string, { rate, offsetMs, wallOffsetMs }: ClockTerms) {
    this.#queue = queue;
    this.pid = pid;
    this.name = name;
    this.#rate = rate;
    this.#wallOffsetMs = EPOCH_MS + wallOffsetMs;
    this.#main = new Lane(queue);
    this.#heartbeat = new Lane(queue);
    this.#zeroMs = offsetMs - queue.nowMs * rate;
    this.clock = this.#clockOf(this.#main);
    this.heartbeatClock = this.#clockOf(this.#heartbeat);
  }

  get isHeld(): boolean {
    return this.#main.isHeld;
  }

  monotonicMs(): number {
    return this.#zeroMs + (this.#suspendedAtMs ?? this.#queue.nowMs) * this.#rate;
  }

  /** Whatever comes to the process from outside waits here while it is stopped, and for ever once it is dead. */
  whenOn(run: () => void): void {
    this.#whenOn(this.#main, run);
  }

  heartbeatWhenOn(run: () => void): void {
    this.#whenOn(this.#heartbeat, run);
  }

  /** Stops listening with the answered function. */
  onDeath(run: () => void): () => void {
    this.#onDeath.add(run);
    return () => void this.#onDeath.delete(run);
  }

  kill(): void {
    if (this.isDead) return;
    this.isDead = true;
    this.#main.forget();
    this.#heartbeat.forget();
    for (const run of [...this.#onDeath]) run();
    this.#onDeath.clear();
  }

  /** `blocked`: the main thread alone is held up. */
  hold(kind: 'stopped' | 'suspended' | 'blocked'): void {
    this.lastHeldMs = this.#queue.nowMs;
    this.#main.isHeld = true;
    if (kind !== 'blocked') this.#heartbeat.isHeld = true;
    if (kind === 'suspended') this.#suspendedAtMs ??= this.#queue.nowMs;
  }

  release(): void {
    this.lastHeldMs = this.#queue.nowMs;
    if (this.#suspendedAtMs !== null) this.#zeroMs -= (this.#queue.nowMs - this.#suspendedAtMs) * this.#rate;
    this.#suspendedAtMs = null;
    this.#heartbeat.release();
    this.#main.release();
  }

  stepWallClock(ms: number): void {
    this.#wallOffsetMs += ms;
  }

  #whenOn(lane: Lane, run: () => void): void {
    if (this.isDead) return;
    lane.whenOn(() => {
      if (!this.isDead) run();
    });
  }

  #clockOf(lane: Lane): Clock {
    const after = (ms: number, run: () => void): Timer => this.#after(lane, ms, run);
    return {
      monotonicMs: () => this.monotonicMs(),
      wallMs: () => this.#wallOffsetMs + this.monotonicMs(),
      after,
      sleep: (ms, signal) => sleepBy(after, ms, signal),
      every: (ms, run) => everyBy(after, ms, run),
    };
  }

  /** Not before its time on this process's clock, which may have stood still. */
  #after(lane: Lane, ms: number, run: () => void): Timer {
    const dueMs = this.monotonicMs() + ms;
    let isStopped = false;
    const wait = (): Timer =>
      this.#queue.after((dueMs - this.monotonicMs()) / this.#rate, () =>
        this.#whenOn(lane, () => {
          if (isStopped) return;
          if (this.monotonicMs() < dueMs - ROUNDING_MS) timer = wait();
          else run();
        }),
      );
    let timer = wait();
    return {
      stop: () => {
        isStopped = true;
        timer.stop();
      },
    };
  }
}
