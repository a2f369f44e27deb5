import { Pool } from 'undici';
import { present } from '../../base/assert.ts';
import { isJsonObject, type JsonObject } from '../../base/json-object.ts';
import type { Backend, Execution, Readiness, Request } from './contract.ts';
import { type EndpointUrl, endpointUrl, requestPath, shownUrl } from './endpoint-url.ts';

export interface OpenAiSettings {
  /** At least one. Each may end in /v1, or in any path that takes its place. */
  readonly baseUrls: readonly string[];
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
const MODELS_PATH = '/v1/models';
/** Answers to GET /v1/models that show a server which would answer items, even where it keeps no list of models or keeps it to itself. */
const PRESENT_STATUSES: readonly number[] = [401, 403, 404, 405];

/** OpenAI-compatible servers, over HTTP/1.1 with connections kept alive. */
export function createOpenAiBackend(settings: OpenAiSettings): Backend {
  const headers = { ...settings.headers, ...(settings.apiKey === null ? {} : { authorization: `Bearer ${settings.apiKey}` }) };
  const endpoints = settings.baseUrls.map((baseUrl) => connect(endpointUrl(baseUrl), settings.concurrency));
  const at = (endpoint: number): Endpoint => present(endpoints[endpoint], 'an endpoint of this backend');
  return {
    endpoints: endpoints.map(({ url }) => `${url.origin}${url.prefix}`),
    isReady: (endpoint, signal) => probe(at(endpoint), headers, signal),
    execute: (endpoint, request, signal) => post(at(endpoint), headers, settings, request, signal),
    close: async () => {
      await Promise.all(endpoints.map(({ pool }) => pool.destroy()));
    },
  };
}

interface Endpoint {
  readonly url: EndpointUrl;
  readonly pool: Pool;
}

/** One connection more than items, so that a health probe never waits for one. Times are the caller's, by signal. */
function connect(url: EndpointUrl, concurrency: number): Endpoint {
  const options = { pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect: { timeout: CONNECT_TIMEOUT_MS } };
  return { url, pool: new Pool(url.origin, { ...options, connections: concurrency + 1 }) };
}

/** A refusal reads `address: why`, since it is shown far from this server's settings. */
async function probe({ url, pool }: Endpoint, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Readiness> {
  const path = requestPath(url, MODELS_PATH);
  const shown = shownUrl(url, path);
  try {
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers, signal });
    await body.dump();
    const isPresent = (statusCode >= 200 && statusCode < 300) || PRESENT_STATUSES.includes(statusCode);
    return isPresent ? { kind: 'ready' } : { kind: 'not-ready', detail: `${shown}: answered ${statusCode}` };
  } catch (error) {
    return { kind: 'not-ready', detail: `${shown}: ${detailOf(error)}` };
  }
}

async function post(
  { url, pool }: Endpoint,
  headers: Readonly<Record<string, string>>,
  settings: OpenAiSettings,
  request: Request,
  signal: AbortSignal,
): Promise<Execution> {
  const { body } = request.item;
  if (!isJsonObject(body))
    return { kind: 'failed', code: 'invalid_request', message: 'an OpenAI-compatible server takes an object, and the item is none' };
  const path = requestPath(url, request.item.url || DEFAULT_PATH);
  const shown = shownUrl(url, path);
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
      url: shown,
      status: response.statusCode,
      requestId: answerHeaders['x-request-id'] ?? null,
      headers: answerHeaders,
      body: bytes,
    };
  } catch (error) {
    return failure(shown, error);
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

function failure(shown: string, error: unknown): Execution {
  const detail = detailOf(error);
  return causesOf(error).some(isBeforeConnection)
    ? { kind: 'unavailable', detail: `${shown}: ${detail}` }
    : { kind: 'failed', code: 'connection_reset', message: `the connection to ${shown} broke before the answer was whole (${detail})` };
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
