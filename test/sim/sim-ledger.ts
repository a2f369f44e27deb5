import type { Ledger } from '../../runtime/ledger/contract.ts';
import type { KeyValues } from '../../runtime/ledger/embedded/key-values.ts';
import { createNames } from '../../runtime/ledger/embedded/names.ts';
import { tableOf } from '../../runtime/ledger/embedded/table.ts';
import type { AllRows, Decision } from '../../runtime/ledger/rows.ts';
import { ledgerOver } from '../../runtime/ledger/rules/verbs.ts';

/** The rows as the embedded store keeps them, ranges, bitmaps and all, over a map in the place of LMDB. */
export function createSimLedger(): Ledger {
  const values = new SortedMap();
  const names = createNames(values);
  return ledgerOver({
    transact: async <T>(decide: (rows: AllRows) => Decision<T>): Promise<T> => {
      const table = tableOf(values, names);
      const { reply, writes } = decide(table.rows);
      if (writes !== null) table.apply(writes);
      return reply;
    },
    read: async (read) => read(tableOf(values, names).rows),
    nowMs: () => null,
    dispose: async () => undefined,
  });
}

/** Keys are bytes, and in their order as text of one byte a character. */
class SortedMap implements KeyValues {
  readonly #values = new Map<string, Buffer>();

  getBinary(key: Buffer): Buffer | undefined {
    return this.#values.get(key.toString('latin1'));
  }

  getRange({ start, end }: { readonly start: Buffer; readonly end: Buffer }): Iterable<{ readonly key: Buffer; readonly value: Buffer }> {
    const [from, upTo] = [start.toString('latin1'), end.toString('latin1')];
    const found = [...this.#values].filter(([key]) => key >= from && key < upTo).sort(([a], [b]) => (a < b ? -1 : 1));
    return found.map(([key, value]) => ({ key: Buffer.from(key, 'latin1'), value }));
  }

  /** A copy: LMDB keeps one, whatever becomes of the bytes that it was given. */
  putSync(key: Buffer, value: Buffer): void {
    this.#values.set(key.toString('latin1'), Buffer.from(value));
  }

  removeSync(key: Buffer): void {
    this.#values.delete(key.toString('latin1'));
  }
}
