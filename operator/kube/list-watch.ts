import type { Clock } from '../../runtime/base/clock.ts';
import { apiErrorOf, NoAnswer } from './api-error.ts';
import { listParameters } from './client.ts';
import { collectionPath, type Kind } from './kind.ts';
import { linesOf } from './lines.ts';
import { ListSplitter, MAX_OBJECT_BYTES } from './list-splitter.ts';
import type { KubeObject } from './object.ts';
import type { OpenAnswer, Transport } from './transport.ts';

/** Which objects of a kind are watched. */
export interface Scope {
  /** Null: in all namespaces. */
  readonly namespace: string | null;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** `type` is what the server says: 'ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR', or one that is not known yet. */
export interface WatchEvent {
  readonly type: string;
  readonly object: unknown;
}

/** The two calls by which a cache follows a kind. They throw ApiError and NoAnswer. */
export interface ListWatch {
  /** Hands over each object; resolves with the version of the list. '' asks for the newest version, '0' for any. */
  list(resourceVersion: string, onObject: (object: KubeObject) => void, signal: AbortSignal): Promise<string>;
  /** Ends when the server ends the watch, which it does after `timeoutSeconds`, or when it has been silent for too long. */
  watch(resourceVersion: string, timeoutSeconds: number, signal: AbortSignal): AsyncIterable<WatchEvent>;
}

export interface ListWatchOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly kind: Kind<KubeObject>;
  readonly scope: Scope;
}

/** The server itself ends a list after 60 s. */
const LIST_DEADLINE_MS = 90_000;
/** Far more than the API server can hold; a list without an end must not keep the reader for ever. */
const MAX_LIST_BYTES: number = 4 * 2 ** 30;
/** What the server needs to end a watch whose time is over. */
const WATCH_GRACE_MS = 15_000;
/** Bookmarks come about once a minute. A watch that is cut too early costs one call. */
const WATCH_SILENCE_MS = 180_000;
const SILENCE_CHECK_MS = 5_000;

export function createListWatch(options: ListWatchOptions): ListWatch {
  return {
    list: (resourceVersion, onObject, signal) => list(options, resourceVersion, onObject, signal),
    watch: (resourceVersion, timeoutSeconds, signal) => watch(options, resourceVersion, timeoutSeconds, signal),
  };
}

async function list(
  { transport, clock, kind, scope: { namespace, ...selectors } }: ListWatchOptions,
  resourceVersion: string,
  onObject: (object: KubeObject) => void,
  signal: AbortSignal,
): Promise<string> {
  const what = `list ${kind.plural}`;
  // An absent version asks for the newest one.
  const query = listParameters({ ...selectors, ...(resourceVersion === '' ? {} : { resourceVersion }) });
  const answer = await transport.open({
    method: 'GET',
    path: `${collectionPath(kind, namespace)}${query}`,
    signal,
    deadlineMs: LIST_DEADLINE_MS,
  });
  const timer = clock.after(LIST_DEADLINE_MS, () => answer.destroy(`the list has not ended within ${LIST_DEADLINE_MS} ms`));
  try {
    await requireOk(what, answer);
    return await readList(what, answer, onObject);
  } finally {
    timer.stop();
    answer.destroy('done');
  }
}

async function readList(what: string, answer: OpenAnswer, onObject: (object: KubeObject) => void): Promise<string> {
  const splitter = new ListSplitter();
  let bytes = 0;
  try {
    for await (const chunk of answer.chunks) {
      bytes += chunk.length;
      if (bytes > MAX_LIST_BYTES) throw new NoAnswer(`more than ${MAX_LIST_BYTES} bytes`);
      for (const text of splitter.push(chunk)) onObject(JSON.parse(text) as KubeObject);
    }
    const { metadata } = JSON.parse(splitter.end()) as { readonly metadata?: { readonly resourceVersion?: string } };
    if (metadata?.resourceVersion === undefined) throw new NoAnswer('it has no version');
    return metadata.resourceVersion;
  } catch (cause) {
    throw new NoAnswer(`${what}: ${(cause as Error).message}`, { cause });
  }
}

async function* watch(
  { transport, clock, kind, scope: { namespace, ...selectors } }: ListWatchOptions,
  resourceVersion: string,
  timeoutSeconds: number,
  signal: AbortSignal,
): AsyncGenerator<WatchEvent, void, undefined> {
  const query = `${listParameters({ ...selectors, resourceVersion })}&watch=true&allowWatchBookmarks=true&timeoutSeconds=${timeoutSeconds}`;
  const answer = await transport.open({ method: 'GET', path: `${collectionPath(kind, namespace)}${query}`, signal });
  const guard = new SilenceGuard(clock, timeoutSeconds * 1_000 + WATCH_GRACE_MS);
  const timer = clock.every(SILENCE_CHECK_MS, () => guard.check(answer));
  try {
    await requireOk(`watch ${kind.plural}`, answer);
    for await (const line of linesOf(guard.heard(answer.chunks), MAX_OBJECT_BYTES)) yield eventOf(line);
  } catch (error) {
    // It was ended from here: the version that was reached is still good.
    if (!guard.hasCut) throw error;
  } finally {
    timer.stop();
    answer.destroy('done');
  }
}

/** A connection may be dead without a word. It's enough that nothing comes for long, or that the server does not end what it should. */
class SilenceGuard {
  readonly #clock: Clock;
  readonly #untilMs: number;
  #heardMs: number;
  hasCut = false;

  constructor(clock: Clock, limitMs: number) {
    this.#clock = clock;
    this.#heardMs = clock.monotonicMs();
    this.#untilMs = this.#heardMs + limitMs;
  }

  check(answer: OpenAnswer): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#untilMs && nowMs - this.#heardMs < WATCH_SILENCE_MS) return;
    this.hasCut = true;
    answer.destroy('the watch is silent');
  }

  async *heard(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      this.#heardMs = this.#clock.monotonicMs();
      yield chunk;
    }
  }
}

/** A line that is no event is one of an unknown type: it is skipped and counted like the others. */
function eventOf(line: string): WatchEvent {
  try {
    const { type, object } = JSON.parse(line) as Partial<WatchEvent>;
    return { type: typeof type === 'string' ? type : '', object };
  } catch {
    return { type: '', object: null };
  }
}

async function requireOk(what: string, { status, headers, chunks }: OpenAnswer): Promise<void> {
  if (status === 200) return;
  throw apiErrorOf(what, status, headers, await startOf(chunks));
}

/** A refusal is short. */
const MAX_REFUSAL_BYTES = 65_536;

async function startOf(chunks: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes > MAX_REFUSAL_BYTES) break;
  }
  return Buffer.concat(parts).toString('utf8');
}
