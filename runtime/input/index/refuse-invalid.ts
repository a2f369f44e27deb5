import { RolloutError } from '../../base/errors.ts';
import type { IndexSummary } from './index-summary.ts';
import { type InputReader, type InvalidReason, openInput } from './reader.ts';

/** Enough to see what is wrong; the same mistake is often on every line. */
const SHOWN_LINES = 20;
/** Bounds memory where every line is bad, with few calls where none is. */
const SURVEYED_AT_ONCE = 65_536;

/** `onInvalid: fail`: an input that is indexed whole is refused with the list of its bad lines. The index is kept. */
export async function refuseInvalid(inputPath: string, indexDir: string, { items, invalid }: IndexSummary): Promise<void> {
  if (invalid === 0) return;
  const shown = await firstInvalid(inputPath, indexDir, items);
  throw new RolloutError('INPUT_INVALID', invalidText(inputPath, shown, invalid));
}

export function invalidText(inputPath: string, shown: readonly InvalidReason[], invalid: number): string {
  const lines = shown.map(({ lineNumber, code, message }) => `  line ${lineNumber}: ${code}: ${message}`);
  const more = invalid > shown.length ? [`  and ${invalid - shown.length} more`] : [];
  const count = `${invalid} bad line${invalid === 1 ? '' : 's'}`;
  return [
    `${inputPath} has ${count}, and --on-invalid (onInvalid in a settings file) is \`fail\`; nothing was executed:`,
    ...lines,
    ...more,
    'Correct them, or use `record` (--on-invalid record) to have them recorded as errors.',
  ].join('\n');
}

/** Why the first of the bad lines are bad. */
export async function firstInvalid(inputPath: string, indexDir: string, items: number): Promise<readonly InvalidReason[]> {
  const reader = await openInput({ inputPath, dir: indexDir });
  try {
    return await collect(reader, items);
  } finally {
    await reader.close();
  }
}

async function collect(reader: InputReader, items: number): Promise<readonly InvalidReason[]> {
  const reasons: InvalidReason[] = [];
  for (let from = 0; from < items && reasons.length < SHOWN_LINES; ) {
    const { upTo, invalid } = await reader.survey(from, SURVEYED_AT_ONCE);
    for (const index of invalid.slice(0, SHOWN_LINES - reasons.length)) reasons.push(await reader.invalidReason(index));
    from = upTo;
  }
  return reasons;
}
