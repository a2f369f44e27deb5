import { counted, formatSize } from '../../base/config/quantity.ts';
import type { InvalidKind } from '../../input/index/index-summary.ts';
import type { InvalidReason } from '../../input/index/reader.ts';

/** What a dry run found, and what the run will need. Pure. */
export interface DryRun {
  readonly items: number;
  readonly invalid: number;
  readonly kinds: readonly InvalidKind[];
  readonly blankLines: number;
  readonly streamed: number;
  readonly inputBytes: number;
  readonly spoolBytes: number;
  readonly indexBytes: number;
  readonly freeBytes: number;
  readonly firstInvalid: readonly InvalidReason[];
}

/** An answer of a few hundred tokens with its envelope. */
const RESULT_BYTES = 2_048;
/** In the result log and in the output. */
const COPIES = 2;

export function dryRunText(found: DryRun): readonly string[] {
  const needed = neededBytes(found);
  const kinds = found.kinds.map(({ code, count, firstLine }) => `  ${count} × ${code}, first on line ${firstLine}`);
  const bad = found.firstInvalid.map(({ lineNumber, code, message }) => `  line ${lineNumber}: ${code}: ${message}`);
  const more = found.invalid > bad.length ? [`  and ${found.invalid - bad.length} more`] : [];
  return [
    `${counted(found.items, 'input line')} (${formatSize(found.inputBytes)}), ${found.invalid} of them bad, ${counted(found.blankLines, 'blank line')} skipped.`,
    ...streamedText(found.streamed),
    ...kinds,
    ...bad,
    ...more,
    `Disk space: about ${formatSize(needed)} where answers have ${formatSize(RESULT_BYTES)}; ${formatSize(found.freeBytes)} are free.`,
    ...(needed > found.freeBytes ? ['That may not be enough: free some, or put output and --state on another disk.'] : []),
    'Dry run: nothing was executed, nothing was kept.',
  ];
}

function streamedText(streamed: number): readonly string[] {
  if (streamed === 0) return [];
  return [
    `${streamed} ${streamed === 1 ? 'has' : 'have'} "stream": true: events of …/completions are put together into one answer, other addresses are refused.`,
  ];
}

export function neededBytes({ items, spoolBytes, indexBytes }: Pick<DryRun, 'items' | 'spoolBytes' | 'indexBytes'>): number {
  return spoolBytes + indexBytes + items * RESULT_BYTES * COPIES;
}
