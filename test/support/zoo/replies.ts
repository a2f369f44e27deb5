import { chatEvents } from './fine.ts';
import type { Reply } from './reply.ts';

/** A status with an error body as OpenAI writes it. */
export function status(code: number, headers: Readonly<Record<string, string>> = {}, error: object = {}): Reply {
  const body = JSON.stringify({ error: { message: `told to answer ${code}`, ...error } });
  return { kind: 'answer', status: code, body, headers };
}

function body(text: string | Uint8Array, type = 'application/json', code = 200): Reply {
  return { kind: 'answer', status: code, body: text, headers: { 'content-type': type } };
}

function page(code: number, title: string, rest = ''): Reply {
  return body(`<html>\n<head><title>${title}</title></head>\n<body><h1>${title}</h1>${rest}</body></html>\n`, 'text/html', code);
}

const bytes = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const inSeconds = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toUTCString();

/**
 * Single replies, by name. A new one is one line here: test/integration/answers.test.ts then asks what the worker makes of it, and
 * docs/answers.md gets its row.
 */
const REPLIES: Readonly<Record<string, () => Reply>> = {
  'HTTP 400, the request is wrong': () => status(400),
  'HTTP 401, the key is wrong': () => status(401),
  'HTTP 402, no balance': () => status(402, {}, { message: 'no balance' }),
  'HTTP 403': () => body('{"detail": "Forbidden"}', 'application/json', 403),
  'HTTP 404, no such model or path': () => body('{"detail": "Not Found"}', 'application/json', 404),
  'HTTP 405': () => status(405),
  'HTTP 407, a proxy wants a password': () => page(407, 'Proxy Authentication Required'),
  'HTTP 408': () => status(408),
  'HTTP 409': () => status(409),
  'HTTP 410': () => status(410),
  'HTTP 413 as nginx says it': () => page(413, '413 Request Entity Too Large', '<hr><center>nginx</center>'),
  'HTTP 415, or any other 4xx': () => status(415),
  'HTTP 422 as FastAPI says it': () => body('{"detail": [{"loc": ["body", "n"], "msg": "not an integer"}]}', 'application/json', 422),
  'HTTP 429': () => status(429),
  'HTTP 429 with Retry-After in seconds': () => status(429, { 'retry-after': '7' }),
  'HTTP 429 with Retry-After as a date': () => status(429, { 'retry-after': inSeconds(7) }),
  'HTTP 429 with retry-after-ms': () => status(429, { 'retry-after-ms': '150' }),
  'HTTP 429, 402 or 403 that names insufficient_quota': () => status(429, { 'retry-after': '1' }, { code: 'insufficient_quota' }),
  'HTTP 451': () => status(451),
  'HTTP 500': () => status(500),
  'HTTP 502 as nginx says it': () => page(502, '502 Bad Gateway', '<hr><center>nginx</center>'),
  'HTTP 502 or another 5xx with Retry-After': () => status(502, { 'retry-after': '3' }),
  'HTTP 503': () => body('no healthy upstream', 'text/plain', 503),
  'HTTP 504 as haproxy says it': () => body('<html><body><h1>504 Gateway Time-out</h1>\n</body></html>\n', 'text/html', 504),
  'HTTP 520 to 530 as Cloudflare says it': () => page(522, 'model.example | 522: Connection timed out'),
  'HTTP 529, overloaded': () => status(529, {}, { type: 'overloaded_error' }),
  'a redirection': () => ({ kind: 'answer', status: 307, body: '', headers: { location: 'https://elsewhere.example/v1' } }),
  'a login page with HTTP 200': () => page(200, 'Sign in'),
  'a web page with HTTP 403, as a firewall sends it': () => page(403, 'Attention Required! | Cloudflare'),
  'HTTP 202': () => body('{"id": "later"}', 'application/json', 202),
  'HTTP 204, or 200 without a body': () => ({ kind: 'answer', status: 204, body: '' }),
  'HTTP 200 with an error that names 429 or a rate limit': () => body('{"error": {"code": 429, "message": "slow down"}}'),
  'HTTP 200 with an error that names 401': () => body('{"error": {"code": 401, "message": "bad key"}}'),
  'HTTP 200 with an error that names 400': () => body('{"error": {"type": "invalid_request_error", "message": "too long"}}'),
  'HTTP 200 with any other error': () => body('{"error": {"code": 502, "message": "upstream overloaded"}}'),
  'HTTP 200 with an error as text': () => body('{"error": "upstream overloaded"}'),
  'HTTP 200 with an error inside a choice': () => body('{"choices": [{"finish_reason": "error", "error": {"code": 502}}]}'),
  'HTTP 200 without choices': () => body('{"id": "x", "usage": {}}'),
  'HTTP 200 with empty choices': () => body('{"choices": []}'),
  'HTTP 200 with a list': () => body('[1, 2]'),
  'HTTP 200 with NaN or Infinity': () => body('{"choices": [{"logprobs": [NaN]}]}'),
  'HTTP 200 with bytes that are no UTF-8': () => body(bytes('{"choices": [{"text": "\xff\xfe"}]}')),
  'HTTP 200 with two JSON values': () => body('{"choices": [{}]}{"choices": [{}]}'),
  'HTTP 200 with a text': () => body('OK', 'text/plain'),
  'HTTP 200, compressed unasked': () => ({
    kind: 'answer',
    status: 200,
    body: bytes('\x1f\x8b\x08'),
    headers: { 'content-encoding': 'gzip' },
  }),
  'HTTP 200 that ends inside its JSON': () => body('{"choices": [{"message": {"content": "half'),
  'HTTP 200 that is cut off before its announced length': () => ({ kind: 'short', body: '{"choices": [{}' }),
  'a connection reset before the answer': () => ({ kind: 'reset', after: 'nothing' }),
  'a connection reset after the headers': () => ({ kind: 'reset', after: 'headers' }),
  'a connection reset inside the body': () => ({ kind: 'reset', after: 'half' }),
  'a 100 Continue that was not asked for': () => ({ kind: 'continue', body: '{"choices": [{}]}' }),
  'HTTP 200 with an empty text, or finish_reason length': () =>
    body('{"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}'),
  'a body that comes slowly': () => ({ kind: 'slow', body: '{"choices": [{}]}', forMs: 200 }),
  'an event stream of a chat or a completion, collected into the answer that comes without `stream`': () => ({
    kind: 'events',
    events: [...chatEvents('x'), '[DONE]'],
  }),
  'an event stream that ends before its answer is whole': () => ({ kind: 'events', events: chatEvents('x').slice(0, 2) }),
  'an event stream that says [DONE] before each choice has a finish_reason': () => ({
    kind: 'events',
    events: [...chatEvents('x').slice(0, 2), '[DONE]'],
  }),
  'an event stream with an error in it': () => ({
    kind: 'events',
    events: [...chatEvents('x').slice(0, 2), '{"error": {"code": 429, "message": "slow down"}}'],
  }),
};

export const REPLY_NAMES: readonly string[] = Object.keys(REPLIES);

export function reply(name: string): Reply {
  const make = REPLIES[name];
  if (make === undefined) throw new Error(`no reply is named ${name}`);
  return make();
}
