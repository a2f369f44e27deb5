import type { RolloutRun } from '../api/run.ts';
import type { Secret } from '../kube/kind.ts';
import type { InputFinding } from './plan.ts';

/** How a run's Redis server is reached. Which keys the Secret has decides what is mounted; none of their values is kept here. */
export interface RedisAccess {
  readonly url: string;
  /** Null where the server asks for nothing. */
  readonly secretName: string | null;
  readonly hasPassword: boolean;
  readonly hasAuthority: boolean;
  readonly hasCertificate: boolean;
}

export type RedisFinding = { readonly kind: 'found'; readonly access: RedisAccess } | Extract<InputFinding, { readonly kind: 'missing' }>;

/** `secret`: null where there is none of that name. */
export function redisAccess({ spec }: RolloutRun, secret: Secret | null): RedisFinding {
  const { url, secretRef } = spec.coordinator.store.redis ?? {};
  if (secretRef !== undefined && secret === null)
    return missing(`there is no Secret ${secretRef.name}, which spec.coordinator.store.redis names: create it`);
  const address = url ?? textIn(secret, 'url');
  if (address === null)
    return missing(`the Secret ${secretRef?.name} has no key url, and spec.coordinator.store.redis has none either: set one of them`);
  const has = (key: string): boolean => secret?.data?.[key] !== undefined;
  return {
    kind: 'found',
    access: {
      url: address,
      secretName: secretRef?.name ?? null,
      hasPassword: has('password'),
      hasAuthority: has('ca.crt'),
      hasCertificate: has('tls.crt') && has('tls.key'),
    },
  };
}

function textIn(secret: Secret | null, key: string): string | null {
  const text = secret?.data?.[key];
  return text === undefined ? null : Buffer.from(text, 'base64').toString('utf8').trim();
}

function missing(message: string): Extract<InputFinding, { readonly kind: 'missing' }> {
  return { kind: 'missing', message };
}
