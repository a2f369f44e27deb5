/**
 * Where the members of a JSON object stand in its bytes, so that one part can be taken out or replaced without serializing the rest
 * again: numbers keep their digits, members keep their order, and duplicates stay. Pure. The bytes must be JSON that JSON.parse accepts.
 * Deep nesting uses no stack.
 */
export interface Span {
  readonly start: number;
  /** Behind the last byte. */
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** The values of every member of this name, in their order; JSON.parse takes the last of them. Empty where there is none. */
export function memberSpans(object: Uint8Array, name: string): readonly Span[] {
  const spans: Span[] = [];
  const wanted = memberName(name);
  eachMember(object, (key, keyEnd, start, end) => {
    if (isNamed(object, key, keyEnd, wanted)) spans.push({ start, end });
  });
  return spans;
}

export interface MemberName {
  readonly name: string;
  /** As JSON.stringify writes it. */
  readonly quoted: Uint8Array;
}

export function memberName(name: string): MemberName {
  return { name, quoted: Buffer.from(JSON.stringify(name)) };
}

/** The first of these names that more than one member has; null where each has one at most. */
export function repeatedMember(object: Uint8Array, names: readonly MemberName[]): string | null {
  const counts = names.map(() => 0);
  eachMember(object, (key, keyEnd) => {
    const at = names.findIndex((one) => isNamed(object, key, keyEnd, one));
    if (at >= 0) counts[at] = (counts[at] as number) + 1;
  });
  return names[counts.findIndex((count) => count > 1)]?.name ?? null;
}

/** `key` to `keyEnd`: the member's name, with its quotes; `start` to `end`: its value. */
function eachMember(object: Uint8Array, onMember: (key: number, keyEnd: number, start: number, end: number) => void): void {
  let at = skipSpace(object, skipSpace(object, 0) + 1);
  while (object[at] === QUOTE) {
    const keyEnd = stringEnd(object, at);
    // One byte for the colon between the spaces.
    const start = skipSpace(object, skipSpace(object, keyEnd) + 1);
    const end = valueEnd(object, start);
    onMember(at, keyEnd, start, end);
    at = skipSpace(object, end);
    if (object[at] === COMMA) at = skipSpace(object, at + 1);
  }
}

/** The object with this member: each value of that name is replaced, and where there is none the member comes first. */
export function withMember(object: Uint8Array, name: string, value: unknown): Uint8Array {
  const text = JSON.stringify(value);
  const spans = memberSpans(object, name);
  if (spans.length === 0) return withFirstMember(object, `${JSON.stringify(name)}:${text}`);
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(object.subarray(at, start), Buffer.from(text));
    at = end;
  }
  return Buffer.concat([...parts, object.subarray(at)]);
}

function withFirstMember(object: Uint8Array, member: string): Uint8Array {
  const inside = skipSpace(object, 0) + 1;
  const isEmpty = object[skipSpace(object, inside)] === CLOSE_OBJECT;
  return Buffer.concat([object.subarray(0, inside), Buffer.from(isEmpty ? member : `${member},`), object.subarray(inside)]);
}

/**
 * A name may be written with escapes: "\u006dodel" is "model". JSON.stringify escapes only what every writer must, so that names that
 * differ before their first escape are different.
 */
function isNamed(bytes: Uint8Array, start: number, end: number, { name, quoted }: MemberName): boolean {
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === BACKSLASH) return JSON.parse(Buffer.from(bytes.subarray(start, end)).toString('utf8')) === name;
    if (byte !== quoted[at - start]) return false;
  }
  return end - start === quoted.length;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
}

/** Most names end within so many bytes; a longer string is searched by native code, which costs a call. */
const SHORT_BYTES = 16;

/** Behind the closing quote of the string that begins here. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  const shortEnd = Math.min(bytes.length, at + SHORT_BYTES);
  while (at < shortEnd && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at < shortEnd ? at + 1 : longStringEnd(bytes, at);
}

/** `from` is no escaped byte. */
function longStringEnd(bytes: Uint8Array, from: number): number {
  for (let at = from; ; ) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) return bytes.length + 1;
    let slashes = 0;
    while (quote - slashes > at && bytes[quote - slashes - 1] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    at = quote + 1;
  }
}

function valueEnd(bytes: Uint8Array, start: number): number {
  const first = bytes[start];
  if (first === QUOTE) return stringEnd(bytes, start);
  return first === OPEN_OBJECT || first === OPEN_LIST ? nestedEnd(bytes, start) : plainEnd(bytes, start);
}

function nestedEnd(bytes: Uint8Array, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const byte = bytes[at];
    if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth++;
    if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) depth--;
    at = byte === QUOTE ? stringEnd(bytes, at) : at + 1;
  } while (depth > 0 && at < bytes.length);
  return at;
}

/** A number, true, false or null. */
function plainEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && !isSpace(bytes[at]) && bytes[at] !== COMMA && bytes[at] !== CLOSE_OBJECT && bytes[at] !== CLOSE_LIST) at++;
  return at;
}
