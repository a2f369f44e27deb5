import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';

/**
 * A model server as far as a worker sees one: real HTTP, answers chat completions, counts how often each item was executed, and
 * misbehaves as a test says. An item is known by the text of its first message.
 */
export interface ModelServer {
  readonly url: string;
  readonly port: number;
  /** How often each item's request arrived. */
  readonly executions: ReadonlyMap<string, number>;
  /** When each item's requests arrived, by performance.now(). */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
  /** Requests being answered now. */
  inFlight(): number;
  total(): number;
  /** Items executed more than once. */
  repeated(): readonly string[];
  /** Headers of the last item request. */
  lastHeaders(): IncomingMessage['headers'];
  lastBody(): Record<string, unknown>;
  answerWith(behave: Behave): void;
  close(): Promise<void>;
}

export type Behaviour =
  | { readonly kind: 'ok'; readonly afterMs?: number }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly error?: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  | { readonly kind: 'truncated' }
  | { readonly kind: 'empty' };

/** What happens to the `nth` (from 1) execution of `item`. */
export type Behave = (item: string, nth: number) => Behaviour | Promise<Behaviour>;

export const OK: Behaviour = { kind: 'ok' };

export async function modelServer(t: ExecutionContext, behave: Behave = () => OK, port = 0): Promise<ModelServer> {
  const executions = new Map<string, number>();
  const arrivals = new Map<string, number[]>();
  const sockets = new Set<Socket>();
  let answer = behave;
  let inFlight = 0;
  let headers: IncomingMessage['headers'] = {};
  let lastBody: Record<string, unknown> = {};

  async function onItem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    const item = itemOf(body);
    const nth = (executions.get(item) ?? 0) + 1;
    executions.set(item, nth);
    arrivals.set(item, [...(arrivals.get(item) ?? []), performance.now()]);
    headers = request.headers;
    lastBody = body;
    inFlight += 1;
    response.once('close', () => {
      inFlight -= 1;
    });
    await reply(response, await answer(item, nth), item);
  }

  const server = createServer((request, response) => {
    if (request.method === 'POST') onItem(request, response).catch((error: unknown) => response.destroy(error as Error));
    else reachable(request, response);
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server, port);
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  t.teardown(close);
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `http://127.0.0.1:${bound}`,
    port: bound,
    executions,
    arrivals,
    inFlight: () => inFlight,
    total: () => [...executions.values()].reduce((sum, count) => sum + count, 0),
    repeated: () => [...executions].filter(([, count]) => count > 1).map(([item]) => item),
    lastHeaders: () => headers,
    lastBody: () => lastBody,
    answerWith: (next) => {
      answer = next;
    },
    close,
  };
}

/** A port that nothing listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

async function reply(response: ServerResponse, behaviour: Behaviour, item: string): Promise<void> {
  switch (behaviour.kind) {
    case 'ok': {
      await sleep(behaviour.afterMs ?? 0);
      json(response, 200, completion(item));
      return;
    }
    case 'status': {
      json(response, behaviour.status, { error: { message: `told to answer ${behaviour.status}`, ...behaviour.error } }, behaviour.headers);
      return;
    }
    case 'hang':
      return;
    case 'reset': {
      response.socket?.resetAndDestroy();
      return;
    }
    case 'truncated': {
      const whole = JSON.stringify(completion(item));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(whole.slice(0, whole.length / 2));
      return;
    }
    case 'empty': {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end();
    }
  }
}

/** What a worker may ask to learn whether the server is there. */
function reachable(request: IncomingMessage, response: ServerResponse): void {
  if (request.url === '/v1/models') json(response, 200, { object: 'list', data: [{ id: 'test-model', object: 'model' }] });
  else json(response, request.url === '/health' ? 200 : 404, {});
}

function completion(item: string): object {
  return {
    id: `chatcmpl-${item}`,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: `answer to ${item}` }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
}

function itemOf(body: Record<string, unknown>): string {
  const messages = body['messages'] as readonly { readonly content: string }[] | undefined;
  return messages?.[0]?.content ?? 'unknown';
}

function json(response: ServerResponse, status: number, value: object, headers: Readonly<Record<string, string>> = {}): void {
  if (response.destroyed) return;
  response.writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'req-test', ...headers });
  response.end(JSON.stringify(value));
}

async function text(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}
