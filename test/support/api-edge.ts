import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { KubeObject } from '../../operator/kube/object.ts';

interface StoredEvent {
  readonly version: number;
  readonly type: string;
  readonly object: KubeObject;
}

interface OpenWatch {
  readonly version: string;
  readonly timeoutSeconds: number;
  readonly response: ServerResponse;
}

/** What a fault does instead of the answer; it may also do nothing, so that no answer comes. */
export type Fault = (response: ServerResponse) => void;

/**
 * The edge of an API server for one kind: lists and watches as reflectors meet them, over a real socket. Versions are numbers that only
 * grow, and events are kept until `forget`. What goes wrong is said by the test.
 */
export class ApiEdge {
  readonly kind: string;
  /** The version that each list asked for. */
  readonly lists: string[] = [];
  /** The version from which each watch was asked for, the refused ones as well. */
  readonly watches: string[] = [];
  readonly #objects = new Map<string, KubeObject>();
  readonly #faults: { readonly of: 'list' | 'watch'; readonly fault: Fault }[] = [];
  readonly #open = new Set<OpenWatch>();
  #events: StoredEvent[] = [];
  #version = 100;
  #oldest = 0;
  #server: Server | null = null;

  constructor(kind: string) {
    this.kind = kind;
  }

  /** The server's address. */
  async start(t: ExecutionContext): Promise<string> {
    const server = createServer((request, response) => this.#answer(request, response));
    this.#server = server;
    t.teardown(() => this.stop());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    this.#server = null;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  get objects(): ReadonlyMap<string, KubeObject> {
    return this.#objects;
  }

  get openWatches(): number {
    return this.#open.size;
  }

  get version(): string {
    return String(this.#version);
  }

  put(name: string, more: object = {}, metadata: object = {}): KubeObject {
    const known = this.#objects.get(name);
    this.#version += 1;
    const object = {
      apiVersion: 'v1',
      kind: this.kind,
      metadata: {
        uid: `uid-${name}-${this.#version}`,
        ...known?.metadata,
        ...metadata,
        name,
        namespace: 'ns',
        resourceVersion: this.version,
      },
      ...more,
    };
    this.#objects.set(name, object);
    this.#tell(known === undefined ? 'ADDED' : 'MODIFIED', object);
    return object;
  }

  remove(name: string): void {
    const known = this.#objects.get(name);
    if (known === undefined) throw new Error(`there is no ${name}`);
    this.#version += 1;
    this.#objects.delete(name);
    this.#tell('DELETED', { ...known, metadata: { ...known.metadata, resourceVersion: this.version } });
  }

  /** The next list or watch goes wrong in this way. */
  failNext(of: 'list' | 'watch', fault: Fault): void {
    this.#faults.push({ of, fault });
  }

  /** Events up to now can be asked for no more. */
  forget(): void {
    this.#events = [];
    this.#oldest = this.#version;
  }

  /** The server moves on by what happens to other kinds. */
  elsewhere(versions: number): void {
    this.#version += versions;
  }

  bookmark(): void {
    this.send({ type: 'BOOKMARK', object: { kind: this.kind, apiVersion: 'v1', metadata: { resourceVersion: this.version } } });
  }

  /** To all open watches. */
  send(event: object): void {
    this.sendText(`${JSON.stringify(event)}\n`);
  }

  sendText(text: string): void {
    for (const { response } of this.#open) response.write(text);
  }

  /** Ends all open watches as a server does whose time for them is over. */
  endWatches(): void {
    for (const { response } of this.#open) response.end();
    this.#open.clear();
  }

  breakWatches(): void {
    for (const { response } of this.#open) response.destroy();
    this.#open.clear();
  }

  #tell(type: string, object: KubeObject): void {
    const event: StoredEvent = { version: this.#version, type, object };
    this.#events.push(event);
    this.send({ type, object });
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { searchParams } = new URL(request.url ?? '', 'http://edge');
    const of = searchParams.get('watch') === 'true' ? 'watch' : 'list';
    const asked = searchParams.get('resourceVersion') ?? '';
    (of === 'list' ? this.lists : this.watches).push(asked);
    const at = this.#faults.findIndex((one) => one.of === of);
    const [fault] = at < 0 ? [] : this.#faults.splice(at, 1);
    if (fault !== undefined) return fault.fault(response);
    if (of === 'list') this.#list(response);
    else this.#watch(response, asked, Number(searchParams.get('timeoutSeconds')));
  }

  #list(response: ServerResponse): void {
    // An API server names the kind in the list, and not in its objects.
    const items = [...this.#objects.values()].map((object) => ({ ...object, apiVersion: undefined, kind: undefined }));
    answerJson(response, 200, { kind: `${this.kind}List`, apiVersion: 'v1', metadata: { resourceVersion: this.version }, items });
  }

  #watch(response: ServerResponse, version: string, timeoutSeconds: number): void {
    if (Number(version) < this.#oldest) return refuse(response, 410, 'Expired', `too old resource version: ${version}`);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    for (const { version: at, type, object } of this.#events) {
      if (at > Number(version)) response.write(`${JSON.stringify({ type, object })}\n`);
    }
    const watch: OpenWatch = { version, timeoutSeconds, response };
    this.#open.add(watch);
    response.on('close', () => this.#open.delete(watch));
  }
}

export function answerJson(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** As the API server refuses. */
export function refuse(
  response: ServerResponse,
  code: number,
  reason: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  answerJson(response, code, statusOf(code, reason, message), headers);
}

export function statusOf(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}
