import { Pool } from 'undici';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import type { Backend, Execution, Readiness, Request } from './contract.ts';

export interface OpenAiSettings {
  /** May end in /v1, or in any path below which the server lives. */
  readonly baseUrl: string;
  /** Fills `body.model` where it is absent. */
  readonly model: string | null;
  /** Replaces `body.model`. */
  readonly overrideModel: string | null;
  readonly apiKey: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly concurrency: number;
}

/** An answer travels to the coordinator in one message of at most 16 MiB, with the line's other members around it. */
export const MAX_ANSWER_BYTES: number = 12 * 1024 * 1024;
/** A server that is there accepts a connection within this. */
const CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_PATH = '/v1/chat/completions';
/** Answers to GET /v1/models that show a server which would answer items, even where it keeps no list of models or keeps it to itself. */
const PRESENT_STATUSES: readonly number[] = [401, 403, 404, 405];

/** Any OpenAI-compatible server, over HTTP/1.1 with connections kept alive. */
export function createOpenAiBackend(settings: OpenAiSettings): Backend {
  const base = new URL(settings.baseUrl);
  // One connection more than items, so that a health probe never waits for one. Times are the caller's, by signal.
  const pool = new Pool(base.origin, {
    connections: settings.concurrency + 1,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  const headers = { ...settings.headers, ...(settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey}` }) };
  return {
    isReady: (signal) => probe(pool, base.origin, joinPath(base, '/v1/models'), headers, signal),
    execute: (request, signal) => post(pool, joinPath(base, request.item.url || DEFAULT_PATH), headers, settings, request, signal),
    close: () => pool.destroy(),
  };
}

/** The path below the base URL; a base that ends in /v1 and a line that begins with it mean the same. */
export function joinPath(base: URL, url: string): string {
  const prefix = base.pathname.replace(/\/+$/, '');
  const path = prefix.endsWith('/v1') && (url === '/v1' || url.startsWith('/v1/')) ? url.slice('/v1'.length) : url;
  return `${prefix}${path}`;
}

/** A refusal reads `address: why`, since it is shown far from this server's settings. */
async function probe(
  pool: Pool,
  origin: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Readiness> {
  try {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers, signal });
    await body.dump();
    const isPresent = (statusCode >= 200 && statusCode < 300) || PRESENT_STATUSES.includes(statusCode);
    return isPresent ? { kind: 'ready' } : { kind: 'not-ready', detail: `${origin}${path}: answered ${statusCode}` };
  } catch (error) {
    return { kind: 'not-ready', detail: `${origin}${path}: ${detailOf(error)}` };
  }
}

async function post(
  pool: Pool,
  path: string,
  headers: Readonly<Record<string, string>>,
  settings: OpenAiSettings,
  request: Request,
  signal: AbortSignal,
): Promise<Execution> {
  const { body } = request.item;
  if (!isJsonObject(body))
    return { kind: 'failed', code: 'not_a_request', message: 'an OpenAI-compatible server takes an object, and the item is none' };
  try {
    const response = await pool.request({
      method: 'POST',
      path,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...headers,
        'x-request-id': request.requestId,
      },
      body: JSON.stringify(withModel(body, settings)),
      signal,
    });
    const bytes = await readBounded(response.body);
    if (bytes === null) return tooLarge();
    const answerHeaders = flat(response.headers);
    return {
      kind: 'answered',
      status: response.statusCode,
      requestId: answerHeaders['x-request-id'] ?? null,
      headers: answerHeaders,
      body: bytes,
    };
  } catch (error) {
    return failure(error);
  }
}

function withModel(body: JsonObject, { model, overrideModel }: OpenAiSettings): JsonObject {
  if (overrideModel !== null) return { ...body, model: overrideModel };
  return model !== null && (body['model'] === undefined || body['model'] === null) ? { ...body, model } : body;
}

/** Null where the answer is longer than it may be; leaving the loop closes the connection. */
async function readBounded(body: AsyncIterable<Uint8Array>): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function tooLarge(): Execution {
  return {
    kind: 'failed',
    code: 'response_too_large',
    message: `the answer is longer than ${MAX_ANSWER_BYTES} bytes: ask for less, for example with max_tokens`,
  };
}

/** Errors before a connection stands: the server has not seen the request. */
const UNAVAILABLE_CODES: readonly string[] = ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EMFILE', 'ENFILE', 'UND_ERR_CONNECT_TIMEOUT'];
const UNAVAILABLE_CALLS: readonly string[] = ['connect', 'getaddrinfo'];
/** A server whose certificate is not accepted is not the one that was meant. */
const CERTIFICATE_CODE = /^(?:ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/;

function failure(error: unknown): Execution {
  const detail = detailOf(error);
  return causesOf(error).some(isBeforeConnection)
    ? { kind: 'unavailable', detail }
    : { kind: 'failed', code: 'connection_reset', message: `the connection broke before the answer was whole (${detail})` };
}

interface SystemError extends Error {
  readonly code?: string;
  readonly syscall?: string;
}

function isBeforeConnection({ code = '', syscall = '' }: SystemError): boolean {
  return UNAVAILABLE_CODES.includes(code) || UNAVAILABLE_CALLS.includes(syscall) || CERTIFICATE_CODE.test(code);
}

/** Node tries every address of a name and wraps the errors; the codes are on the wrapped ones. */
function causesOf(error: unknown): readonly SystemError[] {
  if (!(error instanceof Error)) return [];
  return error instanceof AggregateError ? [error, ...error.errors.flatMap(causesOf)] : [error];
}

function detailOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === ''
    ? causesOf(error)
        .map((cause) => cause.code ?? cause.message)
        .join(', ')
    : error.message;
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries) as Record<string, string>;
}
