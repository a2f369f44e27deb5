import type { Indexing } from '../../input/index/indexer.ts';
import type { InputLine, InputReader, InvalidReason } from '../../input/index/reader.ts';
import type { ItemIndex } from '../../model/row.ts';

/** The input as the coordinator needs it: every question waits until the index has come so far. */
export interface Source {
  /** The lines of the first of these items: as many as fit into `maxBytes`, at least one. */
  lines(indexes: readonly ItemIndex[], maxBytes: number): Promise<readonly InputLine[]>;
  invalidReason(index: ItemIndex): Promise<InvalidReason>;
  survey(from: ItemIndex, count: number): Promise<{ readonly upTo: ItemIndex; readonly invalid: readonly ItemIndex[] }>;
  indexed(): { readonly count: number; readonly items: number | null };
}

export function createSource(
  indexing: Pick<Indexing, 'count' | 'isComplete' | 'waitFor'>,
  reader: Pick<InputReader, 'lines' | 'invalidReason' | 'survey'>,
): Source {
  return {
    lines: async (indexes, maxBytes) => {
      await indexing.waitFor(Math.max(-1, ...indexes) + 1);
      return reader.lines(indexes, maxBytes);
    },
    invalidReason: async (index) => {
      await indexing.waitFor(index + 1);
      return reader.invalidReason(index);
    },
    survey: async (from, count) => {
      await indexing.waitFor(from + 1);
      // Behind what is indexed there may be entries of an earlier indexing, which are not compared yet.
      return reader.survey(from, Math.min(count, indexing.count() - from));
    },
    indexed: () => ({ count: indexing.count(), items: indexing.isComplete() ? indexing.count() : null }),
  };
}
