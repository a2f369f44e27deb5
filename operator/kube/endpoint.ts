import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Log } from '../../runtime/base/log.ts';

/** One page of a small HTTP server. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** By path, without a query. */
export type Pages = Readonly<Record<string, () => Page | Promise<Page>>>;

export interface Endpoint {
  readonly port: number;
  stop(): Promise<void>;
}

export interface EndpointPlace {
  /** '' for all addresses. */
  readonly host: string;
  /** 0 for one that is free. */
  readonly port: number;
}

/** Who asks, asks in one line: slower ones are let go of. */
const SLOWEST_MS = 5_000;
const CHECK_MS = 1_000;
/** The kubelet and a few collectors; more is a mistake, and must not use up the process's files. */
const MAX_CONNECTIONS = 64;
const TEXT = 'text/plain; charset=utf-8';

export function textPage(status: number, body: string): Page {
  return { status, contentType: TEXT, body: `${body}\n` };
}

/** Answers GET and HEAD. Rejects where the port cannot be had. */
export async function startEndpoint({ host, port }: EndpointPlace, pages: Pages, log: Log): Promise<Endpoint> {
  const server = createServer(
    { requestTimeout: SLOWEST_MS, headersTimeout: SLOWEST_MS, keepAliveTimeout: SLOWEST_MS, connectionsCheckingInterval: CHECK_MS },
    (request, response) => {
      answer(pages, request, response).catch((error: unknown) => {
        log.warn({ err: error, path: request.url }, 'a page could not be made');
        response.destroy();
      });
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  const bound = await listen(server, host, port);
  server.on('error', (error) => log.debug({ err: error }, 'HTTP endpoint'));
  return { port: bound, stop: () => close(server) };
}

async function answer(pages: Pages, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, contentType, body } = await pageOf(pages, request);
  response.writeHead(status, { 'content-type': contentType, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function pageOf(pages: Pages, { method, url = '' }: IncomingMessage): Promise<Page> {
  if (method !== 'GET' && method !== 'HEAD') return textPage(405, 'only GET and HEAD');
  const path = url.replace(/[?#].*$/, '');
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  return page === undefined ? textPage(404, 'no such page') : await page();
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host === '' ? undefined : host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
