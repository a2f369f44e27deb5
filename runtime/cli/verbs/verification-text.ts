import type { Progress } from '../../model/run.ts';
import type { Verification } from '../../results/verify/verify.ts';

/** How a verification reads: the proof in one paragraph, or the first violations with file and line. Pure. */
export function verificationText(found: Verification, limit: number | null): readonly string[] {
  const { items, done, failed, blankLines } = found;
  const counts = `${items} input lines = ${done} results + ${failed} errors`;
  const blank = blankLines === 0 ? '' : `, ${blankLines} blank line${blankLines === 1 ? '' : 's'} skipped`;
  if (found.isProven) {
    const proof = `Verified: ${counts}${blank}. Each input line is in exactly one of the two files, exactly as recorded.`;
    return limit === null
      ? [proof]
      : [proof, `With --limit ${limit} this holds for the first ${items} items; the input beyond them is no part of the run.`];
  }
  const shown = found.violations.map(({ file, line, what }) => `  ${file}${line === null ? '' : ` line ${line}`}: ${what}`);
  const more = found.violationCount > shown.length ? [`  and ${found.violationCount - shown.length} more`] : [];
  return [`NOT verified: ${found.violationCount} violation${found.violationCount === 1 ? '' : 's'} found.`, ...shown, ...more];
}

/** `items` is null while the input has not been indexed to its end. */
export function unfinishedText({ done, failed }: Pick<Progress, 'done' | 'failed'>, items: number | null): string {
  const recorded = items === null ? `${done + failed} items are recorded so far` : `${done + failed} of ${items} items are recorded`;
  return `the run is not finished: ${recorded}; give the run's command again, then verify`;
}
