import type { Clock, Timer } from '../../runtime/base/clock.ts';
import { inTime } from '../../runtime/base/in-time.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { Random } from '../../runtime/base/random.ts';
import { ApiError, isAlreadyThere } from './api-error.ts';
import type { KubeClient } from './client.ts';
import { EventSeries, type Occurrence, type Series } from './event-series.ts';
import { apiVersionOf, EVENT, type Event } from './kind.ts';
import { microTime } from './micro-time.ts';

export interface RecorderOptions {
  readonly client: Pick<KubeClient, 'create' | 'patch'>;
  /** Who reports, as 'example.com/controller'. */
  readonly controller: string;
  /** Which process of it, for instance its pod; the server takes 128 characters. */
  readonly instance: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** Writes Kubernetes events. They are for people: none is worth a failed or late reconcile, so nothing here throws, or waits for its caller. */
export interface Recorder {
  record(occurrence: Occurrence): void;
  /** Writes what is left, within the limit, and nothing from then on. */
  stop(limitMs: number): Promise<void>;
}

type Write = { readonly kind: 'create'; readonly event: Event } | { readonly kind: 'count'; readonly series: Series };

/** Beyond it the API server takes events too slowly, and the newest are dropped. */
const MAX_WAITING = 1_000;
const MAX_TRIES = 3;
const RETRY_MS = 1_000;
/** How long repetitions are gathered before their count is written. */
const COUNT_AFTER_MS = 30_000;
/** The server takes so many bytes. */
const MAX_NOTE_BYTES = 1_024;
const NAME_BYTES = 8;

export function createRecorder(options: RecorderOptions): Recorder {
  return new WritingRecorder(options);
}

class WritingRecorder implements Recorder {
  readonly #options: RecorderOptions;
  readonly #series = new EventSeries();
  readonly #writes: Write[] = [];
  readonly #stopped = new AbortController();
  #writing: Promise<void> | null = null;
  #counting: Timer | null = null;
  #isStopped = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  record(occurrence: Occurrence): void {
    const { clock, random, log } = this.#options;
    if (this.#isStopped) return;
    const verdict = this.#series.onOccurrence(clock.monotonicMs(), clock.wallMs(), occurrence, random.hex(NAME_BYTES));
    switch (verdict.kind) {
      case 'create':
        return this.#push({ kind: 'create', event: this.#eventOf(occurrence, verdict.series) });
      case 'count':
        this.#counting ??= clock.after(COUNT_AFTER_MS, () => this.#pushCounts());
        return;
      case 'drop':
        log.debug({ reason: occurrence.reason, object: occurrence.object.metadata.name }, 'an object has too many events');
    }
  }

  async stop(limitMs: number): Promise<void> {
    this.#pushCounts();
    this.#isStopped = true;
    if (this.#writing !== null) await inTime(this.#options.clock, limitMs, this.#writing);
    this.#stopped.abort();
  }

  #pushCounts(): void {
    this.#counting?.stop();
    this.#counting = null;
    for (const series of this.#series.takeDue(this.#options.clock.monotonicMs())) this.#push({ kind: 'count', series });
  }

  #push(write: Write): void {
    if (this.#writes.length >= MAX_WAITING) {
      this.#options.log.debug({ waiting: MAX_WAITING }, 'too many events wait to be written');
      return;
    }
    this.#writes.push(write);
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  /** One after the other, so that a count follows its event. */
  async #writeAll(): Promise<void> {
    for (let next = this.#writes.shift(); next !== undefined && !this.#stopped.signal.aborted; next = this.#writes.shift()) {
      await this.#write(next);
    }
  }

  async #write(write: Write): Promise<void> {
    const { clock, log } = this.#options;
    for (let tries = 1; ; tries += 1) {
      try {
        await this.#send(write);
        return;
      } catch (error) {
        // It was written the first time, and only the answer was lost.
        if (isAlreadyThere(error)) return;
        if (isFinal(error) || tries >= MAX_TRIES || this.#stopped.signal.aborted) {
          this.#series.forget(write.kind === 'create' ? write.event.metadata.name : write.series.name);
          log.debug({ err: error }, 'an event could not be written');
          return;
        }
        await clock.sleep(RETRY_MS * tries, this.#stopped.signal);
      }
    }
  }

  async #send(write: Write): Promise<void> {
    const { client, controller } = this.#options;
    if (write.kind === 'create') {
      await client.create(EVENT, write.event);
      return;
    }
    const { namespace, name, count, lastWallMs } = write.series;
    const patch = { series: { count, lastObservedTime: microTime(lastWallMs) } };
    await client.patch(EVENT, { namespace, name }, patch, { type: 'merge', fieldManager: managerOf(controller) });
  }

  #eventOf({ kind, object, type, reason, action, note }: Occurrence, { name, namespace }: Series): Event {
    const { controller, instance, clock } = this.#options;
    const { name: objectName, namespace: objectNamespace, uid } = object.metadata;
    const where = { ...(objectNamespace === undefined ? {} : { namespace: objectNamespace }), ...(uid === undefined ? {} : { uid }) };
    return {
      metadata: { name, namespace },
      eventTime: microTime(clock.wallMs()),
      reportingController: controller,
      reportingInstance: instance,
      type,
      reason,
      action,
      note: cut(note),
      regarding: { apiVersion: apiVersionOf(kind), kind: kind.kind, name: objectName, ...where },
    };
  }
}

/** No further try helps: the namespace is being deleted, the rights are missing, or the event is gone. */
function isFinal(error: unknown): boolean {
  return error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

function managerOf(controller: string): string {
  return controller.slice(controller.lastIndexOf('/') + 1);
}

/** Half a character at the end, which the cut may leave, would be refused. */
function cut(note: string): string {
  const bytes = Buffer.from(note);
  return bytes.length <= MAX_NOTE_BYTES
    ? note
    : bytes
        .subarray(0, MAX_NOTE_BYTES - 3)
        .toString('utf8')
        .replace(/\uFFFD+$/u, '');
}
