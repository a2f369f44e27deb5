import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the server does with one request. */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body: string | Uint8Array;
      readonly headers?: Readonly<Record<string, string>>;
      readonly afterMs?: number;
    }
  /** 100 Continue, though nobody asked for it, and then an answer. */
  | { readonly kind: 'continue'; readonly body: string }
  | { readonly kind: 'hang' }
  /** A TCP reset, before anything is said, after the headers, or in the middle of the body. */
  | { readonly kind: 'reset'; readonly after: 'nothing' | 'headers' | 'half'; readonly body?: string }
  /** The connection closes in order before the announced length. */
  | { readonly kind: 'short'; readonly body: string }
  /** The body comes in many small parts. */
  | { readonly kind: 'slow'; readonly body: string; readonly forMs: number }
  /** Server-sent events; `isCut`: the connection is reset after the last of them. */
  | { readonly kind: 'events'; readonly events: readonly string[]; readonly everyMs?: number; readonly isCut?: boolean };

const JSON_TYPE = { 'content-type': 'application/json', 'x-request-id': 'req-test' };

export async function perform(response: ServerResponse, reply: Reply): Promise<void> {
  switch (reply.kind) {
    case 'answer':
      await sleep(reply.afterMs ?? 0);
      if (response.destroyed) return;
      response.writeHead(reply.status, { ...JSON_TYPE, ...reply.headers });
      response.end(reply.body);
      return;
    case 'continue':
      response.writeContinue();
      response.writeHead(200, JSON_TYPE);
      response.end(reply.body);
      return;
    case 'hang':
      return;
    case 'reset':
      return reset(response, reply.after, reply.body ?? '{"choices":[{"index":0}]}');
    case 'short':
      response.writeHead(200, { ...JSON_TYPE, 'content-length': String(reply.body.length + 100) });
      response.write(reply.body);
      await sleep(20);
      response.socket?.end();
      return;
    case 'slow':
      return slowly(response, reply.body, reply.forMs);
    case 'events':
      return sendEvents(response, reply);
  }
}

async function reset(response: ServerResponse, after: 'nothing' | 'headers' | 'half', body: string): Promise<void> {
  if (after !== 'nothing') {
    response.writeHead(200, { ...JSON_TYPE, 'content-length': String(body.length) });
    if (after === 'half') response.write(body.slice(0, body.length / 2));
    else response.flushHeaders();
    await sleep(20);
  }
  response.socket?.resetAndDestroy();
}

const SLOW_PARTS = 10;

async function slowly(response: ServerResponse, body: string, forMs: number): Promise<void> {
  response.writeHead(200, JSON_TYPE);
  const step = Math.ceil(body.length / SLOW_PARTS);
  for (let at = 0; at < body.length && !response.destroyed; at += step) {
    response.write(body.slice(at, at + step));
    await sleep(forMs / SLOW_PARTS);
  }
  response.end();
}

async function sendEvents(response: ServerResponse, reply: Extract<Reply, { kind: 'events' }>): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req-test' });
  for (const event of reply.events) {
    if (response.destroyed) return;
    response.write(`data: ${event}\n\n`);
    await sleep(reply.everyMs ?? 0);
  }
  if (reply.isCut === true) response.socket?.resetAndDestroy();
  else response.end();
}
