import { createServer, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { Timer } from '../../runtime/base/clock.ts';
import { closeNow, listenOn } from '../../runtime/base/http-listen.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { Guard } from './guard.ts';
import { type Page, type Pages, textPage } from './page.ts';

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

/** PEM. */
export interface ServedPair {
  readonly cert: string;
  readonly key: string;
}

/** What an endpoint shows that is reached from elsewhere, and who it lets in. */
export interface Protection {
  readonly pair: ServedPair;
  /** Calls back with each pair that takes the place of the one before, until it is stopped. */
  readonly follow: (onPair: (pair: ServedPair) => void) => Timer;
  readonly guard: Guard;
}

/** Who asks, asks in one line: slower ones are let go of. */
const SLOWEST_MS = 5_000;
const CHECK_MS = 1_000;
/** The kubelet and a few collectors; more is a mistake, and must not use up the process's files. */
const MAX_CONNECTIONS = 64;

const LIMITS: ServerOptions = {
  requestTimeout: SLOWEST_MS,
  headersTimeout: SLOWEST_MS,
  keepAliveTimeout: SLOWEST_MS,
  connectionsCheckingInterval: CHECK_MS,
};

/** Answers GET and HEAD: plain, or with `protection` over TLS and to those alone whom its guard lets in. Rejects where the port cannot be had. */
export async function startEndpoint(
  { host, port }: EndpointPlace,
  pages: Pages,
  log: Log,
  protection: Protection | null = null,
): Promise<Endpoint> {
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    answer(pages, protection?.guard ?? null, request, response).catch((error: unknown) => {
      log.warn({ err: error, path: request.url }, 'a page could not be made');
      response.destroy();
    });
  };
  const tls = protection === null ? null : createTlsServer({ ...LIMITS, handshakeTimeout: SLOWEST_MS, ...protection.pair }, onRequest);
  const server = tls ?? createServer(LIMITS, onRequest);
  server.maxConnections = MAX_CONNECTIONS;
  const bound = await listenOn(server, host, port);
  server.on('error', (error) => log.debug({ err: error }, 'HTTP endpoint'));
  const following = tls === null ? null : protection?.follow((pair) => take(tls, pair, log));
  return {
    port: bound,
    stop: async () => {
      following?.stop();
      await closeNow(server);
    },
  };
}

/** Connections that are there keep what they were made with. */
function take(server: TlsServer, pair: ServedPair, log: Log): void {
  try {
    server.setSecureContext(pair);
    log.info({}, 'a new certificate is shown');
  } catch (error) {
    log.error({ err: error }, 'a new certificate cannot be used, and the last one stays');
  }
}

async function answer(pages: Pages, guard: Guard | null, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, contentType, body, headers } = await pageOf(pages, guard, request);
  response.writeHead(status, {
    ...headers,
    'content-type': contentType,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function pageOf(pages: Pages, guard: Guard | null, { method, url = '', headers }: IncomingMessage): Promise<Page> {
  if (method !== 'GET' && method !== 'HEAD') return textPage(405, 'only GET and HEAD');
  const path = url.replace(/[?#].*$/, '');
  const page = Object.hasOwn(pages, path) ? pages[path] : undefined;
  if (page === undefined) return textPage(404, 'no such page');
  return (await guard?.(path, headers.authorization)) ?? (await page());
}
