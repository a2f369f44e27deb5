/**
 * Text for people may contain what an input or a server has sent. A terminal obeys control characters, and direction marks reorder a
 * line on the screen: both are shown as their code points. Line ends and tabs stay.
 */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu;

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
