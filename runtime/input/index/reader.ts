import { type FileHandle, open } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { assert, mustGet } from '../../base/assert.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { RolloutError } from '../../base/errors.ts';
import { type FileStamp, isSameStamp } from '../../base/fs/file-stamp.ts';
import { readFully } from '../../base/fs/read-fully.ts';
import { stateUnreadable } from '../../base/fs/state-error.ts';
import type { InvalidCode } from '../../format/line.ts';
import type { ItemIndex } from '../../model/row.ts';
import { inputChanged, lineChanged, unreadable } from '../file/input-error.ts';
import { checksumAt, ENTRY_BYTES, type Entry, isInvalidAt, lengthAt, lineNumberAt, offsetAt, readEntry } from './entry.ts';
import { EntryReader } from './entry-reader.ts';
import { type IndexFiles, indexFiles } from './index-files.ts';
import { readIndexSource } from './index-source.ts';
import { REASON_HEADER_BYTES } from './index-writer.ts';
import { type ReadRange, readRangesOf } from './read-ranges.ts';

export interface InputLine {
  readonly index: ItemIndex;
  /** The line's bytes without byte order mark, CR and LF. */
  readonly line: Uint8Array;
  readonly lineNumber: number;
}

export interface InvalidReason {
  readonly code: InvalidCode;
  readonly message: string;
  readonly customId: string | null;
  readonly lineNumber: number;
}

/** The items of an input by index, while the index is still growing and afterwards. */
export interface InputReader {
  /** The entries of `count` items from `from`, as far as they are written. */
  entries(from: ItemIndex, count: number): Promise<readonly Entry[]>;
  /** The lines of valid items whose entries are written, in the order asked for: as many as fit into `maxBytes`, at least one. */
  lines(indexes: readonly ItemIndex[], maxBytes?: number): Promise<readonly InputLine[]>;
  invalidReason(index: ItemIndex): Promise<InvalidReason>;
  /** Which of the next `count` written entries from `from` are invalid; `upTo` is the first index not looked at. */
  survey(from: ItemIndex, count: number): Promise<{ readonly upTo: ItemIndex; readonly invalid: readonly ItemIndex[] }>;
  close(): Promise<void>;
}

export interface InputPlace {
  readonly inputPath: string;
  readonly dir: string;
  /** How many entries of a growing index are complete; by default nothing is read ahead. */
  readonly written?: () => number;
  readonly clock?: Clock;
}

/** Opens an input whose index was begun. Throws INPUT_CHANGED, also later, when the input is not the one that was indexed. */
export async function openInput({ inputPath, dir, written = () => 0, clock = systemClock }: InputPlace): Promise<InputReader> {
  const files = indexFiles(dir);
  const stamp = sourceOf(files);
  const reader = new FileReader({
    path: inputPath,
    stamp,
    clock,
    input: await openFile(inputPath),
    entries: new EntryReader(await openIndexFile(files.offsets), written),
    reasons: await openIndexFile(files.reasons),
  });
  try {
    await reader.checkStamp();
    return reader;
  } catch (error) {
    await reader.close();
    throw error;
  }
}

function sourceOf(files: IndexFiles): FileStamp {
  const source = readIndexSource(files);
  if (source !== null) return source;
  throw new RolloutError('STATE_UNREADABLE', `${files.source} is missing or damaged: give the run's command again, which rewrites it`);
}

async function openIndexFile(path: string): Promise<FileHandle> {
  return open(path, 'r').catch((cause: unknown) => {
    throw stateUnreadable(path, cause);
  });
}

/**
 * Size and time of the input are looked at so often, and not with each read: each line is compared with its checksum anyway, so that
 * none goes out that is not the one that was indexed.
 */
export const STAMP_CHECK_MS = 1_000;

interface Parts {
  readonly path: string;
  readonly stamp: FileStamp;
  readonly clock: Clock;
  readonly input: FileHandle;
  readonly entries: EntryReader;
  readonly reasons: FileHandle;
}

class FileReader implements InputReader {
  readonly #path: string;
  readonly #stamp: FileStamp;
  readonly #clock: Clock;
  readonly #input: FileHandle;
  readonly #entries: EntryReader;
  readonly #reasons: FileHandle;
  #checkedMs = 0;

  constructor({ path, stamp, clock, input, entries, reasons }: Parts) {
    this.#path = path;
    this.#stamp = stamp;
    this.#clock = clock;
    this.#input = input;
    this.#entries = entries;
    this.#reasons = reasons;
  }

  async entries(from: ItemIndex, count: number): Promise<readonly Entry[]> {
    const bytes = await this.#entries.read(from, count);
    return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, at) => readEntry(bytes, at * ENTRY_BYTES));
  }

  async lines(indexes: readonly ItemIndex[], maxBytes: number = Number.POSITIVE_INFINITY): Promise<readonly InputLine[]> {
    if (this.#clock.monotonicMs() - this.#checkedMs >= STAMP_CHECK_MS) await this.checkStamp();
    const entries = firstThatFit(await this.#entriesOf(indexes), maxBytes);
    const lines: InputLine[] = [];
    for (const range of readRangesOf(entries)) await this.#readRange(range, entries, indexes, lines);
    return lines;
  }

  async invalidReason(index: ItemIndex): Promise<InvalidReason> {
    const { reasonAt, lineNumber } = await this.#entry(index);
    const at = mustGet(reasonAt, `the reason why item ${index} is invalid`);
    const header = await readFully(this.#reasons, at, REASON_HEADER_BYTES);
    const json = await readFully(this.#reasons, at + REASON_HEADER_BYTES, header.readUInt32LE());
    return { ...(JSON.parse(json.toString('utf8')) as Omit<InvalidReason, 'lineNumber'>), lineNumber };
  }

  async survey(from: ItemIndex, count: number): Promise<{ readonly upTo: ItemIndex; readonly invalid: readonly ItemIndex[] }> {
    const bytes = await this.#entries.read(from, count);
    const known = bytes.length / ENTRY_BYTES;
    const invalid: ItemIndex[] = [];
    for (let at = 0; at < known; at++) if (isInvalidAt(bytes, at * ENTRY_BYTES)) invalid.push(from + at);
    return { upTo: from + known, invalid };
  }

  async close(): Promise<void> {
    await Promise.all([this.#input.close(), this.#entries.close(), this.#reasons.close()]);
  }

  async checkStamp(): Promise<void> {
    this.#checkedMs = this.#clock.monotonicMs();
    if (!isSameStamp(await this.#input.stat(), this.#stamp)) throw inputChanged(this.#path, 'was changed');
  }

  /** Called for every item of the list: reads the entries where they lie, and makes little else than the lines. */
  async #readRange(range: ReadRange, entries: Buffer, indexes: readonly ItemIndex[], lines: InputLine[]): Promise<void> {
    const bytes = await readFully(this.#input, range.offset, range.length);
    if (bytes.length < range.length) throw inputChanged(this.#path, 'was cut');
    for (let n = range.first; n < range.first + range.count; n += 1) {
      const at = n * ENTRY_BYTES;
      const start = bytes.byteOffset + offsetAt(entries, at) - range.offset;
      // Not `subarray`: of a Buffer it makes Buffers, which cost several times as much.
      const line = new Uint8Array(bytes.buffer, start, lengthAt(entries, at));
      const lineNumber = lineNumberAt(entries, at);
      // Size and mtime may both be those of another file: no line goes out that is not the one the index knows.
      if (crc32(line) !== checksumAt(entries, at)) throw lineChanged(this.#path, lineNumber);
      lines.push({ index: mustGet(indexes[n], 'the index of an entry that was read'), line, lineNumber });
    }
  }

  /** The entries of these items; consecutive ones are read at once. */
  async #entriesOf(indexes: readonly ItemIndex[]): Promise<Buffer> {
    const runs: Buffer[] = [];
    for (let at = 0; at < indexes.length; ) {
      const first = mustGet(indexes[at], 'an index');
      let count = 1;
      while (indexes[at + count] === first + count) count += 1;
      const run = await this.#entries.read(first, count);
      assert(run.length === count * ENTRY_BYTES, `items up to ${first + count - 1} are indexed before their lines are read`);
      runs.push(run);
      at += count;
    }
    const [only] = runs;
    const entries = runs.length === 1 && only !== undefined ? only : Buffer.concat(runs);
    for (let at = 0; at < entries.length; at += ENTRY_BYTES) assert(!isInvalidAt(entries, at), 'only the lines of valid items are read');
    return entries;
  }

  async #entry(index: ItemIndex): Promise<Entry> {
    const [entry] = await this.entries(index, 1);
    return mustGet(entry, `the entry of item ${index}`);
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}

function firstThatFit(entries: Buffer, maxBytes: number): Buffer {
  let bytes = 0;
  for (let at = 0; at < entries.length; at += ENTRY_BYTES) {
    bytes += lengthAt(entries, at);
    if (at > 0 && bytes > maxBytes) return entries.subarray(0, at);
  }
  return entries;
}
