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
 * table is in the order of the hashes, so that doubling it reads the old file and writes the new one from front to back. The next
 * 32 bits name the place in the page; an id whose place is taken stands in the next free one, and an id whose page is full in the
 * next page that has room (linear probing; ids are never removed, so a free place ends a search).
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
    setId(ENTRY, customId);
    setLine(ENTRY, lineNumber);
    const first = place(this.#file, this.#pageBits, ENTRY);
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

/*
 * An entry in words: four of the id, two of the line. The second word of an id is never 0, which marks a free place. The words of an
 * entry stand together, so that a look at a large table waits for the memory of one or two places.
 */
const ID_WORDS = 4;
const ENTRY_WORDS: number = ID_WORDS + 2;
const TAG = 1;
const IDS_PER_PAGE = Math.floor(PAGE_WORDS / ENTRY_WORDS);
/** 256 pages, 1 MiB: a short list stays small, and a long one doubles the table as it grows. */
const FIRST_PAGE_BITS = 8;
const WORD_SIZE = 2 ** 32;
const WORD_BYTES = 4;
const NOT_UTF8 = Buffer.of(0xff);
/** Whole pairs are one character each for a regular expression with `u`. */
const HALF_A_PAIR = /[\ud800-\udfff]/u;

/** The entry at hand: one for all, since each line of the input has one. */
const ENTRY = new Uint32Array(ENTRY_WORDS);

/** The line that stands beside the id of `entry`, or null after the entry was put there. */
function place(file: PagedFile, pageBits: number, entry: Uint32Array): number | null {
  const pages = 2 ** pageBits;
  for (let number = (entry[0] as number) >>> (32 - pageBits); ; number = (number + 1) % pages) {
    const page = file.page(number);
    const at = placeIn(page.words, entry);
    if (at < 0) continue;
    if (page.words[at + TAG] !== 0) return lineAt(page.words, at);
    page.words.set(entry, at);
    page.isDirty = true;
    return null;
  }
}

/** Where the id stands, or else the free place for it; below 0 where the page is full of others. */
function placeIn(words: Uint32Array, entry: Uint32Array): number {
  const first = (entry[TAG] as number) % IDS_PER_PAGE;
  for (let step = 0; step < IDS_PER_PAGE; step++) {
    const at = ((first + step) % IDS_PER_PAGE) * ENTRY_WORDS;
    if (words[at + TAG] === 0 || isSameId(words, at, entry)) return at;
  }
  return -1;
}

function isSameId(words: Uint32Array, at: number, entry: Uint32Array): boolean {
  return words[at + TAG] === entry[TAG] && words[at] === entry[0] && words[at + 2] === entry[2] && words[at + 3] === entry[3];
}

function movePage(words: Uint32Array, to: PagedFile, pageBits: number): void {
  for (let at = 0; at < IDS_PER_PAGE * ENTRY_WORDS; at += ENTRY_WORDS) {
    if (words[at + TAG] === 0) continue;
    ENTRY.set(words.subarray(at, at + ENTRY_WORDS));
    place(to, pageBits, ENTRY);
  }
}

function setId(entry: Uint32Array, customId: string): void {
  const digest = idDigest(customId);
  for (let word = 0; word < ID_WORDS; word++) entry[word] = wordAt(digest, word * WORD_BYTES);
  if (entry[TAG] === 0) entry[TAG] = 1;
}

/**
 * A string of bytes, since that is several times faster than a Buffer. JSON can hold half a surrogate pair, which has no UTF-8 of its
 * own: such an id is hashed as UTF-16 behind a byte that no UTF-8 begins with.
 */
function idDigest(customId: string): string {
  if (!HALF_A_PAIR.test(customId)) return hash('sha256', customId, 'binary');
  return hash('sha256', Buffer.concat([NOT_UTF8, Buffer.from(customId, 'utf16le')]), 'binary');
}

function wordAt(digest: string, at: number): number {
  const high = (digest.charCodeAt(at) << 24) | (digest.charCodeAt(at + 1) << 16);
  return (high | (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3)) >>> 0;
}

function setLine(entry: Uint32Array, lineNumber: number): void {
  entry[ID_WORDS] = lineNumber % WORD_SIZE;
  entry[ID_WORDS + 1] = Math.floor(lineNumber / WORD_SIZE);
}

function lineAt(words: Uint32Array, at: number): number {
  return (words[at + ID_WORDS] as number) + (words[at + ID_WORDS + 1] as number) * WORD_SIZE;
}
