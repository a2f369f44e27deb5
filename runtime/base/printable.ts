/**
 * Text for people may contain what an input or a server has sent. A terminal obeys control characters, and direction marks reorder a
 * line on the screen: both are shown as their code points. Line ends and tabs stay.
 */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu;

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, escapeOf);
}

/** Looks like a blank or like nothing. A plain blank, line ends and tabs stay. */
export const INVISIBLE: RegExp = /(?![ \n\r\t])[\p{Cc}\p{Z}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** For a quotation of what is wrong: a character that nobody can see may be the very cause. */
export function visible(text: string): string {
  return text.replaceAll(INVISIBLE, escapeOf);
}

export function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function escapeOf(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
