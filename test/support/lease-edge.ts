import { ApiError } from '../../operator/kube/api-error.ts';
import { type ElectorOptions, type Leading, lead } from '../../operator/kube/elector.ts';
import type { Lease } from '../../operator/kube/kind.ts';
import { DEFAULT_LEASE_TIMES } from '../../operator/kube/lease-action.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { seededRandom } from '../../runtime/base/random.ts';
import type { ManualClock } from './manual-clock.ts';

/** One lease as the API server keeps it: a write names the version that it expects. What each caller meets is the test's choice. */
export class LeaseEdge {
  lease: Lease | null = null;
  writes = 0;
  readonly #clock: ManualClock;
  #version = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** `before` and `after` run around what the server does, and may wait or throw. */
  client({ before, after }: { before?: () => Promise<void>; after?: () => Promise<void> } = {}): ElectorOptions['client'] {
    const call = async <T>(work: () => T): Promise<T> => {
      await before?.();
      const answer = work();
      await after?.();
      return answer;
    };
    return {
      get: (async () => call(() => this.lease)) as ElectorOptions['client']['get'],
      create: (async (_kind: unknown, object: Lease) =>
        call(() => {
          if (this.lease !== null) throw new ApiError(409, 'already there', { reason: 'AlreadyExists' });
          return this.#store(object.spec);
        })) as unknown as ElectorOptions['client']['create'],
      patch: (async (_kind: unknown, _ref: unknown, patch: { metadata: { resourceVersion: string }; spec: object }) =>
        call(() => {
          if (this.lease?.metadata.resourceVersion !== patch.metadata.resourceVersion)
            throw new ApiError(409, 'modified', { reason: 'Conflict' });
          const merged = Object.entries({ ...this.lease?.spec, ...patch.spec }).filter(([, value]) => value !== null);
          return this.#store(Object.fromEntries(merged));
        })) as unknown as ElectorOptions['client']['patch'],
    };
  }

  holder(): string | undefined {
    return this.lease?.spec?.holderIdentity;
  }

  #store(spec: Lease['spec']): Lease {
    this.#version += 1;
    this.writes += 1;
    this.lease = {
      metadata: { name: 'lease', namespace: 'ns', resourceVersion: String(this.#version), creationTimestamp: String(this.#clock.wallMs()) },
      ...(spec === undefined ? {} : { spec }),
    };
    return this.lease;
  }
}

export interface Candidate {
  readonly leading: () => Leading | null;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly seen: string[];
}

export function candidate(identity: string, clock: ManualClock, client: ElectorOptions['client']): Candidate {
  const stop = new AbortController();
  const seen: string[] = [];
  let leading: Leading | null = null;
  const observer = { onLeading: (is: boolean) => seen.push(String(is)), onSlowPath: () => seen.push('slow') };
  const terms = { identity, ...DEFAULT_LEASE_TIMES };
  const options = { client, namespace: 'ns', name: 'lease', terms, clock, random: seededRandom(identity.length), log: silentLog, observer };
  const ended = lead(options, stop.signal).then((got) => {
    leading = got;
  });
  return { leading: () => leading, stop, ended, seen };
}

export function leaders(members: readonly Candidate[]): number {
  return members.filter((one) => one.leading()?.isHeld() === true).length;
}
