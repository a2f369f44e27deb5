import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { FINE, type Habit } from './habits.ts';
import { perform } from './reply.ts';

/**
 * A model server with habits: real HTTP, and whatever it does is said by one habit (habits.ts). It counts and keeps what it gets.
 *
 *   const server = await zooServer(t, HABITS.goneFor(5_000, status(502)), { slots: 1, serviceMs: 500 });
 */
export interface ZooServer {
  readonly url: string;
  readonly port: number;
  /** How often each item's request arrived. */
  readonly executions: ReadonlyMap<string, number>;
  /** When each item's requests arrived, by performance.now(). */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
  /** The bodies as they came, in the order of their arrival. */
  readonly bodies: readonly string[];
  /** Method and path of every request, probes included. */
  readonly asked: readonly string[];
  /** Requests that are not yet answered. */
  inFlight(): number;
  /** The most of them at one time. */
  peakInFlight(): number;
  /** The most slots that worked at one time. */
  peakBusy(): number;
  total(): number;
  /** Headers of the last item request. */
  lastHeaders(): IncomingMessage['headers'];
  /** From now on it has another habit. */
  behave(habit: Habit): void;
  close(): Promise<void>;
}

export interface ZooOptions {
  readonly port?: number;
  /** So many requests are worked on at a time; the others wait in a queue. */
  readonly slots?: number;
  /** How long a slot takes for one request. */
  readonly serviceMs?: number;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The status of GET …/models. */
  readonly modelsStatus?: () => number;
}

export async function zooServer(t: ExecutionContext, habit: Habit = FINE, options: ZooOptions = {}): Promise<ZooServer> {
  const zoo = new Zoo(habit, options);
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    zoo.asked.push(`${request.method} ${request.url}`);
    if (request.method === 'POST') zoo.onItem(request, response).catch((error: unknown) => response.destroy(error as Error));
    else onProbe(request, response, options);
  };
  const server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
  const close = closer(server);
  await listen(server, options.port ?? 0);
  t.teardown(close);
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    executions: zoo.executions,
    arrivals: zoo.arrivals,
    bodies: zoo.bodies,
    asked: zoo.asked,
    inFlight: () => zoo.inFlight,
    peakInFlight: () => zoo.peakInFlight,
    peakBusy: () => zoo.slots.peak,
    total: () => zoo.bodies.length,
    lastHeaders: () => zoo.headers,
    behave: (next) => {
      zoo.habit = next;
    },
    close,
  };
}

class Zoo {
  readonly executions = new Map<string, number>();
  readonly arrivals = new Map<string, readonly number[]>();
  readonly bodies: string[] = [];
  readonly asked: string[] = [];
  readonly slots: Slots;
  habit: Habit;
  headers: IncomingMessage['headers'] = {};
  inFlight = 0;
  peakInFlight = 0;
  private firstMs: number | null = null;
  private readonly serviceMs: number;

  constructor(habit: Habit, { slots = Number.POSITIVE_INFINITY, serviceMs = 0 }: ZooOptions) {
    this.habit = habit;
    this.slots = new Slots(slots);
    this.serviceMs = serviceMs;
  }

  async onItem(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await textOf(request);
    this.enter(response);
    this.headers = request.headers;
    this.bodies.push(text);
    const { item, isStream } = readItem(text);
    const nowMs = performance.now();
    this.firstMs ??= nowMs;
    const nth = (this.executions.get(item) ?? 0) + 1;
    this.executions.set(item, nth);
    this.arrivals.set(item, [...(this.arrivals.get(item) ?? []), nowMs]);
    const client = { url: request.url ?? '', isStream, peerPort: request.socket.remotePort ?? 0 };
    const asked = { item, nth, total: this.bodies.length, sinceFirstMs: nowMs - this.firstMs, ...client };
    await this.slots.use(this.serviceMs, response);
    if (!response.destroyed) await perform(response, await this.habit(asked));
  }

  private enter(response: ServerResponse): void {
    this.inFlight += 1;
    this.peakInFlight = Math.max(this.peakInFlight, this.inFlight);
    response.once('close', () => {
      this.inFlight -= 1;
    });
  }
}

/** A queue before a number of slots. Whoever has gone away before its turn takes no slot. */
class Slots {
  peak = 0;
  private busy = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  async use(serviceMs: number, response: ServerResponse): Promise<void> {
    if (this.busy >= this.most) await new Promise<void>((resolve) => this.waiting.push(resolve));
    this.busy += 1;
    this.peak = Math.max(this.peak, this.busy);
    if (serviceMs > 0 && !response.destroyed) await sleep(serviceMs);
    this.busy -= 1;
    this.waiting.shift()?.();
  }
}

/** What a worker may ask to learn whether the server is there. */
function onProbe(request: IncomingMessage, response: ServerResponse, { modelsStatus = () => 200 }: ZooOptions): void {
  const path = request.url?.replace(/\?.*$/, '') ?? '';
  const otherStatus = path === '/health' ? 200 : 404;
  response.writeHead(path.endsWith('/models') ? modelsStatus() : otherStatus, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ object: 'list', data: [{ id: 'test-model', object: 'model' }] }));
}

interface Message {
  readonly content?: unknown;
}

function readItem(text: string): { readonly item: string; readonly isStream: boolean } {
  const body = JSON.parse(text) as { readonly messages?: readonly Message[]; readonly input?: unknown; prompt?: unknown; stream?: unknown };
  const named = [body.messages?.[0]?.content, body.input, body.prompt].find((one) => typeof one === 'string');
  return { item: named ?? 'unknown', isStream: body.stream === true };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

export async function listen(server: Server, port: number): Promise<void> {
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

/** Closes every connection too. */
export function closer(server: Server): () => Promise<void> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return async () => {
    if (!server.listening) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
}
