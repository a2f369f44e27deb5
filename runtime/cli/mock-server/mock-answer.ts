import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject } from '../../base/json/json-object.ts';

/** What `rollout mock-server` answers: a model server that repeats the last message. */

export interface MockAnswer {
  readonly status: number;
  readonly body: object;
}

const MODEL = 'mock';

/** `text`: the body of the request; empty for one without. `failureRate`: share of the requests that are refused, the same ones each time. */
export function mockAnswer(method: string, path: string, text: string, failureRate = 0): MockAnswer {
  if (method === 'GET' && path === '/health') return { status: 200, body: { status: 'ok' } };
  if (method === 'GET' && path === '/v1/models') return { status: 200, body: { object: 'list', data: [{ id: MODEL, object: 'model' }] } };
  if (method !== 'POST') return refused(404, `nothing is at ${method} ${path}`);
  const request = parsed(text);
  if (request === null) return refused(400, 'the body is not a JSON object');
  if (shareOf(text) < failureRate) return refused(400, 'this request is one of those that --failure-rate refuses');
  switch (path) {
    case '/v1/chat/completions':
      return completion('chat.completion', request, { message: { role: 'assistant', content: echoOf(request['messages']) } });
    case '/v1/completions':
      return completion('text_completion', request, { text: echoOf(request['prompt']) });
    case '/v1/embeddings':
      return {
        status: 200,
        body: { object: 'list', model: modelOf(request), data: [{ object: 'embedding', index: 0, embedding: [0, 1] }] },
      };
    default:
      return refused(404, `nothing is at POST ${path}`);
  }
}

/** Evenly spread from 0 to 1, and always the same for a text. */
function shareOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32;
}

function completion(object: string, request: JsonObject, choice: object): MockAnswer {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return {
    status: 200,
    body: { id: 'mock-1', object, model: modelOf(request), choices: [{ index: 0, finish_reason: 'stop', ...choice }], usage },
  };
}

function modelOf(request: JsonObject): string {
  return typeof request['model'] === 'string' ? request['model'] : MODEL;
}

/** The last message's text, or the prompt's. */
function echoOf(asked: unknown): string {
  const last: unknown = Array.isArray(asked) ? asked.at(-1) : asked;
  if (typeof last === 'string') return last;
  const content = typeof last === 'object' && last !== null && 'content' in last ? last.content : '';
  return typeof content === 'string' ? content : JSON.stringify(content);
}

function parsed(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

function refused(status: number, message: string): MockAnswer {
  return { status, body: { error: { message, type: 'invalid_request_error' } } };
}
