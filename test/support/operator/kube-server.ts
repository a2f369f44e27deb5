import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { ExecutionContext } from 'ava';
import type { KubeObject } from '../../../operator/kube/object.ts';

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: string;
}

/** What is answered in the place of the server's own answer; undefined: its own. */
export type Answering = (asked: Asked, response: ServerResponse) => boolean | undefined;

/**
 * A small API server over HTTP: objects of all kinds, by their paths. It creates, lists by labels and fields, patches and deletes, as far
 * as the command line meets that. It checks nothing of an object and keeps no history.
 */
export class KubeServer {
  readonly asked: Asked[] = [];
  /** By the path of the object. */
  readonly objects: Map<string, KubeObject> = new Map();
  /** Kinds that are not known: their paths begin so. */
  readonly unknown: string[] = [];
  /** Asked first, the newest of them before the others. */
  readonly answering: Answering[] = [];
  #version = 100;
  #server: Server | null = null;

  /** The server's address. */
  async start(t: ExecutionContext): Promise<string> {
    const server = createServer((request, response) => {
      this.#receive(request, response).catch((error: unknown) => {
        t.log(error);
        response.destroy();
      });
    });
    this.#server = server;
    t.teardown(() => this.stop());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    if (server === null) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  }

  /** Puts an object where its path says; what the server would fill in is filled in. */
  put(collection: string, object: KubeObject): KubeObject {
    const { name } = object.metadata;
    this.#version += 1;
    const resourceVersion = String(this.#version);
    const stored = { ...object, metadata: { uid: `uid-${name}`, generation: 1, ...object.metadata, resourceVersion } };
    this.objects.set(`${collection}/${name}`, stored);
    return stored;
  }

  /** The calls that change something. */
  get changes(): readonly string[] {
    return this.asked.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked: Asked = { method: request.method ?? '', path: request.url ?? '', body: await text(request) };
    this.asked.push(asked);
    if (this.answering.toReversed().some((answer) => answer(asked, response) === true)) return;
    const { pathname, searchParams } = new URL(asked.path, 'http://server');
    if (this.unknown.some((start) => pathname.startsWith(start))) {
      response.writeHead(404, { 'content-type': 'text/plain' });
      response.end('404 page not found\n');
      return;
    }
    this.#answer(asked, pathname, searchParams, response);
  }

  #answer({ method, body }: Asked, path: string, query: URLSearchParams, response: ServerResponse): void {
    if (method === 'GET')
      return this.objects.has(path) ? answerJson(response, 200, this.objects.get(path) ?? {}) : this.#list(path, query, response);
    if (method === 'POST') return this.#create(path, query, JSON.parse(body) as KubeObject, response);
    const found = this.objects.get(path);
    if (method === 'PATCH' && query.get('dryRun') === 'All') return answerJson(response, 200, JSON.parse(body) as object);
    if (found === undefined) return refuse(response, 404, 'NotFound', `"${path.split('/').at(-1)}" not found`);
    if (method === 'PATCH') return answerJson(response, 200, this.#patch(path, found, JSON.parse(body) as KubeObject));
    const { preconditions } = JSON.parse(body) as { readonly preconditions?: { readonly uid?: string } };
    if (preconditions?.uid !== undefined && preconditions.uid !== found.metadata.uid)
      return refuse(response, 409, 'Conflict', 'the UID in the precondition does not match the UID in record: UID in precondition');
    this.objects.delete(path);
    return answerJson(response, 200, { kind: 'Status', status: 'Success' });
  }

  /** Lists end with the plural of a kind; a path of an object that is not there is found out by its length. */
  #list(path: string, query: URLSearchParams, response: ServerResponse): void {
    if (!isCollection(path)) return refuse(response, 404, 'NotFound', `"${path.split('/').at(-1)}" not found`);
    const plural = path.split('/').at(-1) ?? '';
    const isEverywhere = !path.includes('/namespaces/');
    const all = [...this.objects].filter(([at]) => {
      const collection = at.split('/').slice(0, -1).join('/');
      return isEverywhere
        ? collection.startsWith(path.slice(0, -plural.length - 1)) && collection.endsWith(`/${plural}`)
        : collection === path;
    });
    const items = all.map(([, object]) => object).filter((object) => isSelected(object, query));
    const [from, limit] = [Number(query.get('continue') ?? 0), Number(query.get('limit') ?? items.length)];
    const more = from + limit < items.length ? { continue: String(from + limit) } : {};
    answerJson(response, 200, { metadata: { resourceVersion: String(this.#version), ...more }, items: items.slice(from, from + limit) });
  }

  #create(path: string, query: URLSearchParams, object: KubeObject, response: ServerResponse): void {
    const { name } = object.metadata;
    if (this.objects.has(`${path}/${name}`))
      return refuse(response, 409, 'AlreadyExists', `${path.split('/').at(-1)} "${name}" already exists`);
    if (query.get('dryRun') === 'All') return answerJson(response, 201, object);
    answerJson(response, 201, this.put(path, object));
  }

  #patch(path: string, found: KubeObject, patch: KubeObject): KubeObject {
    const metadata = { ...found.metadata, ...patch.metadata, generation: (found.metadata.generation ?? 1) + 1 };
    const spec = { ...specOf(found), ...specOf(patch) };
    return this.put(path.split('/').slice(0, -1).join('/'), { ...found, metadata, spec } as KubeObject);
  }
}

function specOf(object: KubeObject): object {
  return (object as { readonly spec?: object }).spec ?? {};
}

/** `/api/v1/pods`, `/api/v1/namespaces/ns/pods`, `/apis/group/v1/namespaces/ns/plural`. */
function isCollection(path: string): boolean {
  return /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+)?\/[^/]+$/.test(path);
}

function isSelected(object: KubeObject, query: URLSearchParams): boolean {
  const wanted = (query.get('labelSelector') ?? '').split(',').filter((one) => one !== '');
  const hasLabels = wanted.every((one) => object.metadata.labels?.[one.split('=')[0] ?? ''] === one.split('=')[1]);
  const involved = /^involvedObject\.name=(.*)$/.exec(query.get('fieldSelector') ?? '')?.[1];
  const { involvedObject } = object as { readonly involvedObject?: { readonly name?: string } };
  return hasLabels && (involved === undefined || involvedObject?.name === involved);
}

function answerJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** As the API server refuses. */
export function refuse(response: ServerResponse, code: number, reason: string, message: string, details: object = {}): void {
  answerJson(response, code, { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details });
}
