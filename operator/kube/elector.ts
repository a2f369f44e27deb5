import { assertNever, mustGet } from '../../runtime/base/assert.ts';
import type { Clock, Timer } from '../../runtime/base/clock.ts';
import { inTime } from '../../runtime/base/in-time.ts';
import type { Log } from '../../runtime/base/log.ts';
import type { Random } from '../../runtime/base/random.ts';
import { isConflict } from './api-error.ts';
import type { KubeClient } from './client.ts';
import { LEASE, type Lease } from './kind.ts';
import {
  heldSpec,
  holderOf,
  type LeaseTerms,
  leadsUntilMs,
  NEW_CANDIDATE,
  nextLeaseAction,
  onNotWritten,
  onRead,
  onTime,
  onWritten,
  type Standing,
} from './lease-action.ts';
import { microTime } from './micro-time.ts';

export interface ElectorOptions {
  /** Its calls end well before the renew deadline. */
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly name: string;
  readonly terms: LeaseTerms;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly observer: ElectorObserver;
}

export interface ElectorObserver {
  onLeading(isLeading: boolean): void;
  /** A leader had to read the lease, since its write was refused or not answered. */
  onSlowPath(): void;
}

export interface Leading {
  /** Aborts when this process must not lead any more. Whatever it does for its role stops at once. */
  readonly lost: AbortSignal;
  isHeld(): boolean;
  /** Lets another one lead at once. Called when all that the role has written is written. */
  release(): Promise<void>;
}

/** Each identity would be a manager of its own, and the lease would keep them all. */
const FIELD_MANAGER = 'leader-elector';
/** Candidates look at different times. */
const RETRY_SPREAD = 0.2;
/** Who has given up the role waits no longer than this to say so; the lease ends by itself. */
export const RELEASE_LIMIT_MS = 5_000;

/** Waits until this process leads; null where `stop` aborts before. */
export async function lead(options: ElectorOptions, stop: AbortSignal): Promise<Leading | null> {
  let elector = new Elector(options);
  while (!stop.aborted) {
    await elector.look();
    if (elector.isHeld()) return elector.holding();
    // Its write was accepted so late that it leads no more.
    if (elector.lost.aborted) elector = new Elector(options);
    await options.clock.sleep(options.terms.retryMs * (1 + options.random.next() * RETRY_SPREAD), stop);
  }
  return null;
}

class Elector implements Leading {
  readonly #options: ElectorOptions;
  readonly #lost = new AbortController();
  readonly #stopped = new AbortController();
  #standing: Standing = NEW_CANDIDATE;
  #renewing: Promise<void> | null = null;
  #deadline: Timer | null = null;

  constructor(options: ElectorOptions) {
    this.#options = options;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  isHeld(): boolean {
    this.#move(onTime(this.#standing, this.#options.clock.monotonicMs(), this.#options.terms));
    return this.#standing.kind === 'leader';
  }

  /** Keeps the role from now on. */
  holding(): Leading {
    this.#options.log.info({ lease: this.#options.name, identity: this.#options.terms.identity }, 'leading');
    this.#options.observer.onLeading(true);
    this.#renewing ??= this.#renewRegularly();
    return this;
  }

  async release(): Promise<void> {
    const { clock, observer, log } = this.#options;
    this.#stopped.abort();
    this.#deadline?.stop();
    observer.onLeading(false);
    const released = this.#releaseOnceStill().catch((error: unknown) => log.info({ err: error }, 'the lease is left to run out'));
    await inTime(clock, RELEASE_LIMIT_MS, released);
  }

  /** One try to get or to keep the role. It never throws: what fails is tried again. */
  async look(): Promise<void> {
    const { clock, log, terms, observer } = this.#options;
    try {
      let hasRead = false;
      for (;;) {
        const action = nextLeaseAction(this.#standing, clock.monotonicMs(), terms, hasRead);
        if (action === 'wait' || action === 'end') return;
        if (action === 'read' && this.#standing.kind === 'leader') observer.onSlowPath();
        if (await this.#act(action)) return;
        hasRead = true;
      }
    } catch (error) {
      this.#move(onNotWritten(this.#standing));
      log[isConflict(error) ? 'debug' : 'warn']({ err: error, lease: this.#options.name }, 'the lease could not be had');
    }
  }

  /** True where a write was accepted. */
  async #act(action: 'read' | 'create' | 'take' | 'renew'): Promise<boolean> {
    const { client, clock, namespace, name, terms } = this.#options;
    const sentMs = clock.monotonicMs();
    const seen = this.#standing.kind === 'lost' ? null : (this.#standing.seen?.lease ?? null);
    const now = microTime(clock.wallMs());
    switch (action) {
      case 'read': {
        const lease = await client.get(LEASE, { namespace, name });
        this.#move(onRead(this.#standing, clock.monotonicMs(), lease, terms));
        return false;
      }
      case 'create':
        this.#written(await client.create(LEASE, { metadata: { namespace, name }, spec: heldSpec(null, now, terms) }), sentMs);
        return true;
      case 'take':
      case 'renew':
        this.#written(await this.#write(seen, heldSpec(seen, now, terms)), sentMs);
        return true;
      default:
        return assertNever(action);
    }
  }

  #write(seen: Lease | null, spec: object): Promise<Lease> {
    const { client, namespace, name } = this.#options;
    // Without the version it would be written whoever holds it.
    const patch = { metadata: { resourceVersion: mustGet(seen?.metadata.resourceVersion, 'the version of the lease') }, spec };
    return client.patch(LEASE, { namespace, name }, patch, { type: 'merge', fieldManager: FIELD_MANAGER });
  }

  #written(lease: Lease, sentMs: number): void {
    const { clock, terms } = this.#options;
    this.#move(onWritten(this.#standing, clock.monotonicMs(), lease, sentMs));
    if (this.#standing.kind !== 'leader' || this.#stopped.signal.aborted) return;
    // It does not wait for a call that hangs.
    this.#deadline?.stop();
    this.#deadline = clock.after(Math.max(0, leadsUntilMs(this.#standing, terms) - clock.monotonicMs()), () => this.isHeld());
  }

  async #renewRegularly(): Promise<void> {
    const { clock, terms } = this.#options;
    while (!this.#stopped.signal.aborted && this.isHeld()) {
      await clock.sleep(terms.retryMs, this.#stopped.signal);
      if (!this.#stopped.signal.aborted && this.isHeld()) await this.look();
    }
  }

  /** A renewal that is under way would write the name back. */
  async #releaseOnceStill(): Promise<void> {
    await this.#renewing;
    if (this.#standing.kind !== 'leader') return;
    const { lease } = this.#standing.seen;
    this.#standing = NEW_CANDIDATE;
    if (holderOf(lease) !== this.#options.terms.identity) return;
    await this.#write(lease, { holderIdentity: null, renewTime: microTime(this.#options.clock.wallMs()) });
  }

  #move(next: Standing): void {
    const was = this.#standing.kind;
    this.#standing = next;
    if (next.kind !== 'lost' || was === 'lost') return;
    this.#deadline?.stop();
    this.#options.observer.onLeading(false);
    this.#options.log.error({ lease: this.#options.name, why: next.why }, 'the lead is lost');
    this.#lost.abort();
  }
}
