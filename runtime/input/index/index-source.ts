import { readFileSync, writeFileSync } from 'node:fs';
import type { FileStamp } from '../../base/fs/file-stamp.ts';
import type { IndexFiles } from './index-files.ts';
import { INDEX_VERSION, type IndexSettings } from './index-summary.ts';

/** `source.json`: what an index is made from, whole or not. */
export interface IndexSource extends FileStamp, IndexSettings {
  readonly version: number;
}

/** Null where no index was begun, or the file is not one of this version's. */
export function readIndexSource(files: IndexFiles): IndexSource | null {
  try {
    const source = JSON.parse(readFileSync(files.source, 'utf8')) as IndexSource | null;
    return source?.version === INDEX_VERSION ? source : null;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

export function writeIndexSource(files: IndexFiles, { form, maxLineBytes, limit }: IndexSettings, { size, mtimeMs }: FileStamp): void {
  const source: IndexSource = { version: INDEX_VERSION, form, maxLineBytes, limit, size, mtimeMs };
  writeFileSync(files.source, JSON.stringify(source));
}

/** With these settings the same lines have the same entries; with a higher limit more follow. */
export function agree(earlier: IndexSettings, now: IndexSettings): boolean {
  const isShorter = now.limit !== null && (earlier.limit === null || earlier.limit > now.limit);
  return earlier.form === now.form && earlier.maxLineBytes === now.maxLineBytes && !isShorter;
}
