import { createHash } from 'node:crypto';
import { closeSync, fstatSync, fsyncSync, openSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { type FileStamp, isSameStamp } from '../../base/fs/file-stamp.ts';
import { stateUnwritable } from '../../base/fs/state-error.ts';
import {
  AROUND_CONTENT_BYTES,
  duplicateCustomId,
  type InvalidCode,
  type InvalidLine,
  lineContent,
  lineTooLong,
  parseLine,
} from '../../format/line.ts';
import { isStreamed } from '../../model/item.ts';
import { MAX_INDEX } from '../../model/row.ts';
import { ENDLESS_BYTES, endlessLine } from '../file/endless-line.ts';
import { inputChanged, lineChanged, unreadable } from '../file/input-error.ts';
import { LineDiffers } from './earlier-entries.ts';
import type { Entry } from './entry.ts';
import { type IndexFiles, indexFiles } from './index-files.ts';
import { type IndexSettings, type IndexSummary, type InvalidKind, writeSummary } from './index-summary.ts';
import { IndexWriter } from './index-writer.ts';
import { type RawLine, readLines } from './read-lines.ts';
import { SEEN_CACHE_PAGES, SeenIds } from './seen-ids.ts';

export interface IndexJob extends IndexSettings {
  readonly inputPath: string;
  readonly dir: string;
  /** What the input was when the index was begun. */
  readonly stamp: FileStamp;
}

/** Makes the index of an input, blocking, and tells after each batch how many entries can be read. */
export async function buildIndex(job: IndexJob, onWritten: (count: number) => void): Promise<IndexSummary> {
  const files = indexFiles(job.dir);
  const descriptor = openInput(job.inputPath);
  try {
    checkStamp(job, descriptor);
    const { summary, reasonBytes } = indexInput(job, files, descriptor, onWritten);
    checkStamp(job, descriptor);
    syncFile(files.source);
    await writeSummary(files, job, reasonBytes, summary);
    return summary;
  } catch (error) {
    if (error instanceof LineDiffers) throw lineChanged(job.inputPath, error.lineNumber);
    throw isSystemError(error) ? stateUnwritable(job.dir, error) : error;
  } finally {
    closeSync(descriptor);
  }
}

function indexInput(
  job: IndexJob,
  files: IndexFiles,
  descriptor: number,
  onWritten: (count: number) => void,
): { summary: IndexSummary; reasonBytes: number } {
  const building = new IndexBuilding(job, files);
  const sha256 = createHash('sha256');
  let hashedBytes = 0;
  const onBytes = (bytes: Uint8Array): void => {
    sha256.update(bytes);
    hashedBytes += bytes.length;
    building.writer.flush();
    onWritten(building.writer.written);
  };
  try {
    const onLine = (line: RawLine): boolean => building.add(line);
    const onEndless = (): Error => endlessLine({ kind: 'file', path: job.inputPath });
    const limits = { maxBytes: job.maxLineBytes + AROUND_CONTENT_BYTES, endlessBytes: ENDLESS_BYTES, onEndless };
    if (job.limit !== 0) readLines({ descriptor, ...limits, onLine, onBytes });
    building.writer.flush();
    building.writer.finish();
    const summary = { ...building.counts(), sha256: sha256.digest('hex'), hashedBytes, ...job.stamp };
    return { summary, reasonBytes: building.writer.reasonBytes };
  } finally {
    building.close();
  }
}

/** Turns lines into entries, one after the other. */
class IndexBuilding {
  readonly writer: IndexWriter;
  readonly #settings: IndexSettings;
  readonly #limit: number;
  /** Plain items have their line numbers for custom_ids, which never repeat. */
  readonly #seen: SeenIds | null;
  #lines = 0;
  #blankLines = 0;
  #streamed = 0;
  readonly #kinds = new Map<InvalidCode, InvalidKind>();

  constructor(settings: IndexSettings, files: IndexFiles) {
    this.#settings = settings;
    this.#limit = settings.limit ?? MAX_INDEX + 1;
    this.writer = new IndexWriter(files);
    this.#seen = settings.form === 'raw' ? null : new SeenIds(files.seen, SEEN_CACHE_PAGES);
  }

  /** False once there are as many items as are wanted. */
  add(line: RawLine): boolean {
    this.#lines += 1;
    const content = line.bytes === null ? null : lineContent(line.bytes, this.#lines);
    if (content === null || content.length > this.#settings.maxLineBytes)
      this.#append({ offset: line.offset, length: line.length, checksum: 0 }, lineTooLong(this.#settings.maxLineBytes));
    else this.#addContent(line.offset + contentStart(line, content), content);
    return this.writer.count < this.#limit;
  }

  counts(): Pick<IndexSummary, 'items' | 'invalid' | 'kinds' | 'blankLines' | 'streamed'> {
    const kinds = [...this.#kinds.values()];
    const invalid = kinds.reduce((sum, { count }) => sum + count, 0);
    return { items: this.writer.written, invalid, kinds, blankLines: this.#blankLines, streamed: this.#streamed };
  }

  close(): void {
    this.writer.close();
    this.#seen?.discard();
  }

  #addContent(offset: number, content: Uint8Array): void {
    const parsed = parseLine(content, this.#lines, this.#settings.form);
    if (parsed.kind === 'blank') this.#blankLines += 1;
    else {
      const place = { offset, length: content.length, checksum: crc32(content) };
      const invalid = parsed.kind === 'invalid' ? parsed : this.#duplicate(parsed.item.customId);
      if (parsed.kind === 'item' && invalid === null && isStreamed(parsed.item)) this.#streamed += 1;
      this.#append(place, invalid);
    }
  }

  #append(place: Pick<Entry, 'offset' | 'length' | 'checksum'>, invalid: InvalidLine | null): void {
    if (invalid !== null) this.#count(invalid.code);
    this.writer.append({ ...place, lineNumber: this.#lines }, invalid);
  }

  #count(code: InvalidCode): void {
    const { count, firstLine } = this.#kinds.get(code) ?? { count: 0, firstLine: this.#lines };
    this.#kinds.set(code, { code, count: count + 1, firstLine });
  }

  #duplicate(customId: string): InvalidLine | null {
    const firstLineNumber = this.#seen?.see(customId, this.#lines) ?? null;
    return firstLineNumber === null ? null : duplicateCustomId(customId, firstLineNumber);
  }
}

/** Bytes of the line before its content: those of a byte order mark. */
function contentStart(line: RawLine, content: Uint8Array): number {
  return line.bytes === null ? 0 : content.byteOffset - line.bytes.byteOffset;
}

function openInput(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The summary makes the index whole, so all other files are on disk before it. */
function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

function checkStamp(job: IndexJob, descriptor: number): void {
  if (!isSameStamp(fstatSync(descriptor), job.stamp)) throw inputChanged(job.inputPath, 'was changed');
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string';
}
