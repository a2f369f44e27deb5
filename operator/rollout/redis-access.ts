import { redisUrlProblem } from '../../runtime/model/redis-url.ts';
import { type RedisFields, redisStoreProblem } from '../../runtime/model/store.ts';
import type { RolloutRun } from '../api/run.ts';
import type { Secret } from '../kube/kind.ts';
import { SECRET_KEY, textIn } from './redis-login.ts';

/** How a run's Redis server is reached. Which keys the Secret has decides what is mounted; none of their values is kept here. */
export interface RedisAccess {
  readonly url: string;
  /** Null where the server asks for nothing. */
  readonly secretName: string | null;
  readonly hasPassword: boolean;
  readonly hasAuthority: boolean;
  readonly hasCertificate: boolean;
  /** Of the Sentinels; null: their default one. */
  readonly sentinelUsername: string | null;
  readonly hasSentinelPassword: boolean;
  readonly hasSentinelAuthority: boolean;
}

export type RedisFinding = { readonly kind: 'found'; readonly access: RedisAccess } | MissingRedis;

/** What keeps a coordinator from its server, and what to do. */
interface MissingRedis {
  readonly kind: 'missing';
  readonly message: string;
}

/** `secret`: null where there is none of that name. */
export function redisAccess({ spec }: RolloutRun, secret: Secret | null): RedisFinding {
  const { url, secretRef } = spec.coordinator.store.redis ?? {};
  if (secretRef !== undefined && secret === null)
    return missing(`there is no Secret ${secretRef.name}, which spec.coordinator.store.redis names: create it`);
  const address = url ?? textIn(secret, SECRET_KEY.url)?.trim() ?? null;
  if (address === null)
    return missing(`the Secret ${secretRef?.name} has no key url, and spec.coordinator.store.redis has none either: set one of them`);
  const has = (key: string): boolean => textIn(secret, key) !== null;
  const access = {
    url: address,
    secretName: secretRef?.name ?? null,
    hasPassword: has(SECRET_KEY.password),
    hasAuthority: has(SECRET_KEY.ca),
    hasCertificate: has(SECRET_KEY.cert) && has(SECRET_KEY.key),
    sentinelUsername: textIn(secret, SECRET_KEY.sentinelUsername)?.trim() ?? null,
    hasSentinelPassword: has(SECRET_KEY.sentinelPassword),
    hasSentinelAuthority: has(SECRET_KEY.sentinelCa),
  };
  const problem = problemOf(access);
  const where = url === undefined ? `the key url of the Secret ${secretRef?.name}` : 'spec.coordinator.store.redis.url';
  return problem === null ? { kind: 'found', access } : missing(`${where} ${problem}`);
}

type Files = Omit<RedisFields, 'redis'>;

/** The keys of the Secret as settings of a coordinator, which has them as files in a directory. */
export function redisFiles(access: RedisAccess, dir: string): Files {
  const { sentinelUsername } = access;
  const file = (key: keyof typeof SECRET_KEY): string => `${dir}${SECRET_KEY[key]}`;
  return {
    ...(access.hasPassword ? { passwordFile: file('password') } : {}),
    ...(access.hasAuthority ? { caCert: file('ca') } : {}),
    ...(access.hasCertificate ? { cert: file('cert'), key: file('key') } : {}),
    ...(sentinelUsername === null ? {} : { sentinelUsername }),
    ...(access.hasSentinelPassword ? { sentinelPasswordFile: file('sentinelPassword') } : {}),
    ...(access.hasSentinelAuthority ? { sentinelCaCert: file('sentinelCa') } : {}),
  };
}

const HOLDS_PASSWORD = /^[a-z+]+:\/\/[^@]*:[^@]*@/i;

/** What the coordinator would refuse. An address is written into its settings, where a password would be read by many. */
function problemOf(access: RedisAccess): string | null {
  const { url } = access;
  if (HOLDS_PASSWORD.test(url)) return 'must not hold a password, which everybody could read: put it into the key password of the Secret';
  return redisUrlProblem(url) ?? redisStoreProblem({ redis: url, ...redisFiles(access, '') });
}

function missing(message: string): MissingRedis {
  return { kind: 'missing', message };
}
