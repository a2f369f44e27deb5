import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { writeFileAtomic } from '../base/atomic-file.ts';
import type { ItemForm } from '../model/session.ts';
import { ENTRY_BYTES } from './entry.ts';
import { type FileStamp, type IndexFiles, isSameStamp } from './index-files.ts';

/** What a whole index says of its input. */
export interface IndexSummary extends FileStamp {
  /** Invalid lines are items too. */
  readonly items: number;
  readonly invalid: number;
  readonly blankLines: number;
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

const completeFile = z.object({
  version: z.literal(1),
  form: z.enum(['batch', 'raw']),
  maxLineBytes: z.number(),
  limit: z.number().nullable(),
  reasonBytes: z.number(),
  items: z.number(),
  invalid: z.number(),
  blankLines: z.number(),
  sha256: z.string(),
  hashedBytes: z.number(),
  size: z.number(),
  mtimeMs: z.number(),
});

/**
 * The summary of the index in these files where it is whole and was made from this input with these settings; else null, and the
 * index is to be made anew: it can always be had from the input, so a damaged one is no error.
 */
export function readSummary(files: IndexFiles, settings: IndexSettings, stamp: FileStamp): IndexSummary | null {
  const text = readTextIfThere(files.complete);
  const parsed = completeFile.safeParse(text === null ? null : parseJson(text));
  if (!parsed.success) return null;
  const { version: _version, form, maxLineBytes, limit, reasonBytes, ...summary } = parsed.data;
  const isWanted =
    form === settings.form && maxLineBytes === settings.maxLineBytes && limit === settings.limit && isSameStamp(summary, stamp);
  return isWanted && hasSizes(files, summary.items, reasonBytes) ? summary : null;
}

export async function writeSummary(files: IndexFiles, settings: IndexSettings, reasonBytes: number, summary: IndexSummary): Promise<void> {
  const { form, maxLineBytes, limit } = settings;
  await writeFileAtomic(files.complete, `${JSON.stringify({ version: 1, form, maxLineBytes, limit, reasonBytes, ...summary })}\n`);
}

/** A deposed coordinator may still complete its index while its successor makes it anew: then the sizes differ. */
function hasSizes(files: IndexFiles, items: number, reasonBytes: number): boolean {
  const offsets = statSync(files.offsets, { throwIfNoEntry: false });
  const reasons = statSync(files.reasons, { throwIfNoEntry: false });
  return offsets?.size === items * ENTRY_BYTES && reasons?.size === reasonBytes;
}

function readTextIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
