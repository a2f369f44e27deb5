import { TextDecoder } from 'node:util';
import type { AnswerBudget } from './answer-budget.ts';
import type { Uncounted } from './contract.ts';
import { EventCollector } from './event-stream.ts';

export interface ReadLimits {
  readonly maxAnswerBytes: number;
  readonly budget: AnswerBudget;
  readonly signal: AbortSignal;
  /** The server is not slow while its answer waits for room here. */
  readonly uncounted: Uncounted;
}

/** What has come of reading the body of an answer. */
export type ReadAnswer =
  | { readonly kind: 'whole'; readonly body: Uint8Array }
  | { readonly kind: 'too-large' }
  /** A stream of events that ended before its answer did. */
  | { readonly kind: 'cut' };

/** So much is in memory for every connection anyway. */
const FREE_BYTES = 64 * 1024;
/** Small enough that many answers that come slowly are read at one time. */
const STEP_BYTES = 64 * 1024;

const TOO_LARGE: ReadAnswer = { kind: 'too-large' };

/** The body as it is. Leaving the loop early closes the connection. */
export async function readWhole(body: AsyncIterable<Uint8Array>, limits: ReadLimits): Promise<ReadAnswer> {
  const room = roomIn(limits);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.byteLength;
      if (bytes > limits.maxAnswerBytes) return TOO_LARGE;
      chunks.push(chunk);
      await room.reach(bytes);
    }
    return { kind: 'whole', body: Buffer.concat(chunks) };
  } finally {
    room.close();
  }
}

/** The answer that the events of the body make together; bytes that are no UTF-8 are answered as they are. */
export async function readEvents(body: AsyncIterable<Uint8Array>, limits: ReadLimits): Promise<ReadAnswer> {
  const room = roomIn(limits);
  const collector = new EventCollector();
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of body) {
      const text = decoded(utf8, chunk);
      if (text === null) return { kind: 'whole', body: chunk };
      collector.add(text);
      if (collector.bytes > limits.maxAnswerBytes) return TOO_LARGE;
      await room.reach(collector.bytes);
    }
    const text = collector.end();
    return text === null ? { kind: 'cut' } : { kind: 'whole', body: Buffer.from(text) };
  } finally {
    room.close();
  }
}

/** What a body begins with is enough to tell events from JSON, text and HTML; servers announce events as any of these. */
const EVENTS_START = /^(?:data|event|id|retry)?:/;
/** Longer than each of the names, with a byte order mark and some empty lines. */
const START_BYTES = 32;

/** The same body, and whether it begins as events do. */
export async function recognizeEvents(
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly body: AsyncIterable<Uint8Array>; readonly isEvents: boolean }> {
  const chunks = body[Symbol.asyncIterator]();
  let start: Uint8Array = Buffer.alloc(0);
  for (let isEnd = false; !isEnd && start.byteLength < START_BYTES; ) {
    const next = await chunks.next();
    isEnd = next.done === true;
    if (next.done !== true) start = Buffer.concat([start, next.value]);
  }
  const text = new TextDecoder().decode(start.subarray(0, START_BYTES)).trimStart();
  return { body: joined(start, chunks), isEvents: EVENTS_START.test(text) };
}

async function* joined(start: Uint8Array, chunks: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield start;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  } finally {
    await chunks.return?.();
  }
}

function decoded(utf8: TextDecoder, chunk: Uint8Array): string | null {
  try {
    return utf8.decode(chunk, { stream: true });
  } catch {
    return null;
  }
}

function roomIn({ budget, signal, uncounted }: ReadLimits): {
  readonly reach: (bytes: number) => Promise<void>;
  readonly close: () => void;
} {
  const holding = budget.open();
  let room = FREE_BYTES;
  return {
    reach: async (bytes) => {
      while (bytes > room) {
        await uncounted(holding.take(STEP_BYTES, signal));
        room += STEP_BYTES;
      }
    },
    close: () => holding.close(),
  };
}
