import type { Kind } from './kind.ts';
import type { KubeObject } from './object.ts';

/**
 * Which events are written, and which are only counted: the same thing that happens again to the same object is one event with a count, and
 * no object gets more than a few events. Decides over its own counts; the time is an argument.
 */

/** Something that a person who looks at an object should see. */
export interface Occurrence {
  readonly kind: Kind<KubeObject>;
  readonly object: KubeObject;
  readonly type: 'Normal' | 'Warning';
  /** Why, in CamelCase, from the caller's own list. */
  readonly reason: string;
  /** What was done, in CamelCase. */
  readonly action: string;
  /** For people: what happened, in a sentence. */
  readonly note: string;
}

export interface Series {
  readonly namespace: string;
  /** Of the event object. */
  readonly name: string;
  readonly count: number;
  readonly lastWallMs: number;
}

export type Verdict =
  /** It is new: an event of this name is written. */
  | { readonly kind: 'create'; readonly series: Series }
  /** It has happened before; the count is written later. */
  | { readonly kind: 'count' }
  /** This object has had too many. */
  | { readonly kind: 'drop' };

interface Counted extends Series {
  readonly writtenCount: number;
  readonly lastMs: number;
}

interface Bucket {
  readonly tokens: number;
  readonly countedMs: number;
}

/** As client-go's: so many events about one object at once, and then one in five minutes. */
const BURST = 25;
const REFILL_MS = 300_000;
/** What has not happened for so long begins anew. */
const SERIES_MS = 360_000;
/** More objects than happen to be in trouble at once. The oldest is forgotten first. */
const MAX_SERIES = 4_096;
const MAX_BUCKETS = 4_096;
/** A name has 253 characters at most; a point and the random part follow. */
const MAX_OBJECT_NAME = 220;
/** Where the events about objects without a namespace are. */
const DEFAULT_NAMESPACE = 'default';

export class EventSeries {
  readonly #series = new Map<string, Counted>();
  readonly #buckets = new Map<string, Bucket>();

  /** `suffix` makes the name of a new event its own. */
  onOccurrence(nowMs: number, wallMs: number, occurrence: Occurrence, suffix: string): Verdict {
    const key = keyOfSeries(occurrence);
    const known = this.#series.get(key);
    if (known !== undefined && nowMs - known.lastMs < SERIES_MS) {
      this.#series.set(key, { ...known, count: known.count + 1, lastMs: nowMs, lastWallMs: wallMs });
      return { kind: 'count' };
    }
    if (!this.#takeToken(objectOf(occurrence), nowMs)) return { kind: 'drop' };
    const { name, namespace = DEFAULT_NAMESPACE } = occurrence.object.metadata;
    const series = { namespace, name: `${name.slice(0, MAX_OBJECT_NAME)}.${suffix}`, count: 1, lastWallMs: wallMs };
    this.#series.delete(key);
    this.#series.set(key, { ...series, writtenCount: 1, lastMs: nowMs });
    dropOldest(this.#series, MAX_SERIES);
    return { kind: 'create', series };
  }

  /** The series whose count is not written yet; they count as written from now on. Those that are over are forgotten. */
  takeDue(nowMs: number): readonly Series[] {
    const due: Series[] = [];
    for (const [key, series] of this.#series) {
      if (series.count > series.writtenCount) {
        due.push(series);
        this.#series.set(key, { ...series, writtenCount: series.count });
      } else if (nowMs - series.lastMs >= SERIES_MS) {
        this.#series.delete(key);
      }
    }
    return due;
  }

  /** The event is not there: the next occurrence writes a new one. */
  forget(eventName: string): void {
    for (const [key, { name }] of this.#series) if (name === eventName) this.#series.delete(key);
  }

  #takeToken(object: string, nowMs: number): boolean {
    const bucket = this.#buckets.get(object) ?? { tokens: BURST, countedMs: nowMs };
    const tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.countedMs) / REFILL_MS);
    this.#buckets.delete(object);
    this.#buckets.set(object, { tokens: tokens >= 1 ? tokens - 1 : tokens, countedMs: nowMs });
    dropOldest(this.#buckets, MAX_BUCKETS);
    return tokens >= 1;
  }
}

function objectOf({ kind, object: { metadata } }: Occurrence): string {
  return [kind.group, kind.kind, metadata.namespace ?? '', metadata.name, metadata.uid ?? ''].join('/');
}

function keyOfSeries(occurrence: Occurrence): string {
  const { type, reason, action, note } = occurrence;
  return JSON.stringify([objectOf(occurrence), type, reason, action, note]);
}

function dropOldest(map: Map<string, unknown>, most: number): void {
  for (const key of map.keys()) {
    if (map.size <= most) return;
    map.delete(key);
  }
}
