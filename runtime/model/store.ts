import { assertNever } from '../base/assert.ts';
import { RolloutError } from '../base/errors.ts';

/** Where the ledger of a run is kept: in its state directory, or on a Redis server. */
export type Store = { readonly kind: 'embedded' } | RedisStore;

/** How a Redis server is reached. The password is never a part of it: it is written down, and shown. */
export interface RedisStore {
  readonly kind: 'redis';
  readonly url: string;
  /** Null: the password is in the environment (REDIS_PASSWORD_VARIABLE), or the server wants none. */
  readonly passwordFile: string | null;
  /** Of the authority that has signed the server's certificate, PEM; null for those that Node trusts. */
  readonly caCert: string | null;
  /** The client's own certificate and its key, PEM. */
  readonly cert: string | null;
  readonly key: string | null;
}

export const EMBEDDED: Store = { kind: 'embedded' };

/** What a settings file (the block `store`) and a command line say of a Redis server; `redis` is its URL. */
export type RedisFields = { readonly [Name in 'redis' | 'passwordFile' | 'caCert' | 'cert' | 'key']?: string | null | undefined };

const FIELDS = ['url', 'passwordFile', 'caCert', 'cert', 'key'] as const;

/** Long enough to come back from a holiday and read the results once more. */
export const EXPIRE_AFTER_MS: number = 7 * 24 * 3_600_000;
/** The output files are written from the keys of the finished run, which takes a while where it is long. */
const LEAST_EXPIRE_AFTER_MS = 3_600_000;

/** Null where so many milliseconds may be said for the time that the keys of a finished run are kept; 0 is for ever. */
export function expiryProblem(ms: number | null): string | null {
  if (ms === null || ms === 0 || ms >= LEAST_EXPIRE_AFTER_MS) return null;
  return 'must be at least 1h, or 0s to keep the keys of finished runs: the output files are written from them';
}

export const REDIS_PASSWORD_VARIABLE = 'ROLLOUT_REDIS_PASSWORD';

export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username: string | null;
  readonly isTls: boolean;
}

const USUAL_PORT = 6379;
const URL_FORM = 'must be like redis://host:6379, or rediss://user@host:6380/0 for TLS with a user and the number of a database';
/** A name, an IPv4 address, or an IPv6 one in brackets. The parser of URLs takes nearly everything for a host of these schemes. */
const HOST_FORM = /^(?:[\w.-]+|\[[\da-f:.]+\])$/i;
const DATABASE_FORM = /^\/?\d{0,6}$/;

/** Shows nothing of the URL: it may hold a password. Null where nothing is wrong. */
export function redisUrlProblem(text: string): string | null {
  if (/^rediss?[+-]sentinel:/i.test(text)) return 'must name the primary itself: Redis Sentinel is not supported';
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['redis:', 'rediss:'].includes(url.protocol)) return URL_FORM;
  if (url.password !== '')
    return `must not hold the password, which others would see: put it into a file (--redis-password-file, or its setting) or into ${REDIS_PASSWORD_VARIABLE}`;
  if (!HOST_FORM.test(url.hostname)) return `must have one host by its name or address: it ${URL_FORM}`;
  if (url.port === '0') return 'must have a port from 1 to 65535';
  if (decoded(url.username) === null) return 'must have a user in which each % is written as %25';
  if (!DATABASE_FORM.test(url.pathname)) return `must end with the number of a database, or nothing, after its host: it ${URL_FORM}`;
  return url.search === '' && url.hash === '' ? null : URL_FORM;
}

export function redisAddress(text: string): RedisAddress {
  const problem = redisUrlProblem(text);
  if (problem !== null) throw new RolloutError('CONFIG_INVALID', `the URL of the Redis server (--redis, or store.redis) ${problem}`);
  const { protocol, hostname, port, pathname, username } = new URL(text);
  return {
    host: hostname.replaceAll(/^\[|\]$/g, ''),
    port: port === '' ? USUAL_PORT : Number(port),
    db: Number(pathname.slice(1)),
    username: username === '' ? null : decoded(username),
    isTls: protocol === 'rediss:',
  };
}

/** Null where it is not encoded as a part of a URL is. */
function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}

/** Of fields in which there is no problem. */
export function namedStore({ redis: url, passwordFile, caCert, cert, key }: RedisFields): Store {
  if (!isGiven(url)) return EMBEDDED;
  return { kind: 'redis', url, passwordFile: passwordFile ?? null, caCert: caCert ?? null, cert: cert ?? null, key: key ?? null };
}

/** What contradicts itself in how a server is to be reached, its URL being one; null where nothing does. */
export function redisStoreProblem({ redis: url, passwordFile, caCert, cert, key }: RedisFields): string | null {
  if (!isGiven(url))
    return [passwordFile, caCert, cert, key].some(isGiven)
      ? 'has to name the server to which the password file and the certificates belong'
      : null;
  if (isGiven(cert) !== isGiven(key)) return 'needs both a client certificate and its key, or neither';
  if (!redisAddress(url).isTls && (isGiven(caCert) || isGiven(cert))) return 'must be a rediss:// URL where certificates are given';
  return null;
}

function isGiven(value: string | null | undefined): value is string {
  return value !== undefined && value !== null;
}

export function isSameStore(a: Store, b: Store): boolean {
  switch (a.kind) {
    case 'embedded':
      return b.kind === 'embedded';
    case 'redis':
      return b.kind === 'redis' && FIELDS.every((name) => a[name] === b[name]);
    default:
      return assertNever(a);
  }
}

/** A working directory of another process is not this one's. */
export function withPaths<T extends Store>(store: T, resolve: (path: string) => string): T {
  if (store.kind === 'embedded') return store;
  const { passwordFile, caCert, cert, key } = store;
  const absolute = (path: string | null): string | null => (path === null ? null : resolve(path));
  return { ...store, passwordFile: absolute(passwordFile), caCert: absolute(caCert), cert: absolute(cert), key: absolute(key) };
}

/** For people. */
export function storeText(store: Store): string {
  switch (store.kind) {
    case 'embedded':
      return 'the state directory';
    case 'redis':
      return store.url;
    default:
      return assertNever(store);
  }
}
