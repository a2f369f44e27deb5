import { contentId } from '../../format/content-id.ts';
import type { InvalidLine } from '../../format/line.ts';
import { badLineId, type OutputRecord, recordId } from '../../format/output-line.ts';
import type { Item } from '../../model/item.ts';
import type { OutcomeKind } from '../../model/session.ts';
import type { Located } from './locator.ts';

/** What an input line says by itself, read again. */
export type InputMeaning =
  | { readonly kind: 'item'; readonly item: Item }
  | InvalidLine
  /** An item whose custom_id a line before it has. */
  | { readonly kind: 'duplicate'; readonly customId: string; readonly firstLine: number };

export interface ExpectedRecord {
  readonly id: string;
  readonly customId: string | null;
  /** The only error code that the record may have; null for an item, which may have any outcome. */
  readonly code: string | null;
}

/** What the record of an input line must say, whatever its outcome. */
export function expectedRecord(meaning: InputMeaning, lineNumber: number): ExpectedRecord {
  switch (meaning.kind) {
    case 'item':
      return { id: recordId(contentId(meaning.item)), customId: meaning.item.customId, code: null };
    case 'invalid':
      return { id: recordId(badLineId(lineNumber)), customId: meaning.customId, code: meaning.code };
    case 'duplicate':
      return { id: recordId(badLineId(lineNumber)), customId: meaning.customId, code: 'duplicate_custom_id' };
  }
}

/** What is wrong with the record of an input line; null when it is that line's. */
export function recordMismatch(
  expected: ExpectedRecord,
  lineNumber: number,
  record: OutputRecord | null,
  kind: OutcomeKind,
): string | null {
  if (record === null) return 'its record in the result log is not an output line';
  if (record.customId !== expected.customId)
    return `its record has custom_id ${JSON.stringify(record.customId)}: the input is not the one that was run`;
  const code = record.error?.code ?? null;
  if (expected.code !== null && code !== expected.code) return `the line is bad (${expected.code}), but its record ${outcome(code)}`;
  if (record.id !== expected.id) return 'its record was made from other contents: the input is not the one that was run';
  if ((code === null) !== (kind === 'result'))
    return `the ledger and the log call it ${kind === 'result' ? 'done' : 'failed'}, but its record ${outcome(code)}`;
  if (record.error !== null && record.error.line !== lineNumber) return `its record names input line ${record.error.line}`;
  return null;
}

function outcome(code: string | null): string {
  return code === null ? 'is a result' : `is the error ${code}`;
}

/** What is wrong with an item that the ledger calls done or failed; null where its record is there. */
export function recordProblem({ expected, found }: Located): string | null {
  if (expected === null) return null;
  if (found === null) return `the ledger has it as ${ledgerWord(expected)}, but the result log holds no record of it`;
  if (found.kind !== expected)
    return `the ledger has it as ${ledgerWord(expected)}, but its record in the result log is ${logWord(found.kind)}`;
  return null;
}

function ledgerWord(kind: OutcomeKind): string {
  return kind === 'result' ? 'done' : 'failed';
}

function logWord(kind: OutcomeKind): string {
  return kind === 'result' ? 'a result' : 'an error';
}
