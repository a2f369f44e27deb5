import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { mustGet } from '../../base/assert.ts';
import { parseDurationMs } from '../../base/config/quantity.ts';
import { RolloutError } from '../../base/errors.ts';
import { EXIT, type ExitCode } from '../../base/exit.ts';
import { type CliDeps, say } from '../deps.ts';
import { mockAnswer } from './mock-answer.ts';

export interface MockServerArguments {
  readonly host: string;
  readonly port: number;
  readonly latency: string;
}

/** More than a line of a list may have. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** `rollout mock-server`: an OpenAI-compatible server without a model, for trials. Serves until it is told to end. */
export async function mockServer(deps: CliDeps, { host, port, latency }: MockServerArguments): Promise<ExitCode> {
  const latencyMs = mustGet(parseDurationMs(latency), 'a checked duration');
  const server = createServer((request, response) => {
    answer(deps, latencyMs, request, response).catch(() => response.destroy());
  });
  const told = new Promise<void>((resolve) => {
    deps.onInterrupt(resolve);
  });
  say(deps.err, [`mock-server: listening on http://${host}:${await bind(server, host, port)}`]);
  await told;
  server.close();
  server.closeAllConnections();
  return EXIT.done;
}

async function answer(deps: CliDeps, latencyMs: number, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await bodyOf(request);
  const path = (request.url ?? '').replace(/[?#].*$/, '');
  if (request.method === 'POST') await deps.clock.sleep(latencyMs);
  const { status, body } = mockAnswer(request.method ?? '', path, text);
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_REQUEST_BYTES) throw new Error('the request is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function bind(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new RolloutError('CONFIG_INVALID', `cannot listen on ${host}:${port} (${cause.message}): choose another --host or --port`, {
          cause,
        }),
      ),
    );
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}
