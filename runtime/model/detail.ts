import { MAX_DETAIL_CHARACTERS } from './session.ts';

/** A text that was made elsewhere, fit for a message: control characters are spaces, and what is too long is cut. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
  const short = line.length <= MAX_DETAIL_CHARACTERS ? line : `${line.slice(0, MAX_DETAIL_CHARACTERS - 1)}…`;
  // Half a character, which a cut may leave, has no place in a message.
  return short.replace(/\p{Cs}/gu, '');
}
