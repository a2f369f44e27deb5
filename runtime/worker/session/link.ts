import { fullJitterMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { type LogThrottle, NEW_LOG_THROTTLE, onReason } from '../../base/log-throttle.ts';
import type { Random } from '../../base/random.ts';
import type { PollReply } from '../../model/session.ts';
import type { Answered, WorkerClient } from '../../rpc/client.ts';
import { SESSION_ENDED, type SessionStream } from '../../rpc/session-client.ts';
import { isUnresolved, type Unanswered } from '../../rpc/status.ts';
import { type Addresses, addressesOf, currentAddress, onUnreached } from './addresses.ts';

/** A coordinator that was only slow to accept is met again at once, and one that is gone is not hammered. */
const BACKOFF_BASE_MS = 100;
/** A successor is found within a second of serving, by a thousand workers at different moments. */
const BACKOFF_CAP_MS = 1_000;

/**
 * A connection on which nothing was answered yet outlives so many failures in a row at the same address: an answer that comes late is no
 * reason for another handshake, and a thousand workers that all make one keep a coordinator that has just begun from answering anybody.
 * One that has answered before, and does not any more, may be dead, which nobody else finds out in time: it is left at once.
 */
const PATIENT_FAILURES = 3;

/** A wait for addresses ends when they are told; this bounds only the timer behind it. */
const UNTOLD_WAIT_MS = 60_000;

/** The way to whichever coordinator answers: one at a time, found again with backoff. */
export interface Link {
  /**
   * Calls the present coordinator. `failed`: it did not answer as one should, or none is known, so `move`; `isPassive`: it waits for its
   * turn; `left`: the link had moved meanwhile.
   */
  call<T>(make: (client: WorkerClient, signal: AbortSignal) => Promise<Answered<T>>): Promise<Called<T>>;
  /**
   * Opens a stream to the present coordinator; null where none is known. `onEnd` is its last word; after `move` or `close` nothing
   * comes of it.
   */
  openSession(onReply: (reply: PollReply) => void, onEnd: () => void): SessionStream | null;
  /** Leaves the present coordinator; calls under way end. Resolves when the next one may be tried; where none is known, once one is. */
  move(): Promise<void>;
  replaceAddresses(list: readonly string[]): void;
  /** The coordinator that is called now; null where none is known. */
  address(): string | null;
  /** Whether its host does not exist, as the name servers say, and nobody has been reached since. */
  isHostUnknown(): boolean;
  close(): void;
}

export type Called<T> =
  | { readonly kind: 'reply'; readonly reply: T }
  | { readonly kind: 'failed'; readonly isPassive: boolean }
  | { readonly kind: 'left' };

export interface LinkDeps {
  readonly dial: (address: string) => WorkerClient;
  /** Whether the name servers say that the host of an address does not exist. It never rejects. */
  readonly isHostUnknown: (address: string) => Promise<boolean>;
  readonly addresses: readonly string[];
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** The connection to one address. */
interface Dialled {
  readonly address: string;
  readonly dialled: WorkerClient;
  hasAnswered: boolean;
  failures: number;
}

export function createLink(deps: LinkDeps): Link {
  return new CoordinatorLink(deps);
}

class CoordinatorLink implements Link {
  readonly #deps: LinkDeps;
  readonly #closed = new AbortController();
  /** Aborted when addresses are told. */
  #told = new AbortController();
  #addresses: Addresses;
  #client: Dialled | null = null;
  #calls = new AbortController();
  #failures = 0;
  /** When the present address began to be tried. */
  #movedAtMs: number;
  #throttle: LogThrottle = NEW_LOG_THROTTLE;
  #primary: string | null = null;
  #isHostUnknown = false;
  /** How many answers there were so far. */
  #answers = 0;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
    this.#addresses = addressesOf(deps.addresses);
    this.#movedAtMs = deps.clock.monotonicMs();
  }

  async call<T>(make: (client: WorkerClient, signal: AbortSignal) => Promise<Answered<T>>): Promise<Called<T>> {
    const { signal } = this.#calls;
    const address = currentAddress(this.#addresses);
    if (address === null) return { kind: 'failed', isPassive: false };
    const answer = await make(this.#clientAt(address), signal);
    if (answer.kind === 'reply') {
      this.#onAnswered();
      return answer;
    }
    if (signal.aborted) return { kind: 'left' };
    this.#onUnanswered(address, answer);
    return { kind: 'failed', isPassive: answer.kind === 'not-leader' };
  }

  openSession(onReply: (reply: PollReply) => void, onEnd: () => void): SessionStream | null {
    const { signal } = this.#calls;
    const address = currentAddress(this.#addresses);
    if (address === null) return null;
    const stream = this.#clientAt(address).session({
      onReply: (reply) => {
        this.#onAnswered();
        onReply(reply);
      },
      onEnd: (why) => {
        this.#onUnanswered(address, why);
        onEnd();
      },
    });
    signal.addEventListener('abort', () => stream.close(), { once: true });
    return stream;
  }

  #clientAt(address: string): WorkerClient {
    if (this.#client?.address !== address) this.#hangUp();
    this.#client ??= { address, dialled: this.#deps.dial(address), hasAnswered: false, failures: 0 };
    return this.#client.dialled;
  }

  #onAnswered(): void {
    if (this.#client !== null) this.#client.hasAnswered = true;
    this.#isHostUnknown = false;
    this.#answers += 1;
    this.#failures = 0;
    this.#throttle = NEW_LOG_THROTTLE;
  }

  #onUnanswered(address: string, answer: Unanswered): void {
    this.#primary = answer.kind === 'not-leader' && answer.primaryAddress !== '' ? answer.primaryAddress : null;
    this.#logFailure(address, answer);
    this.#askForHost(address, answer).catch((error: unknown) => this.#deps.log.debug({ error }, 'the host could not be looked up'));
  }

  /** What has been answered meanwhile is later news. */
  async #askForHost(address: string, answer: Unanswered): Promise<void> {
    const answers = this.#answers;
    const isUnknown = isUnresolved(answer) && (await this.#deps.isHostUnknown(address));
    if (this.#answers === answers) this.#isHostUnknown = isUnknown;
  }

  /** A coordinator that is away is tried several times a second, for as long as it takes; that is no reason to fill a log. */
  #logFailure(address: string, answer: Unanswered): void {
    const { clock, log } = this.#deps;
    // What follows the goodbye of a worker, or of a coordinator: nothing to be warned of.
    const isEnded = answer === SESSION_ENDED;
    // Another detail is another reason: one that ends for good says why only once.
    const detail = 'detail' in answer ? answer.detail : '';
    const reason = `${address} ${answer.kind} ${detail}`;
    const { throttle, isDue, unlogged } = onReason(this.#throttle, clock.monotonicMs(), reason);
    this.#throttle = throttle;
    if (!isDue) return;
    if (answer.kind === 'not-leader') log.info({ address, primary: this.#primary, unlogged }, 'this coordinator is passive');
    else if (isEnded) log.info({ address, unlogged }, 'the coordinator has ended the session');
    else log.warn({ address, kind: answer.kind, detail: answer.detail, unlogged }, 'no answer of the coordinator');
  }

  async move(): Promise<void> {
    const { clock, random } = this.#deps;
    const left = this.address();
    this.#endCalls();
    this.#addresses = onUnreached(this.#addresses, this.#primary);
    this.#primary = null;
    if (!this.#isPatient()) this.#hangUp();
    const waitMs = fullJitterMs(this.#failures, BACKOFF_BASE_MS, BACKOFF_CAP_MS, random);
    this.#failures += 1;
    // An address that hung for long has kept the worker from the next one for that time already.
    const triedMs = this.address() === left ? 0 : clock.monotonicMs() - this.#movedAtMs;
    if (triedMs < waitMs) await clock.sleep(waitMs - triedMs, this.#closed.signal);
    this.#movedAtMs = clock.monotonicMs();
    while (currentAddress(this.#addresses) === null && !this.#closed.signal.aborted) {
      await clock.sleep(UNTOLD_WAIT_MS, AbortSignal.any([this.#told.signal, this.#closed.signal]));
    }
  }

  #isPatient(): boolean {
    const client = this.#client;
    if (client === null || client.hasAnswered || client.address !== currentAddress(this.#addresses)) return false;
    client.failures += 1;
    return client.failures < PATIENT_FAILURES;
  }

  replaceAddresses(list: readonly string[]): void {
    this.#addresses = addressesOf(list);
    this.#told.abort();
    this.#told = new AbortController();
  }

  address(): string | null {
    return currentAddress(this.#addresses);
  }

  isHostUnknown(): boolean {
    return this.#isHostUnknown;
  }

  close(): void {
    this.#endCalls();
    this.#hangUp();
    this.#closed.abort();
  }

  #endCalls(): void {
    this.#calls.abort();
    this.#calls = new AbortController();
  }

  #hangUp(): void {
    this.#client?.dialled.close();
    this.#client = null;
  }
}
