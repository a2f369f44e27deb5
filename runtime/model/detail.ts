import { MAX_DETAIL_CHARACTERS } from './session.ts';

/** Whatever ends a line, or moves the cursor of a terminal that shows the text. */
const CONTROL = /[\p{Cc}\u2028\u2029]/u;

export const ONE_LINE_FORM: string = `must be one line of at most ${MAX_DETAIL_CHARACTERS} characters`;

export function isOneLine(text: string): boolean {
  return text.length <= MAX_DETAIL_CHARACTERS && !CONTROL.test(text);
}

/** A text that was made elsewhere, fit for a message: control characters are spaces, and what is too long is cut. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
  const short = line.length <= MAX_DETAIL_CHARACTERS ? line : `${line.slice(0, MAX_DETAIL_CHARACTERS - 1)}…`;
  // Half a character, which a cut may leave, has no place in a message.
  return short.replace(/\p{Cs}/gu, '');
}
