import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { nextTurn } from '../../base/clock.ts';
import { PAGE_WORDS, PageCache, PagedFile } from '../../base/fs/paged-file.ts';
import { systemRandom } from '../../base/random.ts';
import { ITEM_BIT } from '../../ledger/contract.ts';
import type { Epoch, ItemIndex } from '../../model/row.ts';
import type { OutcomeKind } from '../../model/session.ts';
import { type EpochTally, isSameTally, tallyOf } from '../../model/tally.ts';
import type { PlaceReads } from '../place/contract.ts';
import type { LedgerReads } from './contract.ts';
import type { Location, Locations } from './locations.ts';
import { type SegmentBlock, type SegmentEnd, SegmentReader } from './segment-reader.ts';

/**
 * Which frame is the record of each item (L21): of the items whose done or failed bit is set, the frame of the highest epoch, the
 * last in it. The bits are read first, then the log: so for every bit that was seen the frame is there, also while the run goes on.
 *
 * A table on disk with a small cache, 20 bytes for each item, so that memory does not grow with the list:
 * epoch · offset in the segment, low word · offset, high 16 bits + state bits · length of the line · attempt.
 */

const ENTRY_WORDS = 5;
const ENTRIES_PER_PAGE = Math.floor(PAGE_WORDS / ENTRY_WORDS);
/** 8 MiB. Outcomes arrive nearly in the order of the input, so a few pages are in use at a time. */
const CACHE_PAGES = 2048;
/** So many are looked at before the other tasks of the process have a turn; also bounds memory. */
const BITS_AT_ONCE = 65_536;
const WORD = 2 ** 32;

const OFFSET_HIGH = 0xffff;
const EXPECTED_SHIFT = 16;
const FOUND_SHIFT = 18;
const KIND_MASK = 3;
const LOST = 1 << 20;

/** 0 means none, in both places. */
const KINDS: readonly (OutcomeKind | null)[] = [null, 'result', 'error'];
const KIND_NUMBER: Readonly<Record<OutcomeKind, number>> = { result: ITEM_BIT.done, error: ITEM_BIT.failed };

export interface Located {
  /** What the ledger's bit says: null where the item is open. */
  readonly expected: OutcomeKind | null;
  /** The accepted frame; null where there is none. Its kind must be the expected one. */
  readonly found: Location | null;
}

export interface LocateOptions {
  readonly ledger: LedgerReads;
  readonly place: PlaceReads;
  /** Null: what the ledger has handed out. */
  readonly items: number | null;
  readonly tempDir: string;
  /** Called with the number of frames read so far. */
  readonly onFrames?: (count: number) => void;
}

export class Locator {
  readonly items: number;
  /** Counts of the bits as they were read. */
  done = 0;
  failed = 0;
  /** Items whose record was found to be none (damage.ts). */
  lost = 0;
  /** As they were before the bits were read. */
  readonly tallies: readonly EpochTally[];
  /** Epochs whose tally changed meanwhile, with which the log cannot be compared. */
  readonly unsteady: Set<Epoch> = new Set();
  /** Where the reading of each segment ended, ascending by epoch. */
  readonly ends: SegmentEnd[] = [];
  readonly placeId: string | null;
  readonly #table: PagedFile;
  #frames = 0;

  private constructor(items: number, tallies: readonly EpochTally[], placeId: string | null, table: PagedFile) {
    this.items = items;
    this.tallies = tallies;
    this.placeId = placeId;
    this.#table = table;
  }

  static async build(options: LocateOptions): Promise<Locator> {
    // In this order: no outcome that the tallies count is of an item beyond those that are looked at.
    const tallies = await options.ledger.tallies();
    const items = options.items ?? (await options.ledger.progress()).cursor;
    await mkdir(options.tempDir, { recursive: true });
    const path = join(options.tempDir, `locate-${systemRandom.hex(6)}.tmp`);
    const table = new PagedFile(path, new PageCache(CACHE_PAGES));
    // The name goes at once: a process that is killed leaves nothing behind.
    await rm(path);
    const locator = new Locator(items, tallies, (await options.place.identity())?.placeId ?? null, table);
    try {
      await locator.#readBits(options);
      await locator.#readLog(options);
      return locator;
    } catch (error) {
      locator.dispose();
      throw error;
    }
  }

  at(index: ItemIndex): Located {
    const { words, at } = this.#entry(index);
    const high = words[at + 2] as number;
    const kind = KINDS[(high >>> FOUND_SHIFT) & KIND_MASK] ?? null;
    const expected = KINDS[(high >>> EXPECTED_SHIFT) & KIND_MASK] ?? null;
    if (kind === null) return { expected, found: null };
    const [epoch, lineBytes, attempt] = [words[at] as number, words[at + 3] as number, words[at + 4] as number];
    return { expected, found: { index, attempt, epoch, offset: offsetAt(words, at), lineBytes, kind } };
  }

  /** The record of this item is lost: a frame that stands in its place is not a record. */
  lose(index: ItemIndex): void {
    if (this.isLost(index)) return;
    const { words, at } = this.#entry(index, true);
    words[at + 2] = (words[at + 2] as number) | LOST;
    this.lost += 1;
  }

  isLost(index: ItemIndex): boolean {
    const { words, at } = this.#entry(index);
    return ((words[at + 2] as number) & LOST) !== 0;
  }

  /** The ledger has the item as done or failed, and its frame is not there or says otherwise; `recordProblem` tells which. */
  hasProblem(index: ItemIndex): boolean {
    const { words, at } = this.#entry(index);
    const state = words[at + 2] as number;
    const expected = (state >>> EXPECTED_SHIFT) & KIND_MASK;
    return expected !== 0 && ((state >>> FOUND_SHIFT) & KIND_MASK) !== expected;
  }

  hasRecord(index: ItemIndex): boolean {
    const { words, at } = this.#entry(index);
    return isRecordState(words[at + 2] as number);
  }

  /** Adds the place of the item's record, where it has one. */
  addRecord(index: ItemIndex, to: Locations): void {
    const { words, at } = this.#entry(index);
    if (isRecordState(words[at + 2] as number)) to.add(index, words[at] as number, offsetAt(words, at), words[at + 3] as number);
  }

  /** Is the frame at `offset` of this epoch's segment the accepted record of its item? */
  isRecord(index: ItemIndex, epoch: Epoch, offset: number): boolean {
    if (index >= this.items) return false;
    const { words, at } = this.#entry(index);
    return isRecordState(words[at + 2] as number) && words[at] === epoch && offsetAt(words, at) === offset;
  }

  dispose(): void {
    this.#table.discard();
  }

  async #readBits({ ledger }: LocateOptions): Promise<void> {
    for (let from = 0; from < this.items; from += BITS_AT_ONCE) {
      const bits = await ledger.bits(from, Math.min(BITS_AT_ONCE, this.items - from));
      for (let n = 0; n < bits.length; n += 1) if (bits[n] !== ITEM_BIT.open) this.#expect(from + n, bits[n] as number);
      await nextTurn();
    }
    const after = await ledger.tallies();
    for (const { epoch } of [...this.tallies, ...after])
      if (!isSameTally(tallyOf(this.tallies, epoch), tallyOf(after, epoch))) this.unsteady.add(epoch);
  }

  #expect(index: ItemIndex, bit: number): void {
    const { words, at } = this.#entry(index, true);
    words[at + 2] = bit << EXPECTED_SHIFT;
    if (bit === ITEM_BIT.done) this.done += 1;
    else this.failed += 1;
  }

  async #readLog({ place, onFrames }: LocateOptions): Promise<void> {
    for (const epoch of await place.epochs()) this.ends.push(await this.#readSegment(place, epoch, onFrames));
  }

  async #readSegment(place: PlaceReads, epoch: Epoch, onFrames: LocateOptions['onFrames']): Promise<SegmentEnd> {
    const reader = await SegmentReader.open(place, epoch, this.placeId);
    try {
      for (let block = await reader.next(); block !== null; block = await reader.next()) {
        this.#foundAll(epoch, block);
        this.#frames += block.frames.count;
        onFrames?.(this.#frames);
      }
      return await reader.end();
    } finally {
      await reader.close();
    }
  }

  /** Segments come ascending and frames in order, so the last to be written here is the record. */
  #foundAll(epoch: Epoch, { frames, base }: SegmentBlock): void {
    for (let n = 0; n < frames.count; n += 1) {
      const index = frames.index(n);
      if (index >= this.items) continue;
      const { words, at } = this.#entry(index, true);
      const offset = base + frames.start(n);
      const expected = (words[at + 2] as number) & (KIND_MASK << EXPECTED_SHIFT);
      words[at] = epoch;
      words[at + 1] = offset % WORD;
      words[at + 2] = Math.floor(offset / WORD) | expected | (KIND_NUMBER[frames.kind(n)] << FOUND_SHIFT);
      words[at + 3] = frames.lineEnd(n) - frames.lineStart(n);
      words[at + 4] = frames.attempt(n);
    }
  }

  #entry(index: ItemIndex, isChanged = false): { readonly words: Uint32Array; readonly at: number } {
    assert(index < this.items, 'an index outside the table');
    const page = this.#table.page(Math.floor(index / ENTRIES_PER_PAGE));
    if (isChanged) page.isDirty = true;
    return { words: page.words, at: (index % ENTRIES_PER_PAGE) * ENTRY_WORDS };
  }
}

function offsetAt(words: Uint32Array, at: number): number {
  return (words[at + 1] as number) + ((words[at + 2] as number) & OFFSET_HIGH) * WORD;
}

/** Expected, found, and not lost. */
function isRecordState(state: number): boolean {
  return (state & (KIND_MASK << EXPECTED_SHIFT)) !== 0 && (state & (KIND_MASK << FOUND_SHIFT)) !== 0 && (state & LOST) === 0;
}
