import { type Attempt, COORDINATOR_WORKER, type Epoch, type ItemIndex, isSameRow, type Row } from '../../runtime/model/row.ts';

/** What a checker knows of an item, from nothing but the answers that the store gave. */
export interface SeenItem {
  readonly index: ItemIndex;
  /** Those that run: two where there is a second attempt (L13). */
  rows: readonly Row[];
  /** While handed back: the row that was taken last (L15). */
  taken: Row | null;
  takenMs: number;
  lastAttempt: Attempt;
  record: { readonly row: Row; readonly isResult: boolean; readonly byEpoch: Epoch } | null;
  failures: number;
  crashes: number;
  /** A hand-back before the last of them takes nothing any more (L38). */
  restores: number;
  readonly refused: Set<string>;
  /** How each row that was taken was taken. */
  readonly takenFor: Map<string, string>;
}

/** The books of the checkers: every item that any answer has named. */
export class SeenItems {
  readonly all: Map<ItemIndex, SeenItem> = new Map();
  /** How many of them are recorded. */
  recorded = 0;

  item(index: ItemIndex): SeenItem {
    let item = this.all.get(index);
    if (item === undefined) {
      item = {
        index,
        rows: [],
        taken: null,
        takenMs: 0,
        lastAttempt: 0,
        record: null,
        failures: 0,
        crashes: 0,
        restores: 0,
        refused: new Set(),
        takenFor: new Map(),
      };
      this.all.set(index, item);
    }
    return item;
  }

  /** May this row still settle? */
  verdictOn(index: ItemIndex, row: Row): 'live' | 'recorded' | 'stale' {
    const item = this.item(index);
    if (item.record !== null) return 'recorded';
    if (item.rows.some((one) => isSameRow(one, row))) return 'live';
    if (item.rows.length > 0 || item.taken === null) return 'stale';
    const worker = row.worker === COORDINATOR_WORKER ? item.taken.worker : row.worker;
    return isSameRow(item.taken, { ...row, worker }) ? 'live' : 'stale';
  }
}

export function keyOf({ worker, attempt, claimEpoch }: Row): string {
  return `${worker}/${attempt}/${claimEpoch}`;
}
