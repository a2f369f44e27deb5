import type { Epoch } from '../../runtime/model/row.ts';
import type { Frame } from '../../runtime/results/log/contract.ts';
import type { Checking } from './checking.ts';
import type { LedgerChecker } from './ledger-checker.ts';

/** What reaches the result log (L19): no outcome of an item that this epoch, or an earlier one, has recorded. */
export class LogChecker {
  readonly #checking: Checking;
  readonly #ledger: LedgerChecker;

  constructor(checking: Checking, ledger: LedgerChecker) {
    this.#checking = checking;
    this.#ledger = ledger;
  }

  onAppend(epoch: Epoch, frames: readonly Frame[]): void {
    for (const { index, attempt } of frames) {
      const { record } = this.#ledger.items.item(index);
      this.#checking.trace.note('append', `${epoch}: ${index}/${attempt}`);
      if (record === null) continue;
      // A deposed coordinator, which knows nothing, writes into a segment that counts for less.
      const isHarmless = epoch < record.byEpoch;
      this.#checking.hold(
        'L19',
        isHarmless,
        `attempt ${attempt} of item ${index} reached the log of epoch ${epoch} after attempt ${record.row.attempt} was recorded under ${record.byEpoch}`,
      );
    }
  }
}
