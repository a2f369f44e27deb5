import type { HandBack } from '../../runtime/ledger/contract.ts';
import type { RunEvent } from '../../runtime/model/event.ts';
import type { Epoch, WorkerId } from '../../runtime/model/row.ts';
import type { Beat } from '../../runtime/model/session.ts';
import type { Timing } from '../../runtime/model/timing.ts';
import type { Checking } from './checking.ts';
import type { LedgerChecker } from './ledger-checker.ts';
import type { SimProcess } from './sim-process.ts';

/** One start of a worker, as its process knows it. */
export interface Boot {
  readonly worker: WorkerId;
  readonly nonce: string;
  readonly process: SimProcess;
  /** It has said that it leaves. */
  hasLeft: boolean;
}

interface Heard {
  readonly epoch: Epoch;
  readonly bootMs: number;
  /** By boot nonce, on the coordinator's own clock. */
  readonly beats: Map<string, number>;
  readonly failed: Set<WorkerId>;
  readonly failedMs: Map<WorkerId, number>;
  /** The boot that it has registered for each worker. */
  readonly registered: Map<WorkerId, string>;
}

/** What is taken from a worker, not given back by it. */
const TAKEN_FOR: ReadonlySet<string> = new Set(['lost', 'suspected', 'crashed']);

/** No worker is failed before its time (C1, L25, L37), and none twice (L31); no row is taken from one that is not failed. */
export class FailureChecker {
  readonly #checking: Checking;
  readonly #ledger: LedgerChecker;
  readonly #timing: Timing;
  readonly #isExecuted: (index: number, attempt: number) => boolean;
  readonly #boots = new Map<string, Boot>();
  readonly #newest = new Map<WorkerId, Boot>();
  readonly #heard = new Map<SimProcess, Heard>();
  /** Boots of each worker in the order in which they were first registered, and what each said last. */
  readonly #registered = new Map<WorkerId, readonly string[]>();
  readonly #said = new Map<string, string>();
  readonly #asked = new WeakSet<readonly HandBack[]>();

  constructor(checking: Checking, ledger: LedgerChecker, timing: Timing, isExecuted: (index: number, attempt: number) => boolean) {
    this.#checking = checking;
    this.#ledger = ledger;
    this.#timing = timing;
    this.#isExecuted = isExecuted;
  }

  onBoot(boot: Boot): void {
    this.#boots.set(boot.nonce, boot);
    this.#newest.set(boot.worker, boot);
  }

  onServing(process: SimProcess, epoch: Epoch): void {
    this.#heard.set(process, {
      epoch,
      bootMs: process.monotonicMs(),
      beats: new Map(),
      failed: new Set(),
      failedMs: new Map(),
      registered: new Map(),
    });
  }

  onBeat(process: SimProcess, { bootNonce, state }: Beat): void {
    this.#heard.get(process)?.beats.set(bootNonce, process.monotonicMs());
    this.#said.set(bootNonce, state);
  }

  onEvent(process: SimProcess, event: RunEvent): void {
    const heard = this.#heard.get(process);
    if (heard === undefined) return;
    if (event.kind === 'worker_registered') {
      heard.failed.delete(event.workerId);
      heard.registered.set(event.workerId, event.bootNonce);
      // One that is deposed may not know it yet: the ledger refuses its registration.
      if (heard.epoch === this.#ledger.lease.epoch) this.#onRegistered(event.workerId, event.bootNonce);
      this.#checking.count('registered');
    }
    if (event.kind === 'worker_deregistered' || event.kind === 'worker_failed') heard.failedMs.set(event.workerId, this.#checking.nowMs());
    if (event.kind === 'worker_deregistered') heard.failed.add(event.workerId);
    if (event.kind === 'worker_suspected') this.#checking.count('suspected');
    if (event.kind === 'worker_failed') this.#onFailed(process, heard, event);
  }

  /**
   * L26: one that another has replaced does not come back while that one is there. Of one that still says `init` nobody can know
   * whether it was heard before, and the last words of a drain are heard.
   */
  #onRegistered(worker: WorkerId, nonce: string): void {
    const order = this.#registered.get(worker) ?? [];
    this.#registered.set(worker, order.includes(nonce) ? order : [...order, nonce]);
    const present = this.#ledger.boots.get(worker);
    const isOlder = present !== undefined && order.includes(nonce) && order.indexOf(nonce) < order.indexOf(present);
    const said = this.#said.get(nonce);
    const isRight = !isOlder || said === 'init' || said === 'draining';
    this.#checking.hold('L26', isRight, `${nonce} is back in the place of ${present}, which had replaced it`);
  }

  #onFailed(process: SimProcess, heard: Heard, { workerId, reason }: Extract<RunEvent, { kind: 'worker_failed' }>): void {
    this.#checking.count(`failed by ${reason}`);
    this.#checking.hold('L31', !heard.failed.has(workerId), `${process.name} failed ${workerId} twice`);
    heard.failed.add(workerId);
    if (reason !== 'timeout') return;
    const nonce = this.#ledger.boots.get(workerId) ?? this.#newest.get(workerId)?.nonce ?? '';
    if (!heard.registered.has(workerId) && !heard.beats.has(nonce)) this.#checking.count('failed without a word to this coordinator');
    const silentMs = process.monotonicMs() - (heard.beats.get(nonce) ?? heard.bootMs);
    const dueMs = this.#timing.heartbeatIntervalMs + this.#timing.coordinatorFailureTimeoutMs;
    this.#checking.hold('C1', silentMs >= dueMs, `${process.name} failed ${workerId} after ${silentMs} ms of silence, not ${dueMs}`);
  }

  /** The machine wants these rows taken from their workers; what it asks again, it decided before. */
  onHandBack(process: SimProcess, returns: readonly HandBack[]): void {
    if (this.#asked.has(returns)) return;
    this.#asked.add(returns);
    const heard = this.#heard.get(process);
    for (const { index, row, reason } of returns) {
      if (!TAKEN_FOR.has(reason)) continue;
      const given = this.#ledger.givenTo.get(`${index}/${row.attempt}`);
      const boot = this.#boots.get(given?.boot ?? '');
      const present = heard?.registered.get(row.worker) ?? this.#ledger.boots.get(row.worker);
      const isGone = boot === undefined || boot.process.isDead || boot.hasLeft || present !== boot.nonce;
      if (reason !== 'lost') {
        this.#checking.hold('C7', isGone, `item ${index} was counted ${reason} against a worker that lives, ${row.worker}`);
        continue;
      }
      // Also where it has registered again since: what was its own before is not any more (L31).
      const isFailed = (heard?.failedMs.get(row.worker) ?? -1) >= (given?.atMs ?? 0);
      // Rows that a former coordinator claimed and may never have delivered are taken back where the worker does not hold them.
      const isUntouched = !this.#isExecuted(index, row.attempt);
      const isRight = isGone || isFailed || isUntouched || !this.#ledger.boots.has(row.worker);
      this.#checking.hold('L37', isRight, `item ${index} was taken from ${row.worker}, which is well and has started it`);
    }
  }
}
