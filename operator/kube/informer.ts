import { aborted } from '../../runtime/base/abort.ts';
import type { Clock, Timer } from '../../runtime/base/clock.ts';
import { inTime } from '../../runtime/base/in-time.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { Random } from '../../runtime/base/random.ts';
import { deepFreeze } from './deep-freeze.ts';
import type { Kind } from './kind.ts';
import { createListWatch, type Scope } from './list-watch.ts';
import type { KubeObject } from './object.ts';
import { type EventType, Reflector, type ReflectorObserver, type Sink } from './reflector.ts';
import { type Change, type Indexes, type ReadStore, Store } from './store.ts';
import type { Transport } from './transport.ts';
import { type FirstList, newWatchState, type Trouble } from './watch-action.ts';

export type Handler<T> = (change: Change<T>) => void;

export interface InformerOptions<T extends KubeObject> {
  readonly transport: Transport;
  readonly kind: Kind<T>;
  readonly scope: Scope;
  /** 'consistent' where the names of new objects follow from what the cache has. */
  readonly firstList: FirstList;
  /** What the cache keeps of an object: a copy without the parts that nobody reads. */
  readonly trim?: (object: T) => T;
  readonly indexes?: Indexes<T>;
  /** For tests: an object of the cache that is changed throws. */
  readonly isFrozen?: boolean;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly observer: ReflectorObserver;
}

/** A cache of one kind that follows the API server, and those who want to know what changes. */
export interface Informer<T extends KubeObject> {
  readonly kind: Kind<T>;
  readonly store: ReadStore<T>;
  /** Before `start`: each handler sees every change, the first list included, in order. */
  addHandler(handler: Handler<T>): void;
  start(): void;
  stop(): Promise<void>;
  /** The first list is in the store, and the handlers have seen it. */
  hasSynced(): boolean;
  /** Whether it has synced within the limit. */
  synced(limitMs: number): Promise<boolean>;
  trouble(): Trouble | null;
}

/** Guards against faults of handlers: the cache is shown again, the server is not asked. */
const RESYNC_MS = 36_000_000;
const RESYNC_SPREAD = 0.1;

export function createInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  return new CachingInformer(options);
}

class CachingInformer<T extends KubeObject> implements Informer<T>, Sink {
  readonly kind: Kind<T>;
  readonly #options: InformerOptions<T>;
  readonly #store: Store<T>;
  readonly #reflector: Reflector;
  readonly #handlers: Handler<T>[] = [];
  readonly #synced = new AbortController();
  readonly #stopped = new AbortController();
  #listed: T[] = [];
  #resync: Timer | null = null;

  constructor(options: InformerOptions<T>) {
    const { kind, firstList, clock, random, log, observer } = options;
    this.kind = kind;
    this.#options = options;
    this.#store = new Store(options.indexes);
    const source = createListWatch(options);
    this.#reflector = new Reflector({ kind: kind.kind, source, sink: this, start: newWatchState(firstList), clock, random, log, observer });
  }

  get store(): ReadStore<T> {
    return this.#store;
  }

  addHandler(handler: Handler<T>): void {
    this.#handlers.push(handler);
  }

  start(): void {
    this.#reflector.start();
    this.#resyncLater();
  }

  async stop(): Promise<void> {
    this.#resync?.stop();
    this.#stopped.abort();
    await this.#reflector.stop();
  }

  hasSynced(): boolean {
    return this.#synced.signal.aborted;
  }

  async synced(limitMs: number): Promise<boolean> {
    const end = Promise.race([aborted(this.#synced.signal), aborted(this.#stopped.signal)]);
    await inTime(this.#options.clock, limitMs, end);
    return this.hasSynced();
  }

  trouble(): Trouble | null {
    return this.#reflector.trouble();
  }

  onObject(object: KubeObject): void {
    this.#listed.push(this.#kept(object));
  }

  onListed(isWhole: boolean): void {
    const listed = this.#listed;
    this.#listed = [];
    if (!isWhole) return;
    for (const change of this.#store.replace(listed)) this.#tell(change);
    this.#synced.abort();
  }

  onEvent(type: EventType, object: KubeObject): void {
    const kept = this.#kept(object);
    for (const change of type === 'DELETED' ? this.#store.remove(kept) : this.#store.put(kept)) this.#tell(change);
  }

  /** The server sends objects of this kind alone; the reflector has left out what says that it is another. */
  #kept(object: KubeObject): T {
    const { trim, isFrozen } = this.#options;
    const kept = trim === undefined ? (object as T) : trim(object as T);
    return isFrozen === true ? deepFreeze(kept) : kept;
  }

  /** A handler that throws is a bug of its own; the others, and the cache, go on. */
  #tell(change: Change<T>): void {
    for (const handler of this.#handlers) {
      try {
        handler(change);
      } catch (error) {
        this.#options.log.error({ err: error, kind: this.kind.kind, change: change.kind }, 'a handler of changes failed');
      }
    }
  }

  #resyncLater(): void {
    const { clock, random } = this.#options;
    const afterMs = RESYNC_MS * (1 + (random.next() * 2 - 1) * RESYNC_SPREAD);
    this.#resync = clock.after(afterMs, () => {
      for (const object of this.#store.list()) this.#tell({ kind: 'updated', before: object, object, isResync: true });
      this.#resyncLater();
    });
  }
}
