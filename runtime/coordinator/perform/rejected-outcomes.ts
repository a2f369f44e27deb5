import { mustGet } from '../../base/assert.ts';
import { contentId } from '../../format/content-id.ts';
import { parseLine } from '../../format/line.ts';
import { badLineId, type ErrorRecord, errorLine } from '../../format/output-line.ts';
import { type ItemIndex, type ItemRef, plainRef } from '../../model/row.ts';
import type { ItemForm, Outcome } from '../../model/session.ts';
import { POISON_CRASHES } from '../items/poison.ts';
import type { Source } from './source.ts';

/** The outcomes that the coordinator itself records. */

/** The error of a line that is no item. */
export async function invalidOutcome(source: Pick<Source, 'invalidReason'>, ref: ItemRef): Promise<Outcome> {
  const { code, message, customId, lineNumber } = await source.invalidReason(ref.index);
  return outcomeOf(ref, { id: badLineId(lineNumber), customId, code, message, line: lineNumber, response: null });
}

/** The error of an item whose worker crashed again and again while it had nothing else. */
export async function poisonOutcome(source: Pick<Source, 'lines'>, form: ItemForm, ref: ItemRef): Promise<Outcome> {
  const { line, lineNumber } = await lineOf(source, ref.index);
  const parsed = parseLine(line, lineNumber, form);
  const [id, customId] = parsed.kind === 'item' ? [contentId(parsed.item), parsed.item.customId] : [badLineId(lineNumber), null];
  const message = `${POISON_CRASHES} workers crashed while this was the only item they had: it is not tried again`;
  return outcomeOf(ref, { id, customId, code: 'poison', message, line: lineNumber, response: null });
}

async function lineOf(
  source: Pick<Source, 'lines'>,
  index: ItemIndex,
): Promise<{ readonly line: Uint8Array; readonly lineNumber: number }> {
  const [first] = await source.lines([index], 1);
  return mustGet(first, 'the line of an item');
}

function outcomeOf(ref: ItemRef, record: ErrorRecord): Outcome {
  const line = errorLine(record);
  return { ...plainRef(ref), kind: 'error', line, httpStatus: 0, code: record.code, isRetryable: false, isProbe: false, delayMs: 0 };
}
