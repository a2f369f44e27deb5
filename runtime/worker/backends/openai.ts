import { mustGet } from '../../base/assert.ts';
import { isJsonObject } from '../../base/json/json-object.ts';
import { type Item, isStreamed } from '../../model/item.ts';
import { MOST_ANSWER_BYTES } from '../../model/limits.ts';
import type { AnswerBudget } from './answer-budget.ts';
import { type ReadLimits, readEvents, readWhole, recognizeEvents } from './answer-reader.ts';
import { type Connection, connectTo } from './connection.ts';
import type { Backend, Executed, Hide, Readiness, Request, Stop } from './contract.ts';
import { type EndpointUrl, endpointUrl, requestPath, shownUrl, unsendable } from './endpoint-url.ts';
import { failureOf, probeDetailOf } from './failure.ts';
import { hidingOf } from './hiding.ts';
import { bodyWithModel, type ModelChoice } from './model-choice.ts';

export interface OpenAiSettings extends ModelChoice {
  /** At least one. Each may end in /v1, or in any path that takes its place. */
  readonly baseUrls: readonly string[];
  readonly apiKey: string | null;
  /** The environment variable that the key is taken from, for messages. */
  readonly apiKeyEnv: string;
  /** The header that carries the key by itself; null: `Authorization: Bearer`. */
  readonly apiKeyHeader: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly concurrency: number;
  readonly maxAnswerBytes: number;
  /** Shared by all endpoints. */
  readonly budget: AnswerBudget;
  /** Where it names proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Certificates of authorities, PEM; null: those that Node trusts. */
  readonly authorities: readonly string[] | null;
}

const DEFAULT_PATH = '/v1/chat/completions';
const MODELS_PATH = '/v1/models';
/** Answers to GET /v1/models that show a server which would answer items, even where it keeps no list of models or keeps it to itself. */
const PRESENT_STATUSES: readonly number[] = [401, 403, 404, 405];

type Headers = Readonly<Record<string, string>>;

/** OpenAI-compatible servers, over HTTP/1.1 with connections kept alive. */
export function createOpenAiBackend(settings: OpenAiSettings): Backend {
  const { env, authorities } = settings;
  // One connection more than items, so that a health probe never waits for one.
  const connections = settings.concurrency + 1;
  const endpoints = settings.baseUrls.map((baseUrl) => {
    const url = endpointUrl(baseUrl);
    const connection = connectTo(url, { connections, env, authorities });
    return { url, connection, headers: { ...ownHeaders(settings), ...connection.headers } };
  });
  const at = (endpoint: number): Endpoint => mustGet(endpoints[endpoint], 'an endpoint of this backend');
  const hide = hidingOf([
    ...(settings.apiKey === null ? [] : [settings.apiKey]),
    ...Object.values(settings.headers),
    ...endpoints.flatMap(({ connection }) => connection.secrets),
  ]);
  return {
    endpoints: endpoints.map(({ url }) => `${url.origin}${url.prefix}`),
    hide,
    isReady: (endpoint, signal) => probe(at(endpoint), hide, signal),
    execute: (endpoint, request, stop) => post(at(endpoint), settings, request, timeOf(stop)),
    close: async () => {
      await Promise.all(endpoints.map(({ connection }) => connection.pool.destroy()));
    },
  };
}

type Time = Pick<ReadLimits, 'signal' | 'uncounted'>;

function timeOf(stop: Stop): Time {
  return { signal: stop.signal, uncounted: (wait) => stop.uncounted?.(wait) ?? wait };
}

interface Endpoint {
  readonly url: EndpointUrl;
  readonly connection: Connection;
  readonly headers: Headers;
}

/** What is said by name counts more than what the key's variable happens to hold. */
function ownHeaders({ apiKey, apiKeyHeader, headers }: OpenAiSettings): Headers {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const key = apiKeyHeader === null ? { authorization: `Bearer ${apiKey}` } : { [apiKeyHeader.toLowerCase()]: apiKey ?? '' };
  return { ...(apiKey === null ? {} : key), ...(Object.fromEntries(named) as Headers) };
}

/** A refusal reads `address: why`, since it is shown far from this server's settings. */
async function probe({ url, connection, headers }: Endpoint, hide: Hide, signal: AbortSignal): Promise<Readiness> {
  const path = requestPath(url, MODELS_PATH);
  const asked = `${shownUrl(url, path)}${connection.way}`;
  try {
    const request = { method: 'GET', path: `${connection.pathPrefix}${path}`, headers, signal } as const;
    const { statusCode, body } = await connection.pool.request(request);
    await body.dump();
    const isPresent = (statusCode >= 200 && statusCode < 300) || PRESENT_STATUSES.includes(statusCode);
    return isPresent ? { kind: 'ready' } : { kind: 'not-ready', detail: `${asked}: ${statusTold(statusCode)}` };
  } catch (error) {
    return { kind: 'not-ready', detail: hide(`${asked}: ${probeDetailOf(url.origin, error)}`) };
  }
}

const PROXY_WANTS_A_NAME = 407;

function statusTold(status: number): string {
  const advice = ': the proxy wants a name and a password, as in http_proxy=http://name:password@host:port';
  return `answered ${status}${status === PROXY_WANTS_A_NAME ? advice : ''}`;
}

async function post(endpoint: Endpoint, settings: OpenAiSettings, request: Request, { signal, uncounted }: Time): Promise<Executed> {
  const { url, connection, headers } = endpoint;
  const path = requestPath(url, request.item.url || DEFAULT_PATH);
  const reason = refusalOf(request.item, path);
  if (reason !== null) return { kind: 'failed', code: 'invalid_request', message: reason };
  const { maxAnswerBytes, budget } = settings;
  const asked = shownUrl(url, path);
  try {
    const response = await connection.pool.request({
      method: 'POST',
      path: `${connection.pathPrefix}${path}`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        ...headers,
        'x-request-id': request.requestId,
      },
      body: bodyWithModel(request, settings),
      signal,
    });
    const answerHeaders = flat(response.headers);
    if (response.statusCode === PROXY_WANTS_A_NAME && connection.pathPrefix !== '') {
      await response.body.dump();
      return { kind: 'unavailable', detail: `${asked}${connection.way}: ${statusTold(response.statusCode)}` };
    }
    const limits = { maxAnswerBytes, budget, signal, uncounted };
    const { body, isEvents } = await bodyOf(response.body, answerHeaders, isStreamed(request.item));
    const isStream = isEvents && isStreamable(asked);
    const read = isStream ? await readEvents(body, limits) : await readWhole(body, limits);
    if (read.kind === 'too-large') return tooLarge(maxAnswerBytes);
    if (read.kind === 'cut')
      return { kind: 'failed', code: 'truncated_answer', message: `the stream of ${asked} ended before its answer was whole` };
    return {
      kind: 'answered',
      url: asked,
      status: response.statusCode,
      requestId: answerHeaders['x-request-id'] ?? null,
      headers: isStream ? { ...answerHeaders, 'content-type': 'application/json' } : answerHeaders,
      body: read.body,
      ...noteOf(settings, connection, response.statusCode),
    };
  } catch (error) {
    return failureOf(`${asked}${connection.way}`, error);
  }
}

const KEY_REFUSALS: readonly number[] = [401, 403];

function noteOf(settings: OpenAiSettings, { pathPrefix, way }: Connection, status: number): { readonly note?: string } {
  const notes = [
    ...(isKeyless(settings) && KEY_REFUSALS.includes(status) ? [`no key was sent: ${settings.apiKeyEnv} is not set`] : []),
    // A tunnel shows whose answer it is.
    ...(pathPrefix === '' ? [] : [`asked${way}, which may have given this answer itself`]),
  ];
  return notes.length === 0 ? {} : { note: notes.join('; ') };
}

/** Not where another header may be the key. */
function isKeyless({ apiKey, headers }: OpenAiSettings): boolean {
  return apiKey === null && !Object.keys(headers).some((name) => /auth|key|token|cookie/i.test(name));
}

/** Why the request cannot be sent, null where it can. */
function refusalOf(item: Item, path: string): string | null {
  if (!isJsonObject(item.body)) return 'an OpenAI-compatible server takes an object, and the item is none';
  if (isStreamed(item) && !isStreamable(path))
    return 'body.stream is true, and events are collected of chat/completions and completions alone: take "stream" out of the body';
  return unsendable(path);
}

function isStreamable(path: string): boolean {
  return /\/completions\/*(?:\?|$)/.test(path);
}

type Body = AsyncIterable<Uint8Array>;

/** Where a stream was asked for, the body says more than its type, which may be that of a proxy. */
async function bodyOf(body: Body, headers: Headers, isAsked: boolean): Promise<{ readonly body: Body; readonly isEvents: boolean }> {
  if (headers['content-type']?.toLowerCase().startsWith('text/event-stream') === true) return { body, isEvents: true };
  return isAsked ? recognizeEvents(body) : { body, isEvents: false };
}

function tooLarge(maxAnswerBytes: number): Executed {
  const advice = maxAnswerBytes < MOST_ANSWER_BYTES ? ', or raise it' : '; it is at its maximum';
  const message = `the answer is longer than maxAnswerBytes (--max-answer-bytes, ${maxAnswerBytes} bytes): ask for less, for example with max_tokens${advice}`;
  return { kind: 'failed', code: 'response_too_large', message };
}

function flat(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return Object.fromEntries(entries) as Headers;
}
