import type { Clock } from '../../runtime/base/clock.ts';
import type { RolloutRun } from '../api/run.ts';
import type { KubeClient } from '../kube/client.ts';
import { SECRET, type Secret } from '../kube/kind.ts';
import { type RedisFinding, redisAccess } from './redis-access.ts';

/** A Secret that somebody changes is seen within this time. */
const KEPT_MS = 60_000;

interface Known {
  readonly finding: RedisFinding;
  readonly secret: Secret | null;
  readonly untilMs: number;
}

/**
 * Looks into the Secrets of Redis servers, which are their users' and in no cache. What was seen last is remembered for as long as the run has
 * keys on the server: where its namespace is deleted, its Secret goes first.
 */
export class RedisSecrets {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #known = new Map<string, Known>();

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
    this.#known.set(uid, { finding, secret: secret ?? known?.secret ?? null, untilMs: this.#clock.monotonicMs() + keptMs });
    return finding;
  }

  /** As it was seen last; null where none was. */
  remembered(uid: string): Secret | null {
    return this.#known.get(uid)?.secret ?? null;
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }
}
