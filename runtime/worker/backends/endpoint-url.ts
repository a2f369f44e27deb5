/** The addresses below a base URL. Pure. */
export interface EndpointUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path below which the API lives, without a slash at its end; empty where the base URL names none. */
  readonly prefix: string;
  /** Appended to each request, `api-version=1`; empty where there is none. */
  readonly query: string;
}

const VERSION = '/v1';

export function endpointUrl(baseUrl: string): EndpointUrl {
  const { origin, pathname, search } = new URL(baseUrl);
  return { origin, prefix: pathname.replace(/\/+$/, ''), query: search.slice(1) };
}

/**
 * What goes into the request line. As in OpenAI's clients, the path of a base URL names the version too: it takes the place of the
 * line's leading /v1.
 */
export function requestPath({ prefix, query }: EndpointUrl, url: string): string {
  const isVersioned = url === VERSION || url.startsWith(`${VERSION}/`);
  const path = prefix !== '' && isVersioned ? `${prefix}${url.slice(VERSION.length)}` : `${prefix}${url}`;
  return query === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${query}`;
}

/** For messages: a query may hold a secret. */
export function shownUrl({ origin }: EndpointUrl, path: string): string {
  return `${origin}${path.replace(/[?#].*$/s, '')}`;
}

/** Why a path cannot be sent, null where it can. The client would refuse it too, but only when its connection is taken. */
export function unsendable(path: string): string | null {
  const [character] = /[^\x21-\x7e]|#/u.exec(path) ?? [];
  if (character === undefined) return null;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `url holds the character U+${code}, which no path may hold: write it with %, or leave it out`;
}
