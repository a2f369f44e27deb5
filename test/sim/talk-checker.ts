import type { ItemRef } from '../../runtime/model/row.ts';
import type { PollReply } from '../../runtime/model/session.ts';
import type { Checking } from './checking.ts';
import type { LedgerChecker } from './ledger-checker.ts';
import { keyOf } from './seen-items.ts';
import type { SimDisk } from './sim-disk.ts';
import type { SimProcess } from './sim-process.ts';

/** What a coordinator tells a worker, at the moment when it leaves. */
export class TalkChecker {
  readonly #checking: Checking;
  readonly #ledger: LedgerChecker;
  readonly #disk: SimDisk;
  readonly #fenced = new Set<SimProcess>();
  readonly #assigned = new Set<string>();

  constructor(checking: Checking, ledger: LedgerChecker, disk: SimDisk) {
    this.#checking = checking;
    this.#ledger = ledger;
    this.#disk = disk;
  }

  /** The process has heard that it is deposed. */
  onFenced(process: SimProcess): void {
    this.#fenced.add(process);
  }

  onReply(process: SimProcess, worker: string, reply: { readonly epoch: number }): void {
    this.#checking.hold('L5', !this.#fenced.has(process), `${process.name} spoke to ${worker} after it was fenced`);
    this.#ledger.lease.onAnswer(process, worker);
    if (!('status' in reply)) return;
    const poll = reply as PollReply;
    if (poll.status !== 'ok') return this.#checking.count(`told ${poll.status}`);
    for (const ref of poll.assignments) this.#onAssigned(`${worker} ${keyOf({ worker, ...ref })} ${ref.index}`);
    for (const ref of poll.acknowledged) this.#onAcknowledged(worker, poll.epoch, ref);
    for (const ref of poll.stale) this.#onStale(process, worker, ref);
    if (poll.revoked.length > 0) this.#checking.count('told revoked');
    if (poll.order !== 'work') this.#checking.count(`told ${poll.order}`);
  }

  #onAssigned(key: string): void {
    if (this.#assigned.has(key)) this.#checking.count('assigned again');
    this.#assigned.add(key);
  }

  /** L16, L18, L29: recorded, and on disk; or taken back by the ledger, with nothing to be kept. */
  #onAcknowledged(worker: string, epoch: number, ref: ItemRef): void {
    // A deposed coordinator, which has not heard so, knows nothing of later claims; the worker's epoch guard keeps its word out (L34).
    if (ref.claimEpoch > epoch) return;
    const { record, rows, takenFor } = this.#ledger.items.item(ref.index);
    const key = keyOf({ worker, ...ref });
    if (record === null) {
      const isBack = takenFor.has(key) && !rows.some((row) => keyOf(row) === key);
      return this.#checking.hold('L29', isBack, `${key} of item ${ref.index} was acknowledged, and is neither recorded nor handed back`);
    }
    const isDurable = this.#disk.isDurable(ref.index, record.row.attempt);
    this.#checking.hold('L18', isDurable, `item ${ref.index} was acknowledged, and its record is not on disk`);
  }

  #onStale({ pid }: SimProcess, worker: string, ref: ItemRef): void {
    const row = { worker, attempt: ref.attempt, claimEpoch: ref.claimEpoch };
    const verdict = this.#ledger.items.verdictOn(ref.index, row);
    this.#checking.hold('L29', verdict !== 'live', `${keyOf(row)} of item ${ref.index} was called stale, and may still settle`);
    const isAsked = this.#ledger.toldStale.has(`${pid} ${ref.index} ${keyOf(row)}`);
    this.#checking.hold('L29', isAsked, `${keyOf(row)} of item ${ref.index} was called stale, and the ledger was not asked`);
    this.#checking.count('told stale');
  }
}
