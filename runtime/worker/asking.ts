import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type LogThrottle, NEW_LOG_THROTTLE, onReason } from '../base/log-throttle.ts';
import type { Readiness } from './backends/contract.ts';
import type { KnownGoodEnd } from './commands.ts';
import type { KnownGood } from './known-good.ts';

export interface AskingDeps {
  /** Null where it was stopped meanwhile. */
  readonly ask: (endpoint: number, tries: number, signal: AbortSignal) => Promise<Readiness | null>;
  readonly knownGood: KnownGood;
  readonly clock: Clock;
  readonly log: Log;
}

/** What the answers are told to. */
export interface Told {
  /** `detail` says why the endpoint is not ready, null that it is. */
  readonly onReadiness: (endpoint: number, detail: string | null) => void;
  readonly onKnownGood: (endpoint: number, ended: KnownGoodEnd) => void;
}

/** Finds out for the machine how its endpoints are. */
export class Asking {
  readonly #deps: AskingDeps;
  readonly #told: Told;
  #awayThrottle: LogThrottle = NEW_LOG_THROTTLE;

  constructor(deps: AskingDeps, told: Told) {
    this.#deps = deps;
    this.#told = told;
  }

  async readiness(endpoint: number, tries: number, signal: AbortSignal): Promise<void> {
    const readiness = await this.#deps.ask(endpoint, tries, signal);
    if (readiness !== null) this.#told.onReadiness(endpoint, readiness.kind === 'ready' ? null : readiness.detail);
  }

  async knownGood(endpoint: number): Promise<void> {
    this.#told.onKnownGood(endpoint, await this.#deps.knownGood.ask(endpoint));
  }

  /** Tells the log why an endpoint is away: at once, and then with growing gaps. */
  noteAway(detail: string): void {
    const { throttle, isDue, unlogged } = onReason(this.#awayThrottle, this.#deps.clock.monotonicMs(), detail);
    this.#awayThrottle = throttle;
    if (isDue) this.#deps.log.warn({ detail, unlogged }, 'an endpoint of the backend is not ready');
  }
}
