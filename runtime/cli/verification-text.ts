import type { Verification } from '../results/verify.ts';

/** How a verification reads: the proof in one paragraph, or the first breaks with file and line. Pure. */
export function verificationText(found: Verification): readonly string[] {
  const { items, done, failed, blankLines } = found;
  const counts = `${items} input lines = ${done} results + ${failed} errors`;
  const blank = blankLines === 0 ? '' : `, ${blankLines} blank line${blankLines === 1 ? '' : 's'} skipped`;
  if (found.isProven) return [`Verified: ${counts}${blank}. Each input line is in exactly one of the two files, exactly as recorded.`];
  const shown = found.breaks.map(({ file, line, what }) => `  ${file}${line === null ? '' : ` line ${line}`}: ${what}`);
  const more = found.breakCount > shown.length ? [`  and ${found.breakCount - shown.length} more`] : [];
  return [`NOT verified: ${found.breakCount} break${found.breakCount === 1 ? '' : 's'} found.`, ...shown, ...more];
}
