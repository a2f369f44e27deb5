import { join } from 'node:path';

/** Names of the files of an index. `complete.json` is there only while the others are whole. */
export interface IndexFiles {
  /** One entry per item. */
  readonly offsets: string;
  /** Why the invalid lines are invalid. */
  readonly reasons: string;
  /** From which input, and with which settings, the index is being made (index-source.ts). */
  readonly source: string;
  readonly complete: string;
  /** Beginning of the names of the scratch files that find duplicates. */
  readonly seen: string;
}

export function indexFiles(dir: string): IndexFiles {
  return {
    offsets: join(dir, 'offsets'),
    reasons: join(dir, 'reasons'),
    source: join(dir, 'source.json'),
    complete: join(dir, 'complete.json'),
    seen: join(dir, 'seen'),
  };
}
