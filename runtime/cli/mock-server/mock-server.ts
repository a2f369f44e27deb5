import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { mustGet } from '../../base/assert.ts';
import { parseDurationMs } from '../../base/config/quantity.ts';
import type { ExitCode } from '../../base/exit.ts';
import type { CliDeps } from '../deps.ts';
import { serveUntilTold } from '../serve-until-told.ts';
import { mockAnswer } from './mock-answer.ts';

export interface MockServerArguments {
  readonly host: string;
  readonly port: number;
  readonly latency: string;
  /** Share of the requests that are refused; none by default. */
  readonly failureRate?: number;
}

/** More than a line of a list may have. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** `rollout mock-server`: an OpenAI-compatible server without a model, for trials. Serves until it is told to end. */
export async function mockServer(deps: CliDeps, args: MockServerArguments): Promise<ExitCode> {
  const { host, port } = args;
  const server = createServer((request, response) => {
    answer(deps, args, request, response).catch(() => response.destroy());
  });
  return serveUntilTold(deps, 'mock-server', server, { host, port });
}

async function answer(deps: CliDeps, args: MockServerArguments, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const latencyMs = mustGet(parseDurationMs(args.latency), 'a checked duration');
  const text = await bodyOf(request);
  const path = (request.url ?? '').replace(/[?#].*$/, '');
  if (request.method === 'POST') await deps.clock.sleep(latencyMs);
  const { status, body } = mockAnswer(request.method ?? '', path, text, args.failureRate);
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
