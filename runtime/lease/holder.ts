import { assert, assertNever } from '../base/assert.ts';
import type { Clock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import { CallFailed } from '../ledger/call-failed.ts';
import type { Fenced } from '../ledger/contract.ts';
import type { CandidateLedger } from '../ledger/views.ts';
import type { Lease } from '../model/lease.ts';
import type { Epoch, Stamp } from '../model/row.ts';
import type { LeaseHolder, Resigned, Won } from './contract.ts';
import { type Holding, isOver, onFenced, onRenewed, onResign, onTick, onWon, type Terms } from './machine.ts';

export interface HolderOptions {
  readonly ledger: Pick<CandidateLedger, 'renew' | 'release'>;
  readonly clock: Clock;
  readonly ttlMs: number;
  readonly renewIntervalMs: number;
  /** A renewal failed and it is not known whether it happened; it is tried again. For the log. */
  readonly onRenewFailed?: (error: unknown) => void;
}

/** Holder and candidate may count a tenth of the TTL apart: far more than two clocks of one machine ever do. */
const MARGIN_SHARE = 0.1;
/** After a renewal of unknown fate the next one follows sooner. */
const RETRY_SHARE = 0.25;

export function holdLease(options: HolderOptions, lease: Lease, sentAtMs: number, won: Won): LeaseHolder {
  return new Holder(options, lease, sentAtMs, won);
}

class Holder implements LeaseHolder {
  readonly won: Won;
  readonly #options: HolderOptions;
  readonly #terms: Terms;
  readonly #stopped = new AbortController();
  readonly #fenced = new AbortController();
  readonly #broken = new AbortController();
  readonly #loop: Promise<void>;
  #holding: Holding;
  #serial = 0;
  #renewal: Promise<void> | null = null;
  /** When this renewal was asked for first: one of unknown fate may have been carried out then (L38). Null: none is of unknown fate. */
  #askedFirstMs: number | null = null;

  constructor(options: HolderOptions, lease: Lease, sentAtMs: number, won: Won) {
    this.won = won;
    this.#options = options;
    this.#terms = { ttlMs: options.ttlMs, marginMs: options.ttlMs * MARGIN_SHARE };
    this.#holding = onWon(lease, sentAtMs, this.#terms);
    this.#loop = this.#renewRegularly();
  }

  get fenced(): AbortSignal {
    return this.#fenced.signal;
  }

  get broken(): AbortSignal {
    return this.#broken.signal;
  }

  fence(byEpoch: Epoch): void {
    assert(byEpoch > this.#holding.lease.epoch, 'a coordinator is fenced by a later epoch (L42)');
    this.#holding = onFenced(this.#holding, byEpoch);
    // A second call changes nothing: the first reason stays.
    if (this.#holding.kind === 'fenced') this.#fenced.abort(fencedBy(byEpoch));
  }

  lease(): Lease {
    return this.#holding.lease;
  }

  nextStamp(): Stamp {
    this.#serial += 1;
    return { epoch: this.lease().epoch, serial: this.#serial };
  }

  isFresh(): boolean {
    return this.#tick().kind === 'held';
  }

  async ensureFresh(): Promise<{ readonly kind: 'fresh' } | Fenced | Resigned> {
    for (;;) {
      const holding = this.#tick();
      switch (holding.kind) {
        case 'held':
          return { kind: 'fresh' };
        case 'fenced':
          return fencedBy(holding.byEpoch);
        case 'resigned':
          return { kind: 'resigned' };
        case 'paused':
          await this.#renew();
          break;
        default:
          assertNever(holding);
      }
    }
  }

  async resign(): Promise<void> {
    // Not a holder in memory any more, before the ledger says so: a caller that asks meanwhile writes nothing more.
    this.#holding = onResign(this.#holding);
    this.stop();
    await this.#loop;
    if (this.#holding.kind === 'resigned') await this.#options.ledger.release(this.#holding.lease);
  }

  stop(): void {
    this.#stopped.abort();
  }

  #tick(): Holding {
    this.#holding = onTick(this.#holding, this.#options.clock.monotonicMs());
    return this.#holding;
  }

  /** One at a time: a caller that asks meanwhile waits for the same answer. */
  #renew(): Promise<void> {
    this.#renewal ??= this.#renewOnce().finally(() => {
      this.#renewal = null;
    });
    return this.#renewal;
  }

  async #renewOnce(): Promise<void> {
    const { clock, ledger, ttlMs } = this.#options;
    const sentAtMs = this.#askedFirstMs ?? clock.monotonicMs();
    this.#askedFirstMs = sentAtMs;
    const reply = await ledger.renew(this.#holding.lease, ttlMs);
    this.#askedFirstMs = null;
    if (reply.kind === 'renewed') {
      this.#holding = onRenewed(this.#holding, reply.lease, sentAtMs, this.#terms);
      return;
    }
    if (isOver(this.#holding)) return;
    requireLater(reply.epoch, this.#holding.lease.epoch);
    this.fence(reply.epoch);
  }

  async #renewRegularly(): Promise<void> {
    const { clock, renewIntervalMs, onRenewFailed } = this.#options;
    let waitMs = renewIntervalMs;
    while (!this.#isOver()) {
      await clock.sleep(waitMs, this.#stopped.signal);
      if (this.#isOver()) return;
      try {
        await this.#renew();
        waitMs = renewIntervalMs;
      } catch (error) {
        if (!(error instanceof CallFailed)) return this.#broken.abort(error);
        // Unknown, not lost: while the margin lasts it is tried again, and after it `ensureFresh` lets nobody write.
        onRenewFailed?.(error);
        waitMs = renewIntervalMs * RETRY_SHARE;
      }
    }
  }

  #isOver(): boolean {
    return this.#stopped.signal.aborted || isOver(this.#holding);
  }
}

function fencedBy(epoch: Epoch): Fenced {
  return { kind: 'fenced', epoch };
}

/** A row that is not the holder's and has no later epoch was written by nobody who took over: the store has lost writes (L42). */
function requireLater(found: Epoch, own: Epoch): void {
  if (found > own) return;
  throw new RolloutError(
    'LEDGER_BEHIND',
    `The ledger has lost the lease of epoch ${own}, and no later one is there: the store was replaced, or has lost writes, while this coordinator ran.`,
  );
}
