import { plainRef, refKey } from '../../runtime/model/row.ts';
import type { Assignment, HeldItem, Outcome, Poll, PollReply } from '../../runtime/model/session.ts';
import type { World } from './world.ts';

const CONCURRENCY = 4;

interface Held {
  readonly assignment: Assignment;
  isFinished: boolean;
  outcome: Outcome | null;
}

/** A worker that keeps the protocol (L26, L34, L35), crashes and loses replies by chance. Its finished outcomes survive a crash. */
export class SimWorker {
  readonly #world: World;
  readonly #id: string;
  readonly #held = new Map<string, Held>();
  #boot = 0;
  #session = 0;
  #poll = 0;
  #batch = 0;
  #epoch = 0;
  #isOver = false;

  constructor(world: World, id: string) {
    this.#world = world;
    this.#id = id;
  }

  get nonce(): string {
    return `${this.#id}-${this.#boot}`;
  }

  start(): void {
    this.#boot += 1;
    this.#session = 0;
    for (const [key, held] of this.#held) if (!held.isFinished) this.#held.delete(key);
    const boot = this.#boot;
    this.#beatLoop(boot).catch(this.#world.fail);
    this.#pollLoop(boot).catch(this.#world.fail);
  }

  #isLive(boot: number): boolean {
    return this.#boot === boot && !this.#isOver;
  }

  async #beatLoop(boot: number): Promise<void> {
    const { clock } = this.#world;
    while (this.#isLive(boot)) {
      const beat = {
        workerId: this.#id,
        bootNonce: this.nonce,
        state: 'ready' as const,
        concurrency: CONCURRENCY,
        pid: boot,
        loopLagMs: 0,
        highestEpoch: this.#epoch,
        detail: '',
      };
      await this.#world.loop?.beat(beat).catch(() => undefined);
      await clock.sleep(500);
      if (this.#isLive(boot) && this.#world.chance(this.#world.options.faults.workerCrash)) return this.#crash();
    }
  }

  /** Dies, and comes back after a while: sometimes within the failure timeout, sometimes not. */
  #crash(): void {
    this.#boot += 1;
    this.#world.clock.after(this.#world.random.next() * 9_000, () => this.start());
  }

  async #pollLoop(boot: number): Promise<void> {
    const { clock, random } = this.#world;
    let isHelloDue = true;
    while (this.#isLive(boot)) {
      if (isHelloDue) this.#openSession();
      const reply = await this.#send(isHelloDue);
      if (!this.#isLive(boot)) return;
      isHelloDue = reply?.status === 'hello-needed' || (isHelloDue && reply === null);
      if (reply?.status === 'superseded') return;
      if (reply?.status === 'ok') this.#take(boot, reply);
      if (reply === null || isHelloDue) await clock.sleep(50 + random.next() * 200);
    }
  }

  #openSession(): void {
    this.#session += 1;
    this.#poll = 0;
    this.#batch = 0;
  }

  async #send(isHello: boolean): Promise<PollReply | null> {
    const { clock, random, options } = this.#world;
    await clock.sleep(random.next() * 5);
    const { loop } = this.#world;
    if (loop === null || this.#world.chance(options.faults.reply)) return null;
    this.#poll += 1;
    const reply = await loop.poll(this.#message(isHello), new AbortController().signal).catch(() => null);
    await clock.sleep(random.next() * 5);
    return this.#world.chance(options.faults.reply) ? null : reply;
  }

  #message(isHello: boolean): Poll {
    const held = [...this.#held.values()];
    const unfinished = held.filter((item) => !item.isFinished).length;
    return {
      workerId: this.#id,
      bootNonce: this.nonce,
      session: this.#session,
      poll: this.#poll,
      highestEpoch: this.#epoch,
      hello: isHello
        ? held.map(({ assignment, isFinished }): HeldItem => ({ ...plainRef(assignment), state: isFinished ? 'finished' : 'started' }))
        : null,
      acknowledgedBatch: this.#batch,
      isAwaiting: false,
      capacity: CONCURRENCY - unfinished,
      outcomes: held.flatMap((item) => (item.outcome === null ? [] : [item.outcome])),
      returns: [],
      waitMs: 100,
    };
  }

  #take(boot: number, reply: Extract<PollReply, { status: 'ok' }>): void {
    if (reply.epoch < this.#epoch) return;
    this.#epoch = reply.epoch;
    if (reply.order === 'finished') this.#isOver = true;
    for (const ref of [...reply.acknowledged, ...reply.stale]) {
      if (this.#held.get(refKey(ref))?.isFinished === true) this.#held.delete(refKey(ref));
    }
    for (const ref of reply.revoked) if (this.#held.get(refKey(ref))?.isFinished === false) this.#held.delete(refKey(ref));
    if (reply.batch > 0) this.#batch = reply.batch;
    for (const assignment of reply.assignments) this.#begin(boot, assignment);
    if (this.#isOver)
      void this.#world.loop?.deregister({ workerId: this.#id, bootNonce: this.nonce, isClean: true }).catch(() => undefined);
  }

  #begin(boot: number, assignment: Assignment): void {
    const key = refKey(assignment);
    if (this.#held.has(key)) return;
    const held: Held = { assignment, isFinished: false, outcome: null };
    this.#held.set(key, held);
    const { executions, clock, random } = this.#world;
    executions.set(assignment.index, (executions.get(assignment.index) ?? 0) + 1);
    clock.after(random.next() * 800, () => {
      if (!this.#isLive(boot) || this.#held.get(key) !== held) return;
      held.isFinished = true;
      held.outcome = this.#outcome(assignment);
    });
  }

  #outcome(assignment: Assignment): Outcome {
    const isFailure = this.#world.chance(this.#world.options.faults.failure);
    const { index, attempt } = assignment;
    return {
      ...plainRef(assignment),
      kind: isFailure ? 'error' : 'result',
      line: Buffer.from(`${index} by ${this.#id} in attempt ${attempt}`),
      httpStatus: isFailure ? 500 : 200,
      code: isFailure ? 'http_500' : '',
      isRetryable: isFailure,
      delayMs: isFailure ? 200 : 0,
    };
  }
}
