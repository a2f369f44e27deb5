import { halfJitterMs } from '../base/backoff.ts';
import { isJsonObject, type JsonObject } from '../base/json-object.ts';
import type { Random } from '../base/random.ts';
import type { Attempt } from '../model/row.ts';
import { jsonText, plainText, type Response } from '../results/output-line.ts';
import type { Execution } from './backends/contract.ts';

/** What an execution means for its item. The worker never retries by itself. */
export type Judgement =
  | { readonly kind: 'result'; readonly response: Response }
  | {
      readonly kind: 'error';
      readonly code: string;
      readonly message: string;
      readonly response: Response | null;
      /** Counts against maxAttempts, and goes back while attempts are left. */
      readonly isRetryable: boolean;
      readonly delayMs: number;
    }
  /** Uncounted. quietMs: what the server asked for, 0 where it did not say. */
  | { readonly kind: 'throttled'; readonly delayMs: number; readonly quietMs: number }
  | { readonly kind: 'quota' }
  | { readonly kind: 'unavailable'; readonly detail: string };

/** Delay before an item that failed is tried again: 0.5 s doubling to 8 s, as OpenAI's own clients do. */
export const RETRY_BASE_MS = 500;
export const RETRY_CAP_MS = 8_000;
/** A server may ask for any delay; beyond a day it is a mistake, and the field on the wire has 32 bits. */
export const MAX_DELAY_MS: number = 24 * 3_600_000;

const THROTTLE_STATUSES: readonly number[] = [429, 503];
const RETRYABLE_STATUSES: readonly number[] = [408, 409];

type Answer = Extract<Execution, { kind: 'answered' }>;

/** The worker does not know an item's failures; the attempt is the nearest it has, and grows with them. */
export function judge(execution: Execution, attempt: Attempt, random: Random): Judgement {
  // Drawn only where it is needed: most executions succeed.
  const drawDelayMs = (): number => Math.round(halfJitterMs(attempt - 1, RETRY_BASE_MS, RETRY_CAP_MS, random));
  switch (execution.kind) {
    case 'answered':
      return judgeAnswer(execution, drawDelayMs);
    case 'failed':
      return failed(execution, drawDelayMs);
    case 'unavailable':
      return { kind: 'unavailable', detail: execution.detail };
  }
}

function failed({ code, message }: Extract<Execution, { kind: 'failed' }>, drawDelayMs: () => number): Judgement {
  const isRetryable = code === 'timeout' || code === 'connection_reset';
  return { kind: 'error', code, message, response: null, isRetryable, delayMs: isRetryable ? drawDelayMs() : 0 };
}

function judgeAnswer(answer: Answer, drawDelayMs: () => number): Judgement {
  const { status } = answer;
  if (status >= 200 && status < 300) return judgeSuccess(answer, drawDelayMs);
  if (THROTTLE_STATUSES.includes(status)) return judgeThrottle(answer, drawDelayMs);
  const isRetryable = RETRYABLE_STATUSES.includes(status) || status >= 500;
  return {
    kind: 'error',
    code: `http_${status}`,
    message: messageOf(answer),
    response: responseOf(answer),
    isRetryable,
    delayMs: isRetryable ? drawDelayMs() : 0,
  };
}

function judgeSuccess(answer: Answer, drawDelayMs: () => number): Judgement {
  if (answer.headers['content-type']?.startsWith('text/event-stream') === true) {
    const message = 'the server streamed its answer: take "stream": true out of the body';
    return { kind: 'error', code: 'streamed_answer', message, response: null, isRetryable: false, delayMs: 0 };
  }
  if (answer.body.byteLength === 0) return broken('empty_answer', `the server answered ${answer.status} with no body`, drawDelayMs);
  const body = jsonText(answer.body);
  if (body === null || !body.trimStart().startsWith('{')) {
    const message = `the server answered ${answer.status} with a body that is not a whole JSON object${hintOf(answer.headers)}`;
    return broken('truncated_answer', message, drawDelayMs);
  }
  return { kind: 'result', response: { statusCode: answer.status, requestId: answer.requestId, body } };
}

/** A success by its status, and no answer by its body: a failure that counts. */
function broken(code: string, message: string, drawDelayMs: () => number): Judgement {
  return { kind: 'error', code, message, response: null, isRetryable: true, delayMs: drawDelayMs() };
}

/** What the headers say about a body that cannot be read. */
function hintOf(headers: Readonly<Record<string, string>>): string {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') return `: it is compressed (${encoding}) although it was asked not to be`;
  const type = headers['content-type']?.split(';')[0] ?? '';
  return type === '' || type.endsWith('json') ? '' : `: it is ${type}; is the base URL the one of the model server?`;
}

function judgeThrottle(answer: Answer, drawDelayMs: () => number): Judgement {
  if (isQuota(answer)) return { kind: 'quota' };
  const quietMs = statedDelayMs(answer.headers);
  return { kind: 'throttled', delayMs: quietMs > 0 ? quietMs : drawDelayMs(), quietMs };
}

/**
 * What the server asked for, in milliseconds; 0 where it did not say. `retry-after-ms` is OpenAI's own; Retry-After (RFC 9110, 10.2.3)
 * is seconds, or a date, which is compared with the same answer's Date, since the clocks of two machines differ.
 */
export function statedDelayMs(headers: Readonly<Record<string, string>>): number {
  const ms = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(ms)) return bounded(ms);
  const stated = headers['retry-after'];
  if (stated === undefined) return 0;
  const seconds = Number(stated);
  if (Number.isFinite(seconds)) return bounded(seconds * 1_000);
  return bounded(Date.parse(stated) - Date.parse(headers['date'] ?? ''));
}

function bounded(ms: number): number {
  return Number.isFinite(ms) ? Math.round(Math.min(MAX_DELAY_MS, Math.max(0, ms))) : 0;
}

function isQuota(answer: Answer): boolean {
  const error = errorMember(answer);
  return error?.['code'] === 'insufficient_quota' || error?.['type'] === 'insufficient_quota';
}

/** A server's message may be a whole page; its beginning says what is wrong. */
const LONGEST_MESSAGE = 500;

function messageOf(answer: Answer): string {
  const told = errorMember(answer)?.['message'];
  const prefix = `the server answered ${answer.status}`;
  if (typeof told === 'string' && told !== '') return `${prefix}: ${told.slice(0, LONGEST_MESSAGE)}`;
  const location = answer.headers['location'];
  if (answer.status < 300 || answer.status >= 400 || location === undefined) return prefix;
  return `${prefix}, a redirection to ${location.slice(0, LONGEST_MESSAGE)}, which is not followed: give the address itself as base URL`;
}

/** `error` of the body, in the shape of OpenAI; servers that answer otherwise have none. */
function errorMember(answer: Answer): JsonObject | null {
  const text = jsonText(answer.body);
  const value: unknown = text === null ? null : JSON.parse(text);
  const error = isJsonObject(value) ? value['error'] : null;
  return isJsonObject(error) ? error : null;
}

function responseOf(answer: Answer): Response {
  const body = answer.body.byteLength === 0 ? 'null' : (jsonText(answer.body) ?? plainText(answer.body));
  return { statusCode: answer.status, requestId: answer.requestId, body };
}
