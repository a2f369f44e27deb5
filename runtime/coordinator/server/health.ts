import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { RolloutError } from '../../base/errors.ts';
import { closeNow, listenOn } from '../../base/http-listen.ts';
import type { Log } from '../../base/log.ts';
import { type HealthView, healthAnswer } from './health-answer.ts';

/** Where the endpoints are wanted. One that nobody has asked for makes way where its port is taken. */
export interface HealthPlace {
  /** host:port; port 0 is the system's choice. */
  readonly listen: string;
  readonly isGiven: boolean;
}

export interface HealthServer {
  /** host:port really bound; null where none is wanted. */
  readonly address: string | null;
  stop(): Promise<void>;
}

/** A question is a line: who takes longer to ask, or to read the answer, is let go of. */
const SLOWEST_MS = 5_000;
/** Node looks only every 30 s unless told: for so long the silent would keep probes out. */
const CHECK_MS = 1_000;
/** Probes are few; more connections than this are a mistake, and must not use up the process's files. */
const MAX_CONNECTIONS = 64;

/** Answers from the process's first moments to its last, whatever it waits for. */
export async function startHealth(place: HealthPlace | null, log: Log, view: () => HealthView): Promise<HealthServer> {
  if (place === null) return { address: null, stop: async () => undefined };
  const server = createServer(
    { requestTimeout: SLOWEST_MS, headersTimeout: SLOWEST_MS, keepAliveTimeout: SLOWEST_MS, connectionsCheckingInterval: CHECK_MS },
    (request, response) => answer(request, response, view()),
  );
  server.maxConnections = MAX_CONNECTIONS;
  const { host, port } = partsOf(place.listen);
  const bound = await listenOn(server, host, port).catch((error: NodeJS.ErrnoException) => {
    if (place.isGiven || error.code !== 'EADDRINUSE') throw refused(place.listen, error);
    return listenOn(server, host, 0);
  });
  // What a broken connection does later is no concern of the run.
  server.on('error', (error) => log.debug({ err: error }, 'health endpoints'));
  const address = place.listen.replace(/\d+$/, String(bound));
  log.info({ address }, 'health endpoints: /healthz, /readyz, /health, /workers, /metrics');
  return { address, stop: () => closeNow(server) };
}

function answer(request: IncomingMessage, response: ServerResponse, view: HealthView): void {
  const path = (request.url ?? '').replace(/[?#].*$/, '');
  const { statusCode, contentType, body } = healthAnswer(request.method ?? '', path, view);
  response.writeHead(statusCode, { 'content-type': contentType, 'content-length': Buffer.byteLength(body), 'cache-control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

function partsOf(listen: string): { readonly host: string; readonly port: number } {
  const at = listen.lastIndexOf(':');
  return { host: listen.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(listen.slice(at + 1)) };
}

function refused(listen: string, cause: Error): RolloutError {
  const what = `cannot listen on ${listen} for the health endpoints (${cause.message})`;
  return new RolloutError('CONFIG_INVALID', `${what}: change the setting \`http\`, give port 0 for a free one, or \`none\``, { cause });
}
