import type { Item } from '../../model/item.ts';

/** Waits for something that is not part of the execution: meanwhile its time stands still. */
export type Uncounted = <T>(wait: Promise<T>) => Promise<T>;

/** Puts something harmless in place of each secret in a text. */
export type Hide = (text: string) => string;

/** What executes items. It never retries by itself: the ledger counts, and the coordinator decides who tries next. */
export interface Backend {
  /** Its servers, by the addresses that messages use. At least one; an endpoint's number is its place in this list. */
  readonly endpoints: readonly string[];
  /** Hides its keys and other secrets in whatever becomes a message; an answer itself keeps the server's bytes. */
  readonly hide: Hide;
  /** Whether the server is there; asked until it is before anything starts, and again after `unavailable`. */
  isReady(endpoint: number, signal: AbortSignal): Promise<Readiness>;
  /** Never rejects for what a server or a network does. */
  execute(endpoint: number, request: Request, stop: Stop): Promise<Executed>;
  close(): Promise<void>;
}

export interface Stop {
  /** Its abort means: let go at once, whatever is answered then is ignored. Made when it is first asked for, since it is costly. */
  readonly signal: AbortSignal;
  /** Whatever the worker itself makes the execution wait for is waited for with this, so that it does not use up the request timeout. */
  uncounted?<T>(wait: Promise<T>): Promise<T>;
}

export type Readiness = { readonly kind: 'ready' } | { readonly kind: 'not-ready'; readonly detail: string };

export interface Request {
  readonly item: Item;
  /** The item's body as it stands in its line, JSON in UTF-8. Cut out of the line when it is asked for. */
  bytes(): Uint8Array;
  /** Content id and attempt: names this execution in the server's log. */
  readonly requestId: string;
}

/** What an execution has come to. */
export type Executed =
  /** An answer came whole, whatever its status. */
  | {
      readonly kind: 'answered';
      /** What was asked, for messages: without its query, which may hold a secret. */
      readonly url: string;
      readonly status: number;
      /** The server's own name for the request, null where it gave none. */
      readonly requestId: string | null;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string>>;
      /** The server's own bytes, or JSON that the backend has made itself and that need not be parsed again. */
      readonly body: Uint8Array | MadeJson;
      /** What explains a refusal and the server cannot know. */
      readonly note?: string;
    }
  /** The server was reached, and no whole answer came. */
  | { readonly kind: 'failed'; readonly code: FailureCode; readonly message: string }
  /** The server is not there: nothing was executed. */
  | { readonly kind: 'unavailable'; readonly detail: string };

/** A value, and its text without a line end. */
export interface MadeJson {
  readonly text: string;
  readonly value: unknown;
}

export type FailureCode = 'timeout' | 'connection_reset' | 'truncated_answer' | 'response_too_large' | 'invalid_request';
