import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE_WORDS, PageCache, PagedFile } from '../../base/fs/paged-file.ts';
import { systemRandom } from '../../base/random.ts';
import type { ItemIndex } from '../../model/row.ts';
import type { OutcomeKind } from '../../model/session.ts';

/** A line of one of the two output files. */
export interface SeenLine {
  readonly kind: OutcomeKind;
  readonly line: number;
}

const ENTRY_WORDS = 2;
const ENTRIES_PER_PAGE = Math.floor(PAGE_WORDS / ENTRY_WORDS);
/** 4 MiB. */
const CACHE_PAGES = 1024;
const WORD = 2 ** 32;
const KIND_SHIFT = 16;
const KINDS: readonly (OutcomeKind | null)[] = [null, 'result', 'error'];

/** In which output line each item was seen first: a table on disk, 8 bytes for each item. */
export class SeenLines {
  readonly #table: PagedFile;

  constructor(tempDir: string) {
    const path = join(tempDir, `lines-${systemRandom.hex(6)}.tmp`);
    this.#table = new PagedFile(path, new PageCache(CACHE_PAGES));
    rmSync(path);
  }

  at(index: ItemIndex): SeenLine | null {
    const { words } = this.#table.page(Math.floor(index / ENTRIES_PER_PAGE));
    const at = (index % ENTRIES_PER_PAGE) * ENTRY_WORDS;
    const high = words[at + 1] as number;
    const kind = KINDS[high >>> KIND_SHIFT] ?? null;
    return kind === null ? null : { kind, line: (words[at] as number) + (high & 0xffff) * WORD };
  }

  set(index: ItemIndex, { kind, line }: SeenLine): void {
    const page = this.#table.page(Math.floor(index / ENTRIES_PER_PAGE));
    const at = (index % ENTRIES_PER_PAGE) * ENTRY_WORDS;
    page.words[at] = line % WORD;
    page.words[at + 1] = Math.floor(line / WORD) | (KINDS.indexOf(kind) << KIND_SHIFT);
    page.isDirty = true;
  }

  dispose(): void {
    this.#table.discard();
  }
}
