import { Buffer, isUtf8 } from 'node:buffer';
import { memberName, repeatedMember } from '../base/json/json-members.ts';
import { visible } from '../base/printable.ts';
import type { Item } from '../model/item.ts';
import { MAX_LINE_BYTES } from '../model/limits.ts';
import { requestTargetProblem } from '../model/request-target.ts';
import type { ItemForm } from '../model/session.ts';
import { strayText } from './stray-character.ts';

/** Why an input line is no item. The codes are written into error lines and are stable. */
export type InvalidCode =
  | 'invalid_utf8'
  | 'nul_byte'
  | 'invalid_json'
  | 'not_an_object'
  /** Two members of one name. */
  | 'duplicate_member'
  | 'missing_custom_id'
  | 'unsupported_method'
  | 'missing_url'
  | 'invalid_url'
  /** No client can send it. */
  | 'invalid_request'
  | 'missing_body'
  | 'body_not_an_object'
  | 'duplicate_custom_id'
  | 'line_too_long';

export interface InvalidLine {
  readonly kind: 'invalid';
  readonly code: InvalidCode;
  /** Says what is wrong and how to mend it; the line number is told beside it. */
  readonly message: string;
  /** Where the line could be read so far. */
  readonly customId: string | null;
}

export type ParsedLine = { readonly kind: 'item'; readonly item: Item } | { readonly kind: 'blank' } | InvalidLine;

const CARRIAGE_RETURN = 0x0d;
/** UTF-8's byte order mark. */
const BOM = [0xef, 0xbb, 0xbf] as const;
/** A byte order mark and a carriage return come on top of a line's content. */
export const AROUND_CONTENT_BYTES: number = BOM.length + 1;
const BLANK: ParsedLine = { kind: 'blank' };
/** What decoders put in place of bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/** Reads one input line, given without its line feed. Never throws, whatever the bytes. */
export function parseLine(bytes: Uint8Array, lineNumber: number, form: ItemForm): ParsedLine {
  const content = lineContent(bytes, lineNumber);
  const text = utf8Text(content);
  const parsed = parseContent(content, text, lineNumber, form);
  if (parsed.kind !== 'item' || form === 'raw' || !mayRepeat(text)) return parsed;
  const repeated = repeatedMember(content, NAMES);
  return repeated === null ? parsed : duplicateMember(repeated, parsed.item.customId);
}

/** The same of a line that the index holds as an item: members of one name are not looked for again. */
export function parseIndexedLine(bytes: Uint8Array, lineNumber: number, form: ItemForm): ParsedLine {
  const content = lineContent(bytes, lineNumber);
  return parseContent(content, utf8Text(content), lineNumber, form);
}

/** `text`: the content, with U+FFFD in place of what is not UTF-8. */
function parseContent(content: Uint8Array, text: string, lineNumber: number, form: ItemForm): ParsedLine {
  if (isBlank(content)) return BLANK;
  // A character that is in hardly any line is found faster than every byte is looked at.
  if (text.includes(REPLACEMENT) && !isUtf8(content)) return invalid('invalid_utf8', utf8Advice(content));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return notJson(content, text, error);
  }
  if (isDeeperThan(MAX_NESTING, value, content.length)) return invalid('invalid_request', TOO_DEEP, customIdOf(value, form));
  if (form === 'raw') return { kind: 'item', item: { customId: String(lineNumber), method: 'POST', url: '', body: value } };
  return toItem(value);
}

/** What is read of a line. JSON allows members of one name, and parsers differ in which of them they take. */
const NAMES = ['custom_id', 'method', 'url', 'body'].map(memberName);
/** A name as it is mostly spelled, or an escape that may be a letter of one. */
const SPELLING: RegExp = /"(?:custom_id|method|url|body)"|\\u00[4-7]/g;
/** An item has the other names. */
const OPTIONAL = '"method"';

/**
 * Whether a name may be there twice in the line of an item. However a name is spelled, it is found here at least once; so where no more
 * is found than each name once, none is repeated. This search of the text is several times faster than a look at each member.
 */
function mayRepeat(text: string): boolean {
  SPELLING.lastIndex = 0;
  let found = 0;
  while (found <= NAMES.length && SPELLING.test(text)) found += 1;
  return found > NAMES.length || (found === NAMES.length && !text.includes(OPTIONAL));
}

function duplicateMember(name: string, customId: string): InvalidLine {
  const message = `the line has more than one ${name}, and it is not known which is meant: leave one`;
  return invalid('duplicate_member', message, name === 'custom_id' ? null : customId);
}

/** The line without the byte order mark of the first line and without the carriage return of a CRLF. */
export function lineContent(bytes: Uint8Array, lineNumber: number): Uint8Array {
  const start = lineNumber === 1 && BOM.every((byte, at) => bytes[at] === byte) ? BOM.length : 0;
  const end = bytes[bytes.length - 1] === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length;
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

/** The error of a line that is longer than it may be; such a line is never read. */
export function lineTooLong(maxLineBytes: number): InvalidLine {
  const message =
    maxLineBytes >= MAX_LINE_BYTES
      ? `the line is longer than ${MAX_LINE_BYTES} bytes, the most that a line may have: shorten it, or leave it out`
      : `the line is longer than maxLineBytes (${maxLineBytes} bytes): shorten it, or raise maxLineBytes in the coordinator's settings`;
  return invalid('line_too_long', message);
}

export function duplicateCustomId(customId: string, firstLineNumber: number): InvalidLine {
  return invalid(
    'duplicate_custom_id',
    `custom_id was used before, on line ${firstLineNumber}: give each line its own custom_id`,
    customId,
  );
}

function toItem(value: unknown): ParsedLine {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid(
      'not_an_object',
      `the line is ${nameOf(value)}, not an object: write {"custom_id", "method", "url", "body"}, or use --raw for plain items`,
    );
  }
  const { custom_id: customId, method, url, body } = value as Readonly<Record<string, unknown>>;
  if (typeof customId !== 'string' || customId === '') {
    return invalid('missing_custom_id', `custom_id is ${nameOf(customId)}: give the line a custom_id that is a string of its own`);
  }
  if (method !== undefined && method !== 'POST') {
    return invalid('unsupported_method', `method is ${nameOf(method)}: only "POST" is supported; write it, or leave method out`, customId);
  }
  return toAddressedItem(customId, url, body);
}

function toAddressedItem(customId: string, url: unknown, body: unknown): ParsedLine {
  if (typeof url !== 'string' || url === '') {
    return invalid('missing_url', `url is ${nameOf(url)}: name the endpoint, for example "/v1/chat/completions"`, customId);
  }
  // The server's address is a setting. A whole address here would send the API key to wherever the input says.
  if (!url.startsWith('/')) {
    return invalid(
      'invalid_url',
      `url is ${nameOf(url)}: it must be a path that begins with "/", for example "/v1/chat/completions"`,
      customId,
    );
  }
  const problem = requestTargetProblem(url);
  if (problem !== null) return invalid('invalid_request', `url ${problem}`, customId);
  if (body === undefined || body === null) {
    return invalid('missing_body', `body is ${nameOf(body)}: put the request's parameters into an object named body`, customId);
  }
  if (typeof body !== 'object' || Array.isArray(body)) {
    return invalid('body_not_an_object', `body is ${nameOf(body)}, not an object: put the request's parameters into an object`, customId);
  }
  return { kind: 'item', item: { customId, method: 'POST', url, body } };
}

/**
 * JSON.stringify and most servers' parsers go down one call for each level: V8's overflows the stack above some 3,000 levels, and
 * Python's refuses about 1,000.
 */
const MAX_NESTING = 1_000;
const TOO_DEEP = `the line nests lists and objects more than ${MAX_NESTING} levels deep: no server reads that; make it flatter`;

/** Keeps its own stack. Each level takes two bytes at least, so that short lines need not be looked through. */
function isDeeperThan(levels: number, value: unknown, bytes: number): boolean {
  if (bytes <= 2 * levels) return false;
  const pending: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > levels) return true;
    for (const member of Object.values(next.value)) pending.push({ value: member, depth: next.depth + 1 });
  }
  return false;
}

function customIdOf(value: unknown, form: ItemForm): string | null {
  if (form === 'raw' || typeof value !== 'object' || value === null) return null;
  const customId = (value as Readonly<Record<string, unknown>>)['custom_id'];
  return typeof customId === 'string' && customId !== '' ? customId : null;
}

function notJson(content: Uint8Array, text: string, error: unknown): InvalidLine {
  // A raw NUL is never JSON, so only lines that were refused need to be searched for one.
  const nulAt = content.indexOf(0);
  if (nulAt >= 0)
    return invalid('nul_byte', `a NUL byte stands at byte ${nulAt + 1} of the line: the file may be damaged; write the line again`);
  const stray = strayText(text);
  if (stray !== null) return invalid('invalid_json', stray);
  const cause = error instanceof Error ? error.message : String(error);
  return invalid('invalid_json', `the line is not JSON (${shortened(cause)}): write one whole JSON value per line`);
}

function utf8Advice(content: Uint8Array): string {
  const isUtf16 = (content[0] === 0xff && content[1] === 0xfe) || (content[0] === 0xfe && content[1] === 0xff);
  return isUtf16 ? 'the file is UTF-16: convert it to UTF-8' : 'the line is not valid UTF-8: convert the file to UTF-8';
}

function isBlank(content: Uint8Array): boolean {
  return content.every((byte) => byte === 0x20 || byte === 0x09 || byte === CARRIAGE_RETURN);
}

function utf8Text(bytes: Uint8Array): string {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return buffer.toString('utf8');
}

/** Enough to find the place in the input, and the reason stays on one line. */
const LONGEST_QUOTE = 60;

/** How a value is named in a message: short, whatever the value. */
function nameOf(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === '') return 'empty';
  if (typeof value === 'string') return `"${shortened(value)}"`;
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : shortened(JSON.stringify(value));
}

/** A quotation that nobody can read says nothing. */
function shortened(text: string): string {
  return visible(text.length <= LONGEST_QUOTE ? text : `${text.slice(0, LONGEST_QUOTE)}…`);
}

function invalid(code: InvalidCode, message: string, customId: string | null = null): InvalidLine {
  return { kind: 'invalid', code, message, customId };
}
