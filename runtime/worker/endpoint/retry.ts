import { assertNever } from '../../base/assert.ts';
import { halfJitterMs } from '../../base/backoff.ts';
import { isJsonObject } from '../../base/json/json-object.ts';
import type { Random } from '../../base/random.ts';
import { plainText, type Response } from '../../format/output-line.ts';
import type { Attempt } from '../../model/row.ts';
import type { Executed, Hide } from '../backends/contract.ts';
import { type AnswerBody, readBody } from './answer-body.ts';
import { namedBy, type Shape, shapeOf } from './answer-shape.ts';
import { type Blame, blameOf } from './blame.ts';
import { isWebPage, serverWords } from './server-words.ts';
import { statedDelayMs } from './stated-delay.ts';

/** What an execution means for its item. The worker never retries by itself. docs/answers.md has it as a table. */
export type Judgement =
  | { readonly kind: 'result'; readonly response: Response }
  | ({ readonly kind: 'error'; readonly blame: Blame; readonly delayMs: number } & Failure)
  /** Uncounted. quietMs: what the server asked for, 0 where it did not say. */
  | { readonly kind: 'throttled'; readonly error: Failure; readonly delayMs: number; readonly quietMs: number }
  | { readonly kind: 'unavailable'; readonly detail: string };

export interface Failure {
  readonly code: string;
  readonly message: string;
  /** What the server answered; null where no answer came. */
  readonly response: Response | null;
}

/** Delay before an item that failed is tried again: 0.5 s doubling to 8 s, as OpenAI's own clients do. */
export const RETRY_BASE_MS = 500;
export const RETRY_CAP_MS = 8_000;
/** No money is left: the run is to pause. */
export const QUOTA_CODE = 'insufficient_quota';
/** No whole answer came in time. */
export const TIMEOUT_CODE = 'timeout';

const THROTTLES: readonly number[] = [429, 503];
const NO_BYTES = new Uint8Array();

type Answered = Extract<Executed, { kind: 'answered' }>;

/** An answer that is no result, and what is known of it. */
interface Answer extends Omit<Answered, 'body'> {
  readonly read: AnswerBody;
  /** As the server sent it; empty where the backend has made the body. */
  readonly bytes: Uint8Array;
  readonly isPage: boolean;
  readonly hide: Hide;
  readonly wallMs: number;
  /** Drawn only where it is needed: most executions succeed. */
  readonly drawDelayMs: () => number;
}

/** The worker does not know an item's failures; the attempt is the nearest it has, and grows with them. `hide`: of the backend. */
export function judge(execution: Executed, attempt: Attempt, random: Random, hide: Hide, wallMs: number): Judgement {
  switch (execution.kind) {
    case 'answered': {
      const read = readOf(execution.body);
      const response = resultIn(execution, read);
      return response === null ? judgeAnswer(answerOf(execution, read, attempt, random, hide, wallMs)) : { kind: 'result', response };
    }
    case 'failed':
      return failed({ ...execution, message: hide(execution.message) }, delayOf(attempt, random));
    case 'unavailable':
      return { kind: 'unavailable', detail: hide(execution.detail) };
    default:
      return assertNever(execution);
  }
}

function readOf(body: Answered['body']): AnswerBody {
  return body instanceof Uint8Array ? readBody(body) : { kind: 'json', text: body.text, value: body.value };
}

/** Null where it is no result. Nearly every answer is one, so nothing is made here that only a refusal needs. */
function resultIn({ status, requestId, headers, url }: Answered, read: AnswerBody): Response | null {
  if (read.kind !== 'json' || !isSuccess(status) || status === 202 || isStreamed(headers)) return null;
  return shapeOf(url, read.value).kind === 'result' ? { statusCode: status, requestId, body: read.text } : null;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isStreamed(headers: Answered['headers']): boolean {
  return headers['content-type']?.startsWith('text/event-stream') === true;
}

function answerOf(execution: Answered, read: AnswerBody, attempt: Attempt, random: Random, hide: Hide, wallMs: number): Answer {
  const { body, ...rest } = execution;
  const bytes = body instanceof Uint8Array ? body : NO_BYTES;
  const isPage = read.kind !== 'json' && isWebPage(execution.headers['content-type'] ?? '', beginningOf(bytes));
  return { ...rest, bytes, read, isPage, hide, wallMs, drawDelayMs: delayOf(attempt, random) };
}

function delayOf(attempt: Attempt, random: Random): () => number {
  return () => Math.round(halfJitterMs(attempt - 1, RETRY_BASE_MS, RETRY_CAP_MS, random));
}

function failed({ code, message }: Extract<Executed, { kind: 'failed' }>, drawDelayMs: () => number): Judgement {
  const isUnknown = code === TIMEOUT_CODE || code === 'connection_reset' || code === 'truncated_answer';
  const failure = { code, message, response: null };
  return isUnknown
    ? { kind: 'error', ...failure, blame: 'unknown', delayMs: drawDelayMs() }
    : { kind: 'error', ...failure, blame: 'item', delayMs: 0 };
}

function judgeAnswer(answer: Answer): Judgement {
  const { status, read } = answer;
  if (isSuccess(status)) return judgeSuccess(answer);
  const value = read.kind === 'json' && isJsonObject(read.value) ? read.value : {};
  if (namedBy(value['error'], value).isQuota) return error(answer, QUOTA_CODE, 'endpoint', wordsOf(answer));
  return judgeStatus(answer, status, `http_${status}`, [redirectionOf(answer), wordsOf(answer)].filter((words) => words !== '').join(': '));
}

/** `status` is that of the answer, or the one that an error inside a 200 names. */
function judgeStatus(answer: Answer, status: number, code: string, words: string): Judgement {
  const quietMs = statedDelayMs(answer.headers, answer.wallMs);
  if (THROTTLES.includes(status) || (status >= 500 && quietMs > 0)) {
    const delayMs = quietMs > 0 ? quietMs : answer.drawDelayMs();
    return { kind: 'throttled', error: failureOf(answer, code, words), delayMs, quietMs };
  }
  return error(answer, code, blameOf(status, answer.isPage), words);
}

/** Of a 2xx that is no result. */
function judgeSuccess(answer: Answer): Judgement {
  const { read, headers } = answer;
  if (isStreamed(headers)) {
    return error(answer, 'streamed_answer', 'item', 'the server streamed its answer: take "stream": true out of the body');
  }
  switch (read.kind) {
    case 'empty':
      return error(answer, 'empty_answer', 'unknown', 'no body');
    case 'cut':
      return error(answer, 'truncated_answer', 'unknown', 'the answer ends before its JSON does');
    case 'other':
      return judgeUnreadable(answer);
    case 'json':
      return judgeShape(answer, shapeOf(answer.url, read.value));
    default:
      return assertNever(read);
  }
}

function judgeShape(answer: Answer, shape: Shape): Judgement {
  switch (shape.kind) {
    case 'error': {
      const words = `an error inside the answer: ${wordsOf(answer)}`;
      if (shape.isQuota) return error(answer, QUOTA_CODE, 'endpoint', words);
      // 500: an error that names nothing may be anybody's.
      return judgeStatus(answer, shape.status ?? 500, 'error_answer', words);
    }
    case 'postponed':
      return error(answer, 'not_a_result', 'request', 'the answer is to come later: take "background": true out of the body');
    case 'other':
      return error(answer, 'not_a_result', 'unknown', `this is no result: it lacks ${shape.lacks}: ${wordsOf(answer)}`);
    case 'result':
      return error(answer, 'not_a_result', 'unknown', 'the request was only accepted, and no result came');
    default:
      return assertNever(shape);
  }
}

/** A whole 2xx that is not JSON. Fetched again it would be the same. */
function judgeUnreadable(answer: Answer): Judgement {
  const encoding = answer.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    return error(answer, 'compressed_answer', 'endpoint', `the answer is compressed (${encoding}) although it was asked not to be`);
  if (answer.isPage)
    return error(answer, 'web_page', 'endpoint', `a web page, ${wordsOf(answer)}; is the base URL the one of the model server?`);
  // A body that begins like JSON comes from a model server; any other text may be all that this address ever answers.
  const isLikeJson = /^\s*[[{]/.test(beginningOf(answer.bytes));
  return error(answer, 'invalid_answer', isLikeJson ? 'item' : 'request', `not valid JSON in UTF-8: ${wordsOf(answer)}`);
}

function error(answer: Answer, code: string, blame: Blame, words: string): Judgement {
  return { kind: 'error', ...failureOf(answer, code, words), blame, delayMs: mayGoBack(blame) ? answer.drawDelayMs() : 0 };
}

/** What may be the endpoint's fault is not final at once: the item may go back. */
function mayGoBack(blame: Blame): boolean {
  return blame === 'unknown' || blame === 'endpoint';
}

function failureOf(answer: Answer, code: string, words: string): Failure {
  const { url, status, requestId, read, bytes, note } = answer;
  const message = `${url} answered ${status}${words === '' ? '' : `: ${words}`}${note === undefined ? '' : ` (${note})`}`;
  return { code, message, response: { statusCode: status, requestId, body: bodyText(read, bytes) } };
}

function bodyText(read: AnswerBody, bytes: Uint8Array): string {
  if (read.kind === 'json') return read.text;
  return bytes.byteLength === 0 ? 'null' : plainText(bytes);
}

function wordsOf({ read, bytes, hide }: Answer): string {
  return read.kind === 'json' ? serverWords(read.text, read.value, hide) : serverWords(beginningOf(bytes), undefined, hide);
}

function redirectionOf({ status, headers, hide }: Answer): string {
  const location = headers['location'];
  if (status < 300 || status >= 400 || location === undefined) return '';
  const target = hide(location.replace(/[?#].*$/s, '')).slice(0, LONGEST_LOCATION);
  return `a redirection to ${target}, which is not followed: give that address itself with --base-url, or baseUrl in a settings file`;
}

const LONGEST_LOCATION = 500;
/** Enough of a page for its title. */
const BEGINNING_BYTES = 20_000;

function beginningOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, BEGINNING_BYTES)).toString('utf8');
}
