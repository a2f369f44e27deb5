/** Columns as kubectl prints them: as wide as their widest entry, three blanks apart. */
export function tableText(heads: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...all.map((row) => charactersIn(row[column] ?? ''))));
  return all.map((row) =>
    row
      .map((entry, column) => entry + ' '.repeat((widths[column] ?? 0) - charactersIn(entry)))
      .join('   ')
      .trimEnd(),
  );
}

function charactersIn(text: string): number {
  return Array.from(text).length;
}

const MINUTE = 60;
const HOUR = 3_600;
const DAY = 86_400;

/** Time since a moment in RFC 3339, as kubectl writes it; `-` where it is not known. */
export function ageText(since: string | undefined, nowMs: number): string {
  const seconds = Math.floor((nowMs - Date.parse(since ?? '')) / 1_000);
  if (Number.isNaN(seconds)) return '-';
  if (seconds < 2 * MINUTE) return `${Math.max(0, seconds)}s`;
  if (seconds < 2 * HOUR) return `${Math.floor(seconds / MINUTE)}m`;
  return seconds < 2 * DAY ? `${Math.floor(seconds / HOUR)}h` : `${Math.floor(seconds / DAY)}d`;
}
