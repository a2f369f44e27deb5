import { scanIntervalMs } from '../../runtime/coordinator/workers/failure.ts';
import { type AcquireRequest, isSameLease, type Lease, type SeenLease } from '../../runtime/model/lease.ts';
import type { Epoch } from '../../runtime/model/row.ts';
import type { Timing } from '../../runtime/model/timing.ts';
import type { Checking } from './checking.ts';
import type { SimProcess } from './sim-process.ts';

/** So early a holder stops to trust its lease. */
const MARGIN_SHARE = 0.1;
/** At the second scan at which it does not, it lets its workers go. */
const SCANS = 3;

interface Won {
  readonly holder: string;
  readonly pid: number;
}

/** One holder for each epoch, epochs that only grow, and no word under an old one (L1–L5). */
export class LeaseChecker {
  /** -1 before the first coordinator won. */
  epoch: Epoch = -1;
  readonly #checking: Checking;
  readonly #wins = new Map<Epoch, Won>();
  /** The lease row as it stands; undefined after a release, which tells nothing of it. */
  #row: Lease | null | undefined = null;
  readonly #pidOfNonce = new Map<string, number>();
  readonly #ttlMs: number;
  readonly #scansMs: number;
  /** The row as each process was told it last, and since when, on that process's own clock. */
  readonly #watched = new Map<SimProcess, { readonly row: Lease | null; readonly sinceMs: number }>();
  /** When each holder asked for what it won or renewed last, on its own clock. */
  readonly #askedMs = new Map<SimProcess, number>();

  constructor(checking: Checking, timing: Timing) {
    this.#checking = checking;
    this.#ttlMs = timing.coordinatorFailureTimeoutMs;
    this.#scansMs = SCANS * scanIntervalMs(timing);
  }

  observe(verb: string, args: readonly unknown[], answer: unknown, process: SimProcess): void {
    if (verb === 'readLease') return this.#onRead((answer as SeenLease).lease, process);
    const reply = answer as { readonly kind: string; readonly lease?: Lease };
    if (verb === 'acquire' && reply.kind === 'held') this.#watch(process, reply.lease ?? null);
    if (verb === 'acquire' && reply.kind === 'won' && reply.lease !== undefined)
      this.#onWon(reply.lease, (args[0] as AcquireRequest).expected, process);
    if (verb === 'acquire' && reply.kind === 'behind') this.#checking.hold('L3', false, 'a ledger that lost nothing is behind');
    if (verb === 'renew' && reply.kind === 'renewed' && reply.lease !== undefined) this.#onRenewed(reply.lease, args[0] as Lease);
    if (verb === 'release' && reply.kind === 'released') {
      this.#checking.hold('L1', (args[0] as Lease).epoch === this.epoch, 'a lease was released that another one holds');
      // The row itself is told by whoever reads it next.
      this.#row = undefined;
    }
  }

  /** Checks the epoch of a call against the store's (L5); false where it was refused. */
  isUnder(epoch: Epoch, reply: { readonly kind: string; readonly epoch?: Epoch }, what: string): boolean {
    if (reply.kind === 'fenced') {
      this.#checking.hold('L5', epoch < this.epoch, `${what} was fenced under the epoch that holds, ${epoch}`);
      return false;
    }
    this.#checking.hold(
      'L5',
      epoch === this.epoch,
      `${what} was answered ${reply.kind} under epoch ${epoch}; the store's is ${this.epoch}`,
    );
    return true;
  }

  /** Only a later epoch fences: one that gave its lease up by itself does not say that another has taken over (L42). */
  onFenced({ name }: SimProcess, epoch: Epoch, byEpoch: Epoch): void {
    this.#checking.hold(
      'L42',
      byEpoch > epoch && byEpoch <= this.epoch,
      `${name}, of epoch ${epoch}, says that epoch ${byEpoch} fenced it`,
    );
  }

  /** Its process has heard that it was won or renewed, having asked then. */
  onHeld(process: SimProcess, askedMs: number): void {
    this.#askedMs.set(process, askedMs);
  }

  /** A word that only a holder may say leaves its process: a tenth of the TTL is left of its lease, by its own monotonic clock (L5). */
  onWord(verb: string, process: SimProcess): void {
    const ageMs = this.#ageMs(process);
    this.#checking.hold(
      'L5',
      ageMs <= this.#ttlMs * (1 - MARGIN_SHARE),
      `${process.name} says ${verb} ${ageMs} ms after it last asked for its lease`,
    );
  }

  /** A worker is answered: by one that may trust its lease, or has just found that it may not (L46). */
  onAnswer(process: SimProcess, worker: string): void {
    const overMs = this.#ageMs(process) - this.#ttlMs * (1 - MARGIN_SHARE);
    const sinceHeldMs = this.#checking.nowMs() - (process.lastHeldMs ?? Number.NEGATIVE_INFINITY);
    this.#checking.hold(
      'L46',
      Math.min(overMs, sinceHeldMs) <= this.#scansMs,
      `${process.name} answers ${worker} ${overMs} ms after its lease ran out`,
    );
  }

  #ageMs(process: SimProcess): number {
    return process.monotonicMs() - (this.#askedMs.get(process) ?? Number.NEGATIVE_INFINITY);
  }

  #onRead(lease: Lease | null, process: SimProcess): void {
    this.#watch(process, lease);
    if (lease === null) this.#checking.hold('L1', this.epoch < 0, 'the lease row is gone');
    else this.#checking.hold('L1', lease.epoch === this.epoch, `the lease row is of epoch ${lease.epoch}, not of ${this.epoch}`);
  }

  #watch(process: SimProcess, row: Lease | null): void {
    const before = this.#watched.get(process);
    if (before === undefined || !isSameLease(before.row, row)) this.#watched.set(process, { row, sinceMs: process.monotonicMs() });
  }

  /** L4: taken from one that lives only after a whole TTL of the candidate's own monotonic clock without a renewal. */
  #checkGrounds(expected: Lease | null, process: SimProcess): void {
    if (expected === null || expected.holder === '' || this.#checking.isDead(expected.process.pid)) return;
    const watched = this.#watched.get(process);
    const seenMs = watched === undefined || !isSameLease(watched.row, expected) ? 0 : process.monotonicMs() - watched.sinceMs;
    this.#checking.hold(
      'L4',
      seenMs >= this.#ttlMs,
      `${process.name} took the lease of a holder that lives, having seen it for ${seenMs} ms`,
    );
    this.#checking.count('lease taken by expiry');
  }

  #onWon(lease: Lease, expected: Lease | null, process: SimProcess): void {
    const { pid, name } = process;
    const { epoch, holder } = lease;
    const before = this.#wins.get(epoch);
    const isAgain = before?.holder === holder && epoch === this.epoch;
    this.#checking.hold('L1', isAgain || epoch === this.epoch + 1, `${name} won epoch ${epoch} after epoch ${this.epoch}`);
    this.#checking.hold('L2', before === undefined || before.pid === pid, `epoch ${epoch} was won by two processes`);
    const pidOfNonce = this.#pidOfNonce.get(holder) ?? pid;
    this.#checking.hold('L2', pidOfNonce === pid, `two processes call themselves ${holder}`);
    this.#pidOfNonce.set(holder, pid);
    if (isAgain) return;
    this.#checkGrounds(expected, process);
    this.#checking.hold(
      'L4',
      this.#row === undefined || isSameLease(this.#row, expected),
      `${name} won a lease that is not the one it had seen`,
    );
    this.#row = lease;
    if (this.epoch >= 0) this.#checking.count('takeover');
    this.#wins.set(epoch, { holder, pid });
    this.epoch = epoch;
  }

  #onRenewed(lease: Lease, held: Lease): void {
    this.#row = lease;
    const isOwn = lease.epoch === this.epoch && held.epoch === this.epoch && this.#wins.get(this.epoch)?.holder === held.holder;
    this.#checking.hold('L5', isOwn, `the lease of epoch ${this.epoch} was renewed by the holder of epoch ${held.epoch}`);
  }
}
