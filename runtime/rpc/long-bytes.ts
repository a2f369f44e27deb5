import { type DescField, type DescMessage, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { mustGet } from '../base/assert.ts';

/**
 * Encodes messages that carry the lines of many items. The library copies what it writes once for each level of nesting, and again each
 * time that its buffer grows; for lines of some hundred bytes that costs more than all else of a message. So the message is encoded
 * without them, and they follow in a second occurrence of the messages around them: a reader merges it with the first, as the encoding
 * of protobuf demands.
 */

/** Where such bytes lie, by the names of the fields that lead to them. */
const PATHS: ReadonlyMap<string, readonly string[]> = new Map([
  ['rollout.v1.SessionRequest', ['message', 'outcomes', 'lines', 'bytes']],
  ['rollout.v1.SessionResponse', ['message', 'assignments', 'lines', 'bytes']],
  ['rollout.v1.PollRequest', ['outcomes', 'lines', 'bytes']],
  ['rollout.v1.PollResponse', ['assignments', 'lines', 'bytes']],
]);

/** Bytes in a message with a field number below 16: a tag, and a length of 32 bits at most. */
const HEADER_BYTES = 6;
const LENGTH_DELIMITED = 2;
const NONE = new Uint8Array();

type Holder = Record<string, unknown>;

export type Encode<Desc extends DescMessage> = (message: MessageShape<Desc>) => Buffer;

export function encoderOf<Desc extends DescMessage>(desc: Desc): Encode<Desc> {
  const path = PATHS.get(desc.typeName);
  if (path === undefined) return (message) => encode(desc, message);
  const fields = fieldsOf(desc, path);
  return (message) => encodeInTwo(desc, message, fields);
}

function encode<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>): Buffer {
  const bytes = toBinary(desc, message);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function fieldsOf(desc: DescMessage, [name, ...rest]: readonly string[]): readonly DescField[] {
  if (name === undefined) return [];
  const field = mustGet(desc.field[name], `the field ${name}`);
  return [field, ...(field.message === undefined ? [] : fieldsOf(field.message, rest))];
}

function encodeInTwo<Desc extends DescMessage>(desc: Desc, message: MessageShape<Desc>, fields: readonly DescField[]): Buffer {
  const last = mustGet(fields.at(-1), 'the field of the bytes').localName;
  const holder = fields
    .slice(0, -1)
    .reduce<Holder | undefined>((at, { localName }) => at?.[localName] as Holder | undefined, message as Holder);
  const long = holder?.[last];
  if (holder === undefined || !(long instanceof Uint8Array) || long.length === 0) return encode(desc, message);
  holder[last] = NONE;
  const first = toBinary(desc, message);
  holder[last] = long;
  return Buffer.concat([first, ...headers(fields, long.length), long]);
}

/** The tag and the length of each field on the way to the bytes, the outermost first. */
function headers(fields: readonly DescField[], length: number): readonly Uint8Array[] {
  const [field, ...inner] = fields;
  if (field === undefined) return [];
  const within = headers(inner, length);
  const innerLength = within.reduce((sum, one) => sum + one.length, length);
  return [header(field.number, innerLength), ...within];
}

function header(fieldNumber: number, length: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  bytes[0] = (fieldNumber << 3) | LENGTH_DELIMITED;
  let at = 1;
  for (let rest = length; ; rest >>>= 7) {
    bytes[at] = rest > 0x7f ? (rest & 0x7f) | 0x80 : rest;
    at += 1;
    if (rest <= 0x7f) return bytes.subarray(0, at);
  }
}
