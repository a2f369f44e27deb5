import { isJsonObject, type JsonObject } from '../../base/json/json-object.ts';

/**
 * What the body of a 2xx is. A gateway in front of a model server may answer 200 and put the failure into the body, so a status alone
 * makes no result: the body must be what the endpoint returns.
 */
export type Shape =
  | { readonly kind: 'result' }
  /** `status` is the one that the error names, null where it names none. */
  | { readonly kind: 'error'; readonly error: unknown; readonly status: number | null; readonly isQuota: boolean }
  /** The answer is still to come, since the request asked for it so. */
  | { readonly kind: 'postponed' }
  | { readonly kind: 'other'; readonly lacks: string };

type Check = (body: JsonObject) => Shape;

const RESULT: Shape = { kind: 'result' };

/** By the end of the path. An address that is not here returns any object. */
const CHECKS: readonly (readonly [string, Check])[] = [
  ['/chat/completions', (body) => nonEmptyList(body, 'choices')],
  ['/completions', (body) => nonEmptyList(body, 'choices')],
  ['/embeddings', (body) => nonEmptyList(body, 'data')],
  ['/responses', responseShape],
];

/** `url` is without its query. */
export function shapeOf(url: string, body: unknown): Shape {
  if (!isJsonObject(body)) return { kind: 'other', lacks: 'an object' };
  const error = errorIn(body);
  if (error !== null) return { kind: 'error', error, ...namedBy(error, body) };
  const path = url.endsWith('/') ? url.replace(/\/+$/, '') : url;
  for (const [end, check] of CHECKS) if (path.endsWith(end)) return check(body);
  return RESULT;
}

function nonEmptyList(body: JsonObject, member: string): Shape {
  const list = body[member];
  const isFilled = Array.isArray(list) && list.length > 0 && list.every(isJsonObject);
  return isFilled ? RESULT : { kind: 'other', lacks: `a list \`${member}\` of objects that is not empty` };
}

function responseShape({ status = 'completed', output }: JsonObject): Shape {
  if (status === 'queued' || status === 'in_progress') return { kind: 'postponed' };
  const isFinished = (status === 'completed' || status === 'incomplete') && Array.isArray(output);
  return isFinished ? RESULT : { kind: 'other', lacks: 'a finished `output`' };
}

/**
 * Null where there is none. Routers put the failure of one choice into that choice; where the upstream server fails while it answers,
 * they may only say so in its `finish_reason` (OpenRouter).
 */
export function errorIn(body: JsonObject): unknown {
  if (!isNothing(body['error'])) return body['error'];
  if (body['object'] === 'error') return body;
  const choices = body['choices'];
  const failed: unknown = Array.isArray(choices) ? choices.find(isFailedChoice) : null;
  return isJsonObject(failed) ? (failed['error'] ?? failed) : null;
}

function isFailedChoice(choice: unknown): boolean {
  return isJsonObject(choice) && (isJsonObject(choice['error']) || choice['finish_reason'] === 'error');
}

function isNothing(error: unknown): boolean {
  return error === undefined || error === null || error === false || error === '';
}

const QUOTA = 'insufficient_quota';

/** Statuses by the words that servers put into `code`, `type` and `status`. */
const STATUS_WORDS: readonly (readonly [RegExp, number])[] = [
  [/rate_?limit|too_?many_?requests|resource_?exhausted|throttl/, 429],
  [/unavailable/, 503],
  [/authentication|unauthorized|unauthenticated|invalid_?api_?key/, 401],
  [/permission|forbidden/, 403],
  [/not_?found/, 404],
  [/invalid_?request|bad_?request|invalid_?argument|context_?length|unprocessable/, 400],
];

/** What an error says of itself in the members that are meant for programs. A number is more exact than a word. */
export function namedBy(error: unknown, around: JsonObject = {}): { readonly status: number | null; readonly isQuota: boolean } {
  const members = isJsonObject(error) ? error : {};
  const names = [members, around].flatMap(({ code, status, status_code, type }) => [code, status, status_code, type]);
  const words = names.filter((name) => typeof name === 'string').map((name) => name.toLowerCase());
  const number = names.map(Number).find((name) => Number.isInteger(name) && name >= 400 && name <= 599);
  const word = STATUS_WORDS.find(([pattern]) => words.some((name) => pattern.test(name)));
  return { status: number ?? word?.[1] ?? null, isQuota: words.includes(QUOTA) };
}
