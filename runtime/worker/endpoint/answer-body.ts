import { parsedJson } from '../../format/output-line.ts';

/** The body of an answer, read once. */
export type AnswerBody =
  | { readonly kind: 'json'; readonly text: string; readonly value: unknown }
  | { readonly kind: 'empty' }
  /** JSON that ends too early: another attempt may bring it whole. */
  | { readonly kind: 'cut' }
  /** Whole, and neither JSON nor UTF-8. */
  | { readonly kind: 'other' };

export function readBody(bytes: Uint8Array): AnswerBody {
  if (bytes.every((byte) => WHITE_SPACE.has(byte))) return { kind: 'empty' };
  const json = parsedJson(bytes);
  if (json !== null) return { kind: 'json', ...json };
  return isCutJson(bytes) ? { kind: 'cut' } : { kind: 'other' };
}

const WHITE_SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSING: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Whether a list or an object begins that never closes. Bytes, since a cut may go through a character. */
export function isCutJson(bytes: Uint8Array): boolean {
  const start = bytes.findIndex((byte) => !WHITE_SPACE.has(byte));
  if (start < 0 || !OPENING.has(bytes[start] ?? 0)) return false;
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) at = stringEnd(bytes, at + 1);
    if (OPENING.has(byte)) depth++;
    if (CLOSING.has(byte)) depth--;
    if (depth === 0) return false;
  }
  return true;
}

/** Where the string's closing quote stands, or the end of the bytes. */
function stringEnd(bytes: Uint8Array, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
  }
  return bytes.length;
}
