/**
 * The message of the bare path in both directions, in columns: four counters, an index and a length for each of its lines, the indexes
 * that are acknowledged, and all lines behind one another. Nothing in it is an object of its own.
 */
export interface Message {
  readonly indexes: Uint32Array;
  readonly lengths: Uint32Array;
  readonly acknowledged: Uint32Array;
  /** How many items more the worker can hold. */
  readonly credit: number;
  /** The run is over. */
  readonly isLast: boolean;
  readonly lines: Uint8Array;
}

const COUNTERS = 4;
const WORD = 4;
const NONE = new Uint32Array();

export const EMPTY: Message = { indexes: NONE, lengths: NONE, acknowledged: NONE, credit: 0, isLast: false, lines: new Uint8Array() };

export function encode({ indexes, lengths, acknowledged, credit, isLast, lines }: Message): Buffer {
  const words = COUNTERS + 2 * indexes.length + acknowledged.length;
  // A buffer of the pool may begin anywhere, and columns begin at whole words.
  const bytes = Buffer.allocUnsafeSlow(words * WORD + lines.length);
  const columns = new Uint32Array(bytes.buffer, 0, words);
  columns.set([indexes.length, acknowledged.length, credit, isLast ? 1 : 0]);
  columns.set(indexes, COUNTERS);
  columns.set(lengths, COUNTERS + indexes.length);
  columns.set(acknowledged, COUNTERS + 2 * indexes.length);
  bytes.set(lines, words * WORD);
  return bytes;
}

/** The columns are views of `bytes`. */
export function decode(bytes: Buffer): Message {
  const whole = bytes.byteOffset % WORD === 0 ? bytes : Buffer.from(Uint8Array.from(bytes).buffer);
  const [count = 0, acks = 0, credit = 0, last = 0] = new Uint32Array(whole.buffer, whole.byteOffset, COUNTERS);
  const words = COUNTERS + 2 * count + acks;
  const columns = new Uint32Array(whole.buffer, whole.byteOffset, words).subarray(COUNTERS);
  return {
    indexes: columns.subarray(0, count),
    lengths: columns.subarray(count, 2 * count),
    acknowledged: columns.subarray(2 * count),
    credit,
    isLast: last === 1,
    lines: whole.subarray(words * WORD),
  };
}

/** Each line with its index, as a view of the message. */
export function* linesOf({ indexes, lengths, lines }: Message): Generator<{ readonly index: number; readonly line: Uint8Array }> {
  let at = 0;
  for (const [n, index] of indexes.entries()) {
    const end = at + (lengths[n] ?? 0);
    yield { index, line: lines.subarray(at, end) };
    at = end;
  }
}

export interface NumberedLine {
  readonly index: number;
  readonly line: Uint8Array;
}

/** Upward: finished lines, each in a buffer of its own. */
export function messageOf(outcomes: readonly NumberedLine[], credit: number): Message {
  return {
    ...EMPTY,
    indexes: Uint32Array.from(outcomes, ({ index }) => index),
    lengths: Uint32Array.from(outcomes, ({ line }) => line.length),
    credit,
    lines: Buffer.concat(outcomes.map(({ line }) => line)),
  };
}
