import type { IncomingHttpHeaders } from 'node:http';
import { onAbort } from '../../runtime/base/abort.ts';
import type { Clock } from '../../runtime/base/clock.ts';
import { NoAnswer } from './api-error.ts';
import type { Credentials } from './credentials.ts';
import { sendRequest } from './send-request.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With its query; below the server's address. */
  readonly path: string;
  readonly body?: { readonly text: string; readonly contentType: string };
  /** Of `call`: until the whole answer is there. Of `open`: until its head is there. */
  readonly deadlineMs?: number;
  /** Gives the call up: it fails with NoAnswer. */
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer of which nothing but the head has been read. Whoever does not read it to its end destroys it. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Throws NoAnswer where the answer breaks off. To leave the loop early ends the connection. */
  readonly chunks: AsyncIterable<Buffer>;
  /** What reads the chunks fails with NoAnswer and this reason. */
  destroy(why: string): void;
}

/** Calls of the API server. They throw NoAnswer where there is none; whatever its status, an answer is returned. */
export interface Transport {
  call(call: Call): Promise<Answer>;
  open(call: Call): Promise<OpenAnswer>;
  /** Ends all connections: the calls on them fail, and so does every later one. */
  close(): void;
}

export interface TransportOptions {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly userAgent: string;
  /** For each call: the status of its answer, or '<error>' where there was none. */
  readonly onAnswered?: (method: string, code: string) => void;
}

/** The API server itself ends every call but a watch after 60 s. */
const DEFAULT_DEADLINE_MS = 30_000;
/** The server takes no object above 3 MiB. More than this is a list that should have been read in pieces. */
const MAX_ANSWER_BYTES: number = 64 * 2 ** 20;

export function createTransport(options: TransportOptions): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #options: TransportOptions;
  #isClosed = false;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  async call(call: Call): Promise<Answer> {
    return await this.#within(call, async (limit) => {
      const { status, headers, chunks } = await this.#send(call, limit);
      return { status, headers, body: await textOf(chunks, call) };
    });
  }

  async open(call: Call): Promise<OpenAnswer> {
    return await this.#within(call, (limit) => this.#send(call, limit));
  }

  close(): void {
    this.#isClosed = true;
    this.#options.credentials.close();
  }

  /** The credentials may hang as well, since a plugin may, so the deadline does not depend on what is asked to stop. */
  async #within<T>(call: Call, work: (limit: AbortSignal) => Promise<T>): Promise<T> {
    const { method, path, deadlineMs = DEFAULT_DEADLINE_MS } = call;
    const limit = new AbortController();
    const over = new NoAnswer(`${method} ${path}: no answer within ${deadlineMs} ms`);
    const late = new Promise<never>((_, reject) => onAbort(limit.signal, () => reject(over)));
    const timer = this.#options.clock.after(deadlineMs, () => limit.abort());
    try {
      return await Promise.race([work(limit.signal), late]);
    } finally {
      timer.stop();
    }
  }

  async #send(call: Call, limit: AbortSignal): Promise<OpenAnswer> {
    const { credentials, userAgent, onAnswered } = this.#options;
    try {
      if (this.#isClosed) throw new NoAnswer(`${call.method} ${call.path}: the client is closed`);
      const access = await credentials.access();
      const answer = await sendRequest(credentials.server, call, { access, userAgent, limit });
      onAnswered?.(call.method, String(answer.status));
      return answer;
    } catch (error) {
      onAnswered?.(call.method, '<error>');
      throw error instanceof NoAnswer ? error : new NoAnswer(`${call.method} ${call.path}: ${(error as Error).message}`, { cause: error });
    }
  }
}

async function textOf(chunks: AsyncIterable<Buffer>, { method, path }: Call): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new NoAnswer(`${method} ${path}: the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    parts.push(chunk);
  }
  return Buffer.concat(parts).toString('utf8');
}
