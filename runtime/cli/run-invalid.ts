import { RolloutError } from '../base/errors.ts';
import { startIndexing } from '../input/indexer.ts';
import { type InputReader, type InvalidReason, openInput } from '../input/reader.ts';
import type { RunArguments } from './arguments.ts';
import { MAX_LINE_BYTES, type StatePaths } from './paths.ts';

const SHOWN_LINES = 20;
const SURVEYED_AT_ONCE = 65_536;

/** `--on-invalid fail`: the whole input is indexed first, and refused with the list of its bad lines. The index is kept. */
export async function refuseInvalidLines(inputPath: string, args: RunArguments, paths: StatePaths): Promise<void> {
  const { items, invalid } = await startIndexing(indexRequest(inputPath, args, paths.indexDir)).done;
  if (invalid === 0) return;
  const shown = await firstInvalid(inputPath, paths.indexDir, items);
  throw new RolloutError('INPUT_INVALID', invalidText(inputPath, shown, invalid));
}

export function indexRequest(inputPath: string, args: RunArguments, dir: string): Parameters<typeof startIndexing>[0] {
  return { inputPath, dir, form: args.raw ? 'raw' : 'batch', maxLineBytes: MAX_LINE_BYTES, limit: args.limit ?? null };
}

export function invalidText(inputPath: string, shown: readonly InvalidReason[], invalid: number): string {
  const lines = shown.map(({ lineNumber, code, message }) => `  line ${lineNumber}: ${code}: ${message}`);
  const more = invalid > shown.length ? [`  and ${invalid - shown.length} more`] : [];
  const count = `${invalid} bad line${invalid === 1 ? '' : 's'}`;
  return [
    `${inputPath} has ${count}, and --on-invalid fail refuses them; nothing was executed:`,
    ...lines,
    ...more,
    'Correct them, or leave out --on-invalid fail to have them recorded as errors.',
  ].join('\n');
}

export async function firstInvalid(inputPath: string, dir: string, items: number): Promise<readonly InvalidReason[]> {
  const reader = await openInput({ inputPath, dir });
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
