import type { Clock } from '../../base/clock.ts';
import { isJsonObject } from '../../base/json/json-object.ts';
import { seededRandom } from '../../base/random.ts';
import type { Backend, Executed, Request } from './contract.ts';
import { hidingOf } from './hiding.ts';

export interface MockSettings {
  readonly latencyMs: number;
  /** An execution takes up to so much longer: evenly drawn, from its request id. */
  readonly latencySpreadMs: number;
  /** Share of the executions that are answered with status 500. */
  readonly failureRate: number;
  readonly seed: number;
}

/** Answers like a chat model that repeats what it was told; the same execution is always answered alike. */
export function createMockBackend(settings: MockSettings, clock: Clock): Backend {
  return {
    endpoints: ['mock'],
    hide: hidingOf([]),
    isReady: () => Promise.resolve({ kind: 'ready' }),
    execute: async (_endpoint, request, stop) => {
      const { isFailure, latencyMs } = draw(settings, request.requestId);
      if (latencyMs > 0) await clock.sleep(latencyMs, stop.signal);
      return answer(isFailure, request);
    },
    close: () => Promise.resolve(),
  };
}

interface Drawn {
  readonly isFailure: boolean;
  readonly latencyMs: number;
}

/** Where nothing is left to chance, none is drawn: the hash would be most of the work of a mock that answers at once. */
function draw({ latencyMs, latencySpreadMs, failureRate, seed }: MockSettings, requestId: string): Drawn {
  if (failureRate === 0 && latencySpreadMs === 0) return { isFailure: false, latencyMs };
  const random = seededRandom(seedOf(seed, requestId));
  return { isFailure: random.next() < failureRate, latencyMs: latencyMs + random.next() * latencySpreadMs };
}

function answer(isFailure: boolean, request: Request): Executed {
  const body = isFailure
    ? { error: { message: 'the mock backend failed, as --mock-failure-rate (failureRate in a settings file) says', type: 'server_error' } }
    : completion(request);
  return {
    kind: 'answered',
    url: 'mock',
    status: isFailure ? 500 : 200,
    requestId: `mock-${request.requestId}`,
    headers: {},
    body: { text: JSON.stringify(body), value: body },
  };
}

function completion(request: Request): object {
  return {
    id: `chatcmpl-${request.requestId}`,
    object: 'chat.completion',
    model: 'mock',
    choices: [{ index: 0, message: { role: 'assistant', content: echo(request.item.body) }, finish_reason: 'stop' }],
  };
}

/** The content of the last message, or the whole body where it holds no messages. */
function echo(body: unknown): string {
  const messages: unknown = isJsonObject(body) ? body['messages'] : undefined;
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = isJsonObject(last) ? last['content'] : undefined;
  return typeof content === 'string' ? content : JSON.stringify(body);
}

/**
 * FNV-1a (Fowler, Noll, Vo) over the name's UTF-16 code units, and the last step of MurmurHash3, so that names that differ in their end
 * alone differ in all bits: cheap, since runs on this backend measure the rest.
 */
function seedOf(seed: number, requestId: string): number {
  let hash = 0x811c9dc5 ^ seed;
  for (let at = 0; at < requestId.length; at++) hash = Math.imul(hash ^ requestId.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
