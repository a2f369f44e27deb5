import type { Clock } from '../../runtime/base/clock.ts';
import type { RolloutRun } from '../api/run.ts';
import type { KubeClient } from '../kube/client.ts';
import { SECRET, type Secret } from '../kube/kind.ts';
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

/** A Secret that somebody changes is seen within this time. */
const KEPT_MS = 60_000;

/** Looks into the Secrets of Redis servers, which are their users' and in no cache. */
export class RedisSecrets {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #known = new Map<string, { readonly finding: RedisFinding; readonly untilMs: number }>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Null for a run whose store is embedded. */
  async find(run: RolloutRun): Promise<RedisFinding | null> {
    const { redis } = run.spec.coordinator.store;
    if (redis === undefined) return null;
    const { uid, namespace } = run.metadata;
    const known = this.#known.get(uid);
    if (known !== undefined && this.#clock.monotonicMs() < known.untilMs) return known.finding;
    const secret = redis.secretRef === undefined ? null : await this.#client.get(SECRET, { namespace, name: redis.secretRef.name });
    const finding = redisAccess(run, secret);
    const keptMs = finding.kind === 'found' ? KEPT_MS : 0;
    this.#known.set(uid, { finding, untilMs: this.#clock.monotonicMs() + keptMs });
    return finding;
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }
}

function textIn(secret: Secret | null, key: string): string | null {
  const text = secret?.data?.[key];
  return text === undefined ? null : Buffer.from(text, 'base64').toString('utf8').trim();
}

function missing(message: string): Extract<InputFinding, { readonly kind: 'missing' }> {
  return { kind: 'missing', message };
}
