import type { Random } from '../../runtime/base/random.ts';
import type { CommitRequest, Ledger } from '../../runtime/ledger/contract.ts';
import { answered, CALL_LIMIT_MS, withDeadlines } from '../../runtime/ledger/deadline.ts';
import type { Argument } from '../../runtime/ledger/redis/scripts.ts';
import type { InlineSession } from '../../runtime/results/inline/segments.ts';
import { InjectedFault } from '../support/faulty-ledger.ts';
import { checkMarks } from './mark-checker.ts';
import type { SimProcess } from './sim-process.ts';
import { between } from './swarm.ts';
import type { World } from './world.ts';

/** The answer of any verb, as far as the store has to know it. */
type Answer = { readonly kind?: string } | null;
type Verb = (...args: readonly unknown[]) => Promise<Answer>;

/** How long a call of unknown fate may still be on its way. */
const LATEST_MS = 6_000;
const SLOWEST_MS = 3_000;
/** A read that every candidate makes many times a second, and that decides nothing by itself. */
const WATCHING = 'readLease';

/**
 * The store as one coordinator process reaches it: calls travel there and back, in the order in which they were made, and are carried
 * out even where the caller has been stopped or has just died.
 */
/** What the ledger writer says: only while the lease is fresh. */
const FOR_HOLDERS: ReadonlySet<string> = new Set([
  'commit',
  'reassign',
  'restore',
  'second',
  'look',
  'register',
  'forget',
  'pause',
  'finish',
]);

/** The ledger, and the scripts that keep results beside it, by one connection. */
export interface SimStore {
  readonly ledger: Ledger;
  readonly session: InlineSession;
}

export function connectStore(world: World, process: SimProcess, cutUntilMs: () => number): SimStore {
  const connection = new Connection(world, process, cutUntilMs);
  const reached = new Proxy(world.ledger, {
    get:
      (_, verb: string) =>
      (...args: readonly unknown[]) =>
        connection.call(verb, args),
  });
  const script = <T>(name: string, args: readonly unknown[]): Promise<T> =>
    answered(process.clock, CALL_LIMIT_MS, name, connection.call(`${SCRIPT}${name}`, args) as Promise<T>);
  return {
    ledger: checkMarks(world, process, withDeadlines(reached, process.clock)),
    session: { under: (epoch, name, args) => script(name, [epoch, ...args]), runBytes: (name, args) => script(name, args) },
  };
}

/** Before the names of scripts, which are no verbs of the ledger. */
const SCRIPT = 'script ';

class Connection {
  readonly #world: World;
  readonly #process: SimProcess;
  readonly #random: Random;
  readonly #cutUntilMs: () => number;
  #lastArrivalMs = 0;

  constructor(world: World, process: SimProcess, cutUntilMs: () => number) {
    this.#world = world;
    this.#process = process;
    this.#cutUntilMs = cutUntilMs;
    this.#random = world.stream(`store of ${process.name}`);
  }

  call(verb: string, args: readonly unknown[]): Promise<Answer> {
    const askedMs = this.#process.monotonicMs();
    if (FOR_HOLDERS.has(verb)) this.#world.checkers.ledger.lease.onWord(verb, this.#process);
    if (verb === 'commit') this.#world.checkers.failure.onHandBack(this.#process, (args[1] as CommitRequest).handBacks);
    return new Promise((resolve, reject) => {
      const heard = (answer: Answer): void => {
        if (answer?.kind === 'won' || answer?.kind === 'renewed') this.#world.checkers.ledger.lease.onHeld(this.#process, askedMs);
        if (answer?.kind === 'committed') this.#world.checkers.hello.onHandedBack(this.#process, (args[1] as CommitRequest).handBacks);
        resolve(answer);
      };
      const fail = (what: string) => (): void => this.#deliver(() => reject(new InjectedFault(`${verb}: ${what}`)));
      const { faults, queue } = this.#world;
      const awayUntilMs = Math.max(this.#world.storeAwayUntilMs, this.#cutUntilMs());
      if (queue.nowMs < awayUntilMs) return void queue.after(this.#travelMs() * 20, fail('the store is away'));
      if (verb !== WATCHING && faults.strikes('store-failed-before')) return void queue.after(this.#travelMs(), fail('not done'));
      if (verb !== WATCHING && faults.strikes('store-silent')) return;
      if (verb !== WATCHING && faults.strikes('store-failed-late')) {
        queue.after(this.#random.next() * LATEST_MS, () => this.#carryOut(verb, args, null, reject));
        return void queue.after(this.#travelMs(), fail('nobody knows'));
      }
      queue.after(this.#arrivalMs(verb) - queue.nowMs, () => {
        // Of a process that died meanwhile, what was on its way may have been sent or not.
        if (this.#process.isDead && this.#random.next() < 0.5) return;
        this.#carryOut(verb, args, heard, reject);
      });
      // The same request once more, after its caller has heard the answer and gone on.
      if (verb !== WATCHING && faults.strikes('store-twice')) {
        const laterMs = this.#lastArrivalMs - queue.nowMs + this.#random.next() * LATEST_MS;
        queue.after(laterMs, () => this.#carryOut(verb, args, null, reject));
      }
    });
  }

  #carryOut(verb: string, args: readonly unknown[], resolve: ((answer: Answer) => void) | null, reject: (cause: Error) => void): void {
    this.#run(verb, args).then(
      (answer) => {
        if (!verb.startsWith(SCRIPT)) this.#world.checkers.ledger.observe(verb, args, answer, this.#process);
        if (resolve === null) return;
        const isLost = verb !== WATCHING && this.#world.faults.strikes('store-failed-after');
        this.#world.queue.after(this.#travelMs(), () =>
          this.#deliver(() => {
            if (isLost) return reject(new InjectedFault(`${verb}: done, the reply was lost`));
            if (answer?.kind === 'fenced') this.#world.checkers.talk.onFenced(this.#process);
            resolve(answer);
          }),
        );
      },
      (cause: unknown) => this.#world.fail(cause),
    );
  }

  #run(verb: string, args: readonly unknown[]): Promise<Answer> {
    const { ledger, inline } = this.#world;
    if (verb.startsWith(SCRIPT))
      return inline.carryOut(verb.slice(SCRIPT.length), args as readonly Argument[], this.#process) as Promise<Answer>;
    return ((ledger as unknown as Readonly<Record<string, Verb>>)[verb] as Verb)(...args);
  }

  #deliver(run: () => void): void {
    this.#process.whenOn(run);
  }

  #arrivalMs(verb: string): number {
    const isSlow = verb !== WATCHING && this.#world.faults.strikes('store-slow');
    const travelMs = this.#travelMs() + (isSlow ? this.#random.next() * SLOWEST_MS : 0);
    this.#lastArrivalMs = Math.max(this.#lastArrivalMs, this.#world.queue.nowMs + travelMs);
    return this.#lastArrivalMs;
  }

  #travelMs(): number {
    return between(this.#random, 0.1, 1) * this.#world.plan.travelMs;
  }
}
