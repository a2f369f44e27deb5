import { assertNever } from '../base/assert.ts';
import { redisTarget } from './redis-url.ts';

/** Where the ledger of a run is kept: in its state directory, or on a Redis server. */
export type Store = { readonly kind: 'embedded' } | RedisStore;

/** How a Redis server is reached. The password is never a part of it: it is written down, and shown. */
export interface RedisStore {
  readonly kind: 'redis';
  readonly url: string;
  /** Null: the password is in the environment (REDIS_PASSWORD_VARIABLE), or the server wants none. */
  readonly passwordFile: string | null;
  /** Of the Sentinels, which know nothing of the server's; null as above (SENTINEL_PASSWORD_VARIABLE). */
  readonly sentinelPasswordFile: string | null;
  /** Of the Sentinels' own access list; null: their default user. */
  readonly sentinelUsername: string | null;
  /** Of the authority that has signed the Sentinels' certificates, PEM; null: the one of the servers. */
  readonly sentinelCaCert: string | null;
  /** Of the authority that has signed the server's certificate, PEM; null for those that Node trusts. */
  readonly caCert: string | null;
  /** The client's own certificate and its key, PEM. */
  readonly cert: string | null;
  readonly key: string | null;
}

export const EMBEDDED: Store = { kind: 'embedded' };

/** What a settings file (the block `store`) and a command line say of a Redis server; `redis` is its URL. */
export type RedisFields = { readonly [Name in 'redis' | 'sentinelUsername' | (typeof FILES)[number]]?: string | null | undefined };

const FILES = ['passwordFile', 'sentinelPasswordFile', 'caCert', 'sentinelCaCert', 'cert', 'key'] as const;

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
export const SENTINEL_PASSWORD_VARIABLE = 'ROLLOUT_REDIS_SENTINEL_PASSWORD';

/** Of fields in which there is no problem. */
export function namedStore({ redis: url, sentinelUsername, ...files }: RedisFields): Store {
  if (!isGiven(url)) return EMBEDDED;
  return { kind: 'redis', url, sentinelUsername: sentinelUsername ?? null, ...eachFile((name) => files[name] ?? null) };
}

/** What contradicts itself in how a server is to be reached, its URL being one; null where nothing does. */
export function redisStoreProblem({ redis: url, ...files }: RedisFields): string | null {
  const { sentinelUsername, sentinelPasswordFile, caCert, sentinelCaCert, cert, key } = files;
  if (!isGiven(url))
    return [sentinelUsername, ...FILES.map((name) => files[name])].some(isGiven)
      ? 'has to name the server to which the password file, the certificates and the user of Sentinels belong'
      : null;
  if (isGiven(cert) !== isGiven(key)) return 'needs both a client certificate and its key, or neither';
  const { isTls, group } = redisTarget(url);
  if (!isTls && [caCert, sentinelCaCert, cert].some(isGiven))
    return `must be a rediss${group === null ? '' : '+sentinel'}:// URL where certificates are given`;
  return group === null && [sentinelUsername, sentinelPasswordFile, sentinelCaCert].some(isGiven)
    ? 'must be a redis+sentinel:// URL where a user, a password or an authority of Sentinels is given'
    : null;
}

function isGiven(value: string | null | undefined): value is string {
  return value !== undefined && value !== null;
}

export function isSameStore(a: Store, b: Store): boolean {
  switch (a.kind) {
    case 'embedded':
      return b.kind === 'embedded';
    case 'redis':
      return (
        b.kind === 'redis' && a.url === b.url && a.sentinelUsername === b.sentinelUsername && FILES.every((name) => a[name] === b[name])
      );
    default:
      return assertNever(a);
  }
}

/** A working directory of another process is not this one's. */
export function withPaths<T extends Store>(store: T, resolve: (path: string) => string): T {
  if (store.kind === 'embedded') return store;
  return { ...store, ...eachFile((name) => (store[name] === null ? null : resolve(store[name]))) };
}

function eachFile(of: (name: (typeof FILES)[number]) => string | null): Pick<RedisStore, (typeof FILES)[number]> {
  return Object.fromEntries(FILES.map((name) => [name, of(name)])) as Pick<RedisStore, (typeof FILES)[number]>;
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
