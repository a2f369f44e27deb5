import { Buffer } from 'node:buffer';
import { hash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { PAGE_WORDS, PageCache, PagedFile } from '../../base/fs/paged-file.ts';

/** 16 MiB: all ids of the first half million lines are in memory; the rest is on disk. */
export const SEEN_CACHE_PAGES = 4096;

/**
 * Which custom_ids have been seen, and on which line first: a hash table on disk, so that memory does not grow with the list.
 *
 * A custom_id is known by the first 128 bits of its SHA-256, and compared by all of them. The first 32 bits name the page: the
 * table is in the order of the hashes, so that doubling it reads the old file and writes the new one from front to back. An id
 * whose page is full stands in the next page that has room (linear probing by pages; ids are never removed, so a page that is not
 * full ends a search).
 */
export class SeenIds {
  readonly #path: string;
  readonly #cache: PageCache;
  #file: PagedFile;
  #generation = 0;
  #pageBits = FIRST_PAGE_BITS;
  #count = 0;

  /** `path` is the beginning of the names of its files; `cachePages` pages of 4 KiB are kept in memory. */
  constructor(path: string, cachePages: number) {
    this.#path = path;
    this.#cache = new PageCache(cachePages);
    this.#file = new PagedFile(this.#nameOf(0), this.#cache);
  }

  /** The line on which the id was seen first; null for the first time, and then this line is kept. */
  see(customId: string, lineNumber: number): number | null {
    if (this.#count >= (IDS_PER_PAGE * 2 ** this.#pageBits * 3) / 4) this.#double();
    const first = place(this.#file, this.#pageBits, idWords(customId), lineNumber);
    if (first === null) this.#count += 1;
    return first;
  }

  /** Lets go of the file and removes it. */
  discard(): void {
    this.#file.discard();
    rmSync(this.#nameOf(this.#generation), { force: true });
  }

  #double(): void {
    const next = new PagedFile(this.#nameOf(this.#generation + 1), this.#cache);
    for (let number = 0; number < 2 ** this.#pageBits; number++) movePage(this.#file.page(number).words.slice(), next, this.#pageBits + 1);
    this.discard();
    this.#generation += 1;
    this.#pageBits += 1;
    this.#file = next;
  }

  #nameOf(generation: number): string {
    return `${this.#path}.${generation}`;
  }
}

/** 128 bits of an id. */
type IdWords = readonly [number, number, number, number];

/*
 * A page in words: [count, -, first words of all ids ..., then per id its other three words and the line in two words]. The first
 * words stand together because nearly every look ends there.
 */
const HEADER_WORDS = 2;
const REST_WORDS = 5;
const IDS_PER_PAGE = Math.floor((PAGE_WORDS - HEADER_WORDS) / (1 + REST_WORDS));
const RESTS_AT = HEADER_WORDS + IDS_PER_PAGE;
/** 256 pages, 1 MiB: a short list stays small, and a long one doubles the table as it grows. */
const FIRST_PAGE_BITS = 8;
const WORD_SIZE = 2 ** 32;

/** The line that stands beside the id, or null after the id was put there with this line. */
function place(file: PagedFile, pageBits: number, id: IdWords, lineNumber: number): number | null {
  const pages = 2 ** pageBits;
  for (let number = id[0] >>> (32 - pageBits); ; number = (number + 1) % pages) {
    const page = file.page(number);
    const count = page.words[0] as number;
    const at = find(page.words, count, id);
    if (at >= 0) return lineAt(page.words, at);
    if (count < IDS_PER_PAGE) {
      put(page.words, count, id, lineNumber);
      page.isDirty = true;
      return null;
    }
  }
}

function find(words: Uint32Array, count: number, id: IdWords): number {
  for (let at = 0; at < count; at++) {
    if (words[HEADER_WORDS + at] !== id[0]) continue;
    const rest = RESTS_AT + at * REST_WORDS;
    if (words[rest] === id[1] && words[rest + 1] === id[2] && words[rest + 2] === id[3]) return at;
  }
  return -1;
}

function put(words: Uint32Array, at: number, id: IdWords, lineNumber: number): void {
  words[0] = at + 1;
  words[HEADER_WORDS + at] = id[0];
  const rest = RESTS_AT + at * REST_WORDS;
  words[rest] = id[1];
  words[rest + 1] = id[2];
  words[rest + 2] = id[3];
  words[rest + 3] = lineNumber % WORD_SIZE;
  words[rest + 4] = Math.floor(lineNumber / WORD_SIZE);
}

function lineAt(words: Uint32Array, at: number): number {
  const rest = RESTS_AT + at * REST_WORDS;
  return (words[rest + 3] as number) + (words[rest + 4] as number) * WORD_SIZE;
}

function movePage(words: Uint32Array, to: PagedFile, pageBits: number): void {
  for (let at = 0; at < (words[0] as number); at++) {
    const rest = RESTS_AT + at * REST_WORDS;
    const id: IdWords = [words[HEADER_WORDS + at] as number, words[rest] as number, words[rest + 1] as number, words[rest + 2] as number];
    place(to, pageBits, id, lineAt(words, at));
  }
}

function idWords(customId: string): IdWords {
  // UTF-16, since half a surrogate pair, which JSON can hold, has no UTF-8 of its own. The digest as a string of bytes, since that
  // is several times faster than a Buffer.
  const digest = hash('sha256', Buffer.from(customId, 'utf16le'), 'binary');
  return [wordAt(digest, 0), wordAt(digest, 4), wordAt(digest, 8), wordAt(digest, 12)];
}

function wordAt(digest: string, at: number): number {
  const high = (digest.charCodeAt(at) << 24) | (digest.charCodeAt(at + 1) << 16);
  return (high | (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3)) >>> 0;
}
