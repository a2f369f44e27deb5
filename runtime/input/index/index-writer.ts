import { Buffer } from 'node:buffer';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import type { InvalidLine } from '../../format/line.ts';
import { EarlierEntries } from './earlier-entries.ts';
import { ENTRY_BYTES, type Entry, writeEntry } from './entry.ts';
import type { IndexFiles } from './index-files.ts';

/** As many entries as are written, and then announced, at once. */
const BATCH_ENTRIES = 1024;
/** Reasons quote custom_ids, which may be long; they are written sooner when they come to this. */
const BATCH_REASON_BYTES = 2 ** 20;
/** A reason is its length in 32 bits, then JSON. */
export const REASON_HEADER_BYTES = 4;

/**
 * Appends entries and reasons. Blocking, for a thread of its own. A reason is in its file before the entry that points at it, and
 * entries are in theirs before `written` counts them, so a reader below `written` finds all.
 *
 * The files may hold what an earlier indexing of the same lines has written: it is compared, and stays (earlier-entries.ts).
 */
export class IndexWriter {
  readonly #offsets: number;
  readonly #reasons: number;
  readonly #earlier: EarlierEntries;
  readonly #batch: Buffer = Buffer.alloc(BATCH_ENTRIES * ENTRY_BYTES);
  #batched = 0;
  #pendingReasons: Buffer[] = [];
  #pendingReasonBytes = 0;
  #reasonsEnd = 0;
  #written = 0;

  /** The files are there. */
  constructor(files: IndexFiles) {
    this.#offsets = openSync(files.offsets, 'r+');
    this.#reasons = openSync(files.reasons, 'r+');
    this.#earlier = new EarlierEntries(this.#offsets);
  }

  get written(): number {
    return this.#written;
  }

  get count(): number {
    return this.#written + this.#batched;
  }

  get reasonBytes(): number {
    return this.#reasonsEnd;
  }

  append(line: Omit<Entry, 'reasonAt'>, invalid: InvalidLine | null): void {
    const entry: Entry = { ...line, reasonAt: invalid === null ? null : this.#addReason(invalid) };
    writeEntry(this.#batch, this.#batched * ENTRY_BYTES, entry);
    this.#batched += 1;
    if (this.#batched === BATCH_ENTRIES || this.#pendingReasonBytes >= BATCH_REASON_BYTES) this.flush();
  }

  flush(): void {
    if (this.#batched === 0) return;
    const entries = this.#batch.subarray(0, this.#batched * ENTRY_BYTES);
    this.#earlier.compare(entries, this.#written);
    if (this.#pendingReasons.length > 0) writeAll(this.#reasons, Buffer.concat(this.#pendingReasons));
    this.#pendingReasons = [];
    this.#pendingReasonBytes = 0;
    writeAll(this.#offsets, entries);
    this.#written += this.#batched;
    this.#batched = 0;
  }

  /** Makes durable what was flushed, which is all there is. */
  finish(): void {
    this.#earlier.end(this.#written);
    fsyncSync(this.#reasons);
    fsyncSync(this.#offsets);
  }

  close(): void {
    closeSync(this.#reasons);
    closeSync(this.#offsets);
  }

  #addReason({ code, message, customId }: InvalidLine): number {
    const json = Buffer.from(JSON.stringify({ code, message, customId }), 'utf8');
    const header = Buffer.alloc(REASON_HEADER_BYTES);
    header.writeUInt32LE(json.length);
    this.#pendingReasons.push(header, json);
    const bytes = header.length + json.length;
    this.#pendingReasonBytes += bytes;
    this.#reasonsEnd += bytes;
    return this.#reasonsEnd - bytes;
  }
}

function writeAll(descriptor: number, bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length) at += writeSync(descriptor, bytes, at);
}
