import { readFileSync, statSync } from 'node:fs';
import { writeFileAtomic } from '../../base/fs/atomic-file.ts';
import { type FileStamp, isSameStamp } from '../../base/fs/file-stamp.ts';
import type { InvalidCode } from '../../format/line.ts';
import type { ItemForm } from '../../model/session.ts';
import { ENTRY_BYTES } from './entry.ts';
import type { IndexFiles } from './index-files.ts';

export interface InvalidKind {
  readonly code: InvalidCode;
  readonly count: number;
  readonly firstLine: number;
}

/** What a whole index says of its input. */
export interface IndexSummary extends FileStamp {
  /** Invalid lines are items too. */
  readonly items: number;
  readonly invalid: number;
  /** The invalid lines by kind, in the order of their first lines. */
  readonly kinds: readonly InvalidKind[];
  readonly blankLines: number;
  /** Items that ask for a stream of events. */
  readonly streamed: number;
  /** SHA-256 of the first `hashedBytes` bytes of the input, in hexadecimal. */
  readonly sha256: string;
  /** The size of the input; with a limit, the end of the last line that was indexed. */
  readonly hashedBytes: number;
}

/** What decides the entries of an index besides the input's bytes. */
export interface IndexSettings {
  readonly form: ItemForm;
  readonly maxLineBytes: number;
  /** Only the first so many items; null for all. */
  readonly limit: number | null;
}

/** `complete.json`. */
interface CompleteFile {
  readonly version: number;
  readonly settings: IndexSettings;
  /** Length of the file of reasons; that of the entries follows from their number. */
  readonly reasonBytes: number;
  readonly summary: IndexSummary;
}

/** Grows whenever entries would come out otherwise from the same input. */
export const INDEX_VERSION = 2;

/**
 * The summary of the index in these files where it is whole and was made from this input with these settings; else null, and the
 * index is to be made again: it can always be had from the input, so a damaged one is no error.
 */
export function readSummary(files: IndexFiles, wanted: IndexSettings, stamp: FileStamp): IndexSummary | null {
  const found = readCompleteFile(files.complete);
  if (found === null || found.version !== INDEX_VERSION) return null;
  const { settings, summary } = found;
  const isWanted =
    settings.form === wanted.form &&
    settings.maxLineBytes === wanted.maxLineBytes &&
    settings.limit === wanted.limit &&
    isSameStamp(summary, stamp);
  return isWanted && hasSizes(files, summary.items, found.reasonBytes) ? summary : null;
}

export async function writeSummary(files: IndexFiles, wanted: IndexSettings, reasonBytes: number, summary: IndexSummary): Promise<void> {
  const settings: IndexSettings = { form: wanted.form, maxLineBytes: wanted.maxLineBytes, limit: wanted.limit };
  const contents: CompleteFile = { version: INDEX_VERSION, settings, reasonBytes, summary };
  await writeFileAtomic(files.complete, `${JSON.stringify(contents)}\n`);
}

/** A deposed coordinator may still complete its index while its successor makes it again: then the sizes differ. */
function hasSizes(files: IndexFiles, items: number, reasonBytes: number): boolean {
  const offsets = statSync(files.offsets, { throwIfNoEntry: false });
  const reasons = statSync(files.reasons, { throwIfNoEntry: false });
  return offsets?.size === items * ENTRY_BYTES && reasons?.size === reasonBytes;
}

/** The file is replaced as a whole, so it is there and is what was written, or it is not there. Anything else is not ours. */
function readCompleteFile(path: string): CompleteFile | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  try {
    return JSON.parse(text) as CompleteFile | null;
  } catch {
    return null;
  }
}
