import type { Clock } from '../../runtime/base/clock.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { Random } from '../../runtime/base/random.ts';
import { apiErrorOfStatus } from './api-error.ts';
import type { ListWatch, WatchEvent } from './list-watch.ts';
import type { KubeObject } from './object.ts';
import { type Action, failureOf, nextStep, type Observation, onEvent, reasonOf, type Trouble, type WatchState } from './watch-action.ts';

export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What a reflector tells the cache that it keeps up to date. Neither call may throw. */
export interface Sink {
  /** Gets each object of a list, as it comes; `onListed` follows where the list came to its end. */
  onObject(object: KubeObject): void;
  onListed(isWhole: boolean): void;
  onEvent(type: EventType, object: KubeObject): void;
}

export interface ReflectorObserver {
  /** It lists. */
  onList(): void;
  /** It watches again, or lists again, for this reason. */
  onRestart(reason: string): void;
  /** An event of an unknown type, or about something that is not of this kind. */
  onSkipped(): void;
}

export interface ReflectorOptions {
  /** The `kind` of the objects; others are skipped. */
  readonly kind: string;
  readonly source: ListWatch;
  readonly sink: Sink;
  readonly start: WatchState;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly observer: ReflectorObserver;
}

/** Keeps a cache equal to what the API server has of one kind: by a list, and then by watches. It goes on until it is stopped. */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #stopped = new AbortController();
  #state: WatchState;
  #running: Promise<void> | null = null;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#state = options.start;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    await this.#running;
  }

  /** Why the cache may be behind; null where nothing is known that would not pass by itself. */
  trouble(): Trouble | null {
    return this.#state.trouble;
  }

  async #run(): Promise<void> {
    const { clock } = this.#options;
    let action = this.#step({ kind: 'started' });
    while (!this.#isStopped()) {
      if (action.afterMs > 0) await clock.sleep(action.afterMs, this.#stopped.signal);
      if (this.#isStopped()) return;
      const seen = await this.#act(action);
      if (this.#isStopped()) return;
      action = this.#step(seen);
    }
  }

  #step(seen: Observation): Action {
    const { clock, random, log, observer } = this.#options;
    const { state, action } = nextStep(this.#state, clock.monotonicMs(), seen, random);
    if (seen.kind !== 'started' && seen.kind !== 'listed') {
      observer.onRestart(reasonOf(seen));
      const fields = { kind: this.#options.kind, reason: reasonOf(seen), next: action.kind, afterMs: Math.round(action.afterMs) };
      if (state.trouble === null) log.debug(fields, 'watching again');
      else log.warn({ ...fields, trouble: state.trouble.message }, 'the cache may be behind');
    }
    this.#state = state;
    return action;
  }

  #act(action: Action): Promise<Observation> {
    return action.kind === 'list' ? this.#list(action) : this.#watch(action);
  }

  async #list({ resourceVersion }: Action): Promise<Observation> {
    const { source, sink, observer } = this.#options;
    observer.onList();
    try {
      const version = await source.list(resourceVersion, (object) => sink.onObject(object), this.#stopped.signal);
      sink.onListed(true);
      return { kind: 'listed', resourceVersion: version };
    } catch (error) {
      sink.onListed(false);
      return { kind: 'list-failed', failure: failureOf(error) };
    }
  }

  async #watch({ resourceVersion, timeoutSeconds }: Extract<Action, { kind: 'watch' }>): Promise<Observation> {
    const { source, clock } = this.#options;
    const startedMs = clock.monotonicMs();
    let events = 0;
    try {
      for await (const event of source.watch(resourceVersion, timeoutSeconds, this.#stopped.signal)) {
        if (event.type === 'ERROR') return { kind: 'error-event', failure: failureOf(apiErrorOfStatus('watch', event.object)) };
        events += 1;
        this.#onEvent(event);
      }
      return { kind: 'closed', lastedMs: clock.monotonicMs() - startedMs, events };
    } catch (error) {
      return { kind: 'watch-failed', failure: failureOf(error) };
    }
  }

  #onEvent({ type, object }: WatchEvent): void {
    const { sink, observer, kind } = this.#options;
    if (!isOfKind(object, kind)) return observer.onSkipped();
    const version = object.metadata.resourceVersion;
    switch (type) {
      case 'ADDED':
      case 'MODIFIED':
      case 'DELETED':
        sink.onEvent(type, object);
        break;
      case 'BOOKMARK':
        break;
      default:
        // What it means is not known, so it is not known either whether all before it has been seen.
        return observer.onSkipped();
    }
    if (version !== undefined) this.#state = onEvent(this.#state, version);
  }

  #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }
}

/** The server names the kind in each event. A bookmark has a version and no name. */
function isOfKind(object: unknown, kind: string): object is KubeObject {
  if (typeof object !== 'object' || object === null) return false;
  const { metadata, kind: own } = object as Partial<KubeObject>;
  return typeof metadata === 'object' && metadata !== null && (own === undefined || own === kind);
}
