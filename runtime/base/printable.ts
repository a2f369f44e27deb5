/**
 * Text for people may hold what an input or a server has sent. A terminal obeys control characters, and marks of writing direction
 * make a line read as another one: both are shown by their numbers. Line ends and tabs stay.
 */
const UNPRINTABLE = /(?![\n\t])[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu;

export function printable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
