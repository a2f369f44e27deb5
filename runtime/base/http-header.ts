/** What people may say about HTTP requests: addresses and headers. */

/** RFC 9110, 5.5. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** They frame the message or name the connection: set from outside they would break every request. */
const OF_THE_CLIENT: readonly string[] = ['connection', 'content-length', 'expect', 'host', 'keep-alive', 'transfer-encoding', 'upgrade'];
/** What the body of the request is, and what of an answer can be read. */
const OF_THE_BACKEND: readonly string[] = ['accept-encoding', 'content-encoding', 'content-type'];

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

export function isHeaderName(name: string): boolean {
  return NAME.test(name);
}

export function isHeaderValue(value: string): boolean {
  return VALUE.test(value);
}

export function isOwnHeader(name: string): boolean {
  return [...OF_THE_CLIENT, ...OF_THE_BACKEND].includes(name.toLowerCase());
}

export const KEY_HEADER_FORM = 'must be the name of a header that carries the key by itself, such as api-key';

export function isKeyHeader(name: string): boolean {
  return isHeaderName(name) && !isOwnHeader(name);
}

export const PLAIN_URL_FORM =
  'an address without name, password, fragment or a secret in its query: it is written into settings; secrets belong into the environment';

/** Parameters of a query that carry secrets: ?key=, ?api_key=, ?sig=, ?access_token=. */
const SECRET_PARAMETER = /key|token|secret|passw|^sig(?:nature)?$|^code$/i;

/** An address of a server that can be written down and that paths can be put to. Its query (?api-version=…) goes with each request. */
export function isPlainUrl(text: string): boolean {
  const { username, password, searchParams, hash } = new URL(text);
  return [username, password, hash].every((part) => part === '') && ![...searchParams.keys()].some((name) => SECRET_PARAMETER.test(name));
}

export const API_URL_FORM =
  'the address of the API, such as http://127.0.0.1:8000/v1, without its endpoint (/chat/completions): the url of each line names that';

/** Of an address: whether it ends above the endpoints. With one of them the client would ask for /chat/completions/chat/completions. */
export function isApiUrl(text: string): boolean {
  return !/\/(?:completions|embeddings|responses)\/*$/.test(new URL(text).pathname);
}
