import { parseLine } from '../../format/line.ts';
import type { ItemIndex } from '../../model/row.ts';
import type { ItemForm } from '../../model/session.ts';
import { type InputReader, openInput } from './reader.ts';

export interface IndexedInput {
  readonly inputPath: string;
  /** Of the index. */
  readonly dir: string;
  readonly form: ItemForm;
}

/** What the input calls these items, for messages: an input or an index that is gone, or was changed, names none. */
export async function customIdsOf(input: IndexedInput, indexes: readonly ItemIndex[]): Promise<ReadonlyMap<ItemIndex, string>> {
  const reader = await openInput(input).catch(() => null);
  if (reader === null) return new Map();
  try {
    const named = await Promise.all(
      indexes.map(async (index) => [index, await customIdOf(reader, index, input.form).catch(() => null)] as const),
    );
    return new Map(named.filter((one): one is readonly [ItemIndex, string] => one[1] !== null));
  } finally {
    await reader.close();
  }
}

async function customIdOf(reader: InputReader, index: ItemIndex, form: ItemForm): Promise<string | null> {
  const { invalid } = await reader.survey(index, 1);
  if (invalid.length > 0) return (await reader.invalidReason(index)).customId;
  const [found] = await reader.lines([index]);
  if (found === undefined) return null;
  const parsed = parseLine(found.line, found.lineNumber, form);
  return parsed.kind === 'item' ? parsed.item.customId : null;
}
