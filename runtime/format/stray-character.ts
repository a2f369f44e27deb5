import { codePointName, INVISIBLE } from '../base/printable.ts';

/** A character that nobody can see between the parts of a line's JSON, where only blanks and tabs may stand. Pure. */
interface Stray {
  readonly character: string;
  /** In characters, from 1. */
  readonly column: number;
}

const NAMES: Readonly<Record<string, string>> = {
  '\ufeff': 'a byte order mark',
  '\u00a0': 'a no-break space',
  '\u200b': 'a zero-width space',
  '\u2028': 'a line separator',
};

/** What to say of a line that is not JSON; null where something else than such a character makes it so. */
export function strayText(text: string): string | null {
  const stray = firstStray(text);
  if (stray === null) return null;
  const { character, column } = stray;
  const name = `${codePointName(character)} (${NAMES[character] ?? 'an invisible character'})`;
  const wayOut =
    character === '\ufeff'
      ? "files that were joined may each begin with one; remove it from all lines with `sed -i 's/^\\xEF\\xBB\\xBF//'`"
      : 'remove it, or write a plain blank';
  return `the line is not JSON: ${name} stands at column ${column}, which cannot be seen: ${wayOut}`;
}

function firstStray(text: string): Stray | null {
  const { found, blanked } = outsideStrings(text);
  if (found === null || !isJsonOrBlank(blanked)) return null;
  return { character: String.fromCodePoint(text.codePointAt(found) ?? 0), column: Array.from(text.slice(0, found)).length + 1 };
}

/** The first invisible character outside of strings, and the line with blanks in place of all of them. */
function outsideStrings(text: string): { readonly found: number | null; readonly blanked: string } {
  let found: number | null = null;
  let blanked = '';
  for (let at = 0; at < text.length; ) {
    const opening = text.indexOf('"', at);
    const between = text.slice(at, opening < 0 ? text.length : opening);
    const first = between.search(INVISIBLE);
    if (found === null && first >= 0) found = at + first;
    const end = opening < 0 ? text.length : stringEnd(text, opening);
    blanked += between.replaceAll(INVISIBLE, ' ') + text.slice(at + between.length, end);
    at = end;
  }
  return { found, blanked };
}

/** Behind the closing quote, or the end of the text. */
function stringEnd(text: string, opening: number): number {
  for (let at = opening + 1; at < text.length; at += 1) {
    if (text[at] === '"') return at + 1;
    if (text[at] === '\\') at += 1;
  }
  return text.length;
}

function isJsonOrBlank(text: string): boolean {
  if (text.trim() === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
