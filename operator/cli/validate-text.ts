import { counted } from '../../runtime/base/config/quantity.ts';
import type { ListReport } from './manifest/list-check.ts';

/** A mistake, and where it stands. */
export interface PlacedMistake {
  readonly file: string;
  /** Null where it has no line of its own. */
  readonly line: number | null;
  /** Null: of the document as a whole, or of a line of a list. */
  readonly field: string | null;
  readonly message: string;
}

/** As compilers write it, so that editors find the place. */
export function placedText({ file, line, message }: PlacedMistake): string {
  return `${file}:${line === null ? '' : `${line}:`} ${message}`;
}

/** The bad lines of a list. `firstLine`: where the list begins in the file; 1 where it is the file. */
export function badLines(file: string, { shown }: ListReport, firstLine = 1): readonly PlacedMistake[] {
  return shown.map(({ lineNumber, code, message }) => ({
    file,
    line: firstLine + lineNumber - 1,
    field: null,
    message: `${code}: ${message}`,
  }));
}

/** One sentence about a list. */
export function listText(file: string, { items, bad, shown }: ListReport): string {
  if (bad === 0)
    return items === 0 ? `${file}: the list is empty: a run of it would have nothing to do` : `${file}: ${counted(items, 'item')}`;
  const more = bad > shown.length ? `, of which the first ${shown.length} are shown` : '';
  return `${file}: ${counted(items, 'item')}, and ${counted(bad, 'bad line')}${more}: a run records a bad line as failed, or with spec.format.onInvalid: fail refuses the list`;
}
