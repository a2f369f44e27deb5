import type { Timer } from '../../base/clock.ts';
import type { Disk } from '../../base/fs/disk.ts';
import { AttemptMap, type OfAttempt } from '../../model/attempt-map.ts';
import type { Epoch, ItemRef } from '../../model/row.ts';
import type { Outcome } from '../../model/session.ts';
import type { Outbox } from './contract.ts';
import { type Facts, writeFacts } from './facts.ts';
import { storeFailed } from './failure.ts';
import { type FileLimits, type OutboxFile, OutboxFiles } from './files.ts';
import { type DiskSpace, whenDiskSpace } from './when-disk-space.ts';

export interface StoreTerms extends DiskSpace {
  readonly dir: string;
  readonly disk: Disk;
  readonly limits: StoreLimits;
}

/** Beyond twice of what is open, and so much more, what is open is copied and the rest let go of: bounds the disk by what W6 bounds. */
export interface StoreLimits extends FileLimits {
  readonly spareBytes: number;
  readonly spareOutcomes: number;
}

/** A hello still names all the outcomes that may be found. */
export const STORE_LIMITS: StoreLimits = { fileBytes: 4 * 2 ** 20, fileOutcomes: 4_096, spareBytes: 16 * 2 ** 20, spareOutcomes: 16_384 };

/** Bytes of lines in one write, unless one line is longer: below the room that is asked for before each. */
const WRITE_BYTES: number = 8 * 2 ** 20;
/** A file in which all is acknowledged is removed when it has rested for so long; at once would cost a new one for each next item. */
const REST_MS = 1_000;

/** An outcome that no coordinator has acknowledged. */
interface Open extends OfAttempt<Open> {
  readonly ref: Outcome;
  /** Null until it is on disk. */
  file: OutboxFile | null;
}

/** The outbox over its files. What it is asked to write it does in turn. */
export class OutboxStore implements Outbox {
  readonly found: readonly Outcome[];
  readonly #terms: StoreTerms;
  readonly #files: OutboxFiles;
  readonly #open = new AttemptMap<Open>();
  readonly #closing = new AbortController();
  #openBytes = 0;
  #facts: Facts;
  #rest: Timer | null = null;
  /** Once one failed, all that are asked for later fail with it. */
  #turns: Promise<void> = Promise.resolve();

  constructor(terms: StoreTerms, facts: Facts, found: readonly Outcome[], nextNumber: number) {
    this.#terms = terms;
    this.#facts = facts;
    this.found = found;
    this.#files = new OutboxFiles(terms.dir, terms.disk, terms.limits, nextNumber);
  }

  get highestEpoch(): Epoch {
    return this.#facts.epoch;
  }

  put(outcomes: readonly Outcome[]): Promise<void> {
    return this.#inTurn(async () => {
      for (const outcome of outcomes) this.#hold(outcome);
      await this.#write(outcomes);
      if (this.#isWasteful()) await this.#copyOpen();
    });
  }

  forget(refs: readonly ItemRef[]): Promise<void> {
    let isEmptied = false;
    for (const ref of refs) isEmptied = this.#drop(ref) || isEmptied;
    if (this.#open.size === 0) this.#removeWhenRested();
    return isEmptied ? this.#inTurn(() => this.#files.removeAcknowledged()) : Promise.resolve();
  }

  keepEpoch(epoch: Epoch): Promise<void> {
    return this.#inTurn(async () => {
      this.#facts = { ...this.#facts, epoch: Math.max(this.#facts.epoch, epoch) };
      await this.#whenDiskSpace(() => writeFacts(this.#terms.dir, this.#facts, this.#terms.disk));
    });
  }

  /** Where nothing is open nothing is left. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#rest?.stop();
    // Whoever asked for it has heard of a failure.
    const isWell = await this.#turns.then(
      () => true,
      () => false,
    );
    await this.#files.endLast();
    if (isWell) await this.#files.removeAcknowledged();
  }

  #inTurn(run: () => Promise<void>): Promise<void> {
    this.#turns = this.#turns.then(run).catch((error: unknown) => {
      throw storeFailed(this.#terms.dir, error);
    });
    return this.#turns;
  }

  #hold(outcome: Outcome): void {
    this.#drop(outcome);
    this.#open.add({ ref: outcome, sibling: null, file: null });
    this.#openBytes += outcome.line.length;
  }

  /** Whether nothing is open any more in the file in which it stands. */
  #drop(ref: ItemRef): boolean {
    const open = this.#open.get(ref);
    if (open === undefined) return false;
    this.#open.delete(open);
    this.#openBytes -= open.ref.line.length;
    if (open.file === null) return false;
    open.file.open -= 1;
    return open.file.open === 0;
  }

  async #write(outcomes: readonly Outcome[]): Promise<void> {
    for (const part of partsOf(outcomes)) {
      const file = await this.#whenDiskSpace(() => this.#files.append(part));
      for (const outcome of part) this.#moveTo(file, outcome);
    }
  }

  /** One that was acknowledged meanwhile counts for nothing. */
  #moveTo(file: OutboxFile, outcome: Outcome): void {
    const open = this.#open.get(outcome);
    if (open === undefined) return;
    if (open.file !== null) open.file.open -= 1;
    open.file = file;
    file.open += 1;
  }

  #isWasteful(): boolean {
    const { bytes, outcomes } = this.#files;
    const { spareBytes, spareOutcomes } = this.#terms.limits;
    return bytes > 2 * this.#openBytes + spareBytes || outcomes > 2 * this.#open.size + spareOutcomes;
  }

  /** What is open is on disk a second time before the files go in which it stood. */
  async #copyOpen(): Promise<void> {
    await this.#files.endLast();
    await this.#write([...this.#open].map(({ ref }) => ref));
    await this.#files.removeAcknowledged();
  }

  #removeWhenRested(): void {
    this.#rest ??= this.#terms.clock.after(REST_MS, () => {
      this.#rest = null;
      // The next one who asks for something hears of a failure.
      this.#inTurn(() => this.#removeAll()).catch(() => undefined);
    });
  }

  async #removeAll(): Promise<void> {
    if (this.#open.size > 0) return;
    await this.#files.endLast();
    await this.#files.removeAcknowledged();
  }

  #whenDiskSpace<T>(write: () => Promise<T>): Promise<T> {
    return whenDiskSpace(this.#terms, this.#closing.signal, write);
  }
}

/** Nearly always one. */
function partsOf(outcomes: readonly Outcome[]): readonly (readonly Outcome[])[] {
  if (outcomes.length === 0) return [];
  return outcomes.reduce((sum, { line }) => sum + line.length, 0) <= WRITE_BYTES ? [outcomes] : split(outcomes);
}

function split(outcomes: readonly Outcome[]): readonly (readonly Outcome[])[] {
  const parts: Outcome[][] = [];
  let [part, bytes]: [Outcome[], number] = [[], 0];
  for (const outcome of outcomes) {
    if (part.length > 0 && bytes + outcome.line.length > WRITE_BYTES) {
      parts.push(part);
      [part, bytes] = [[], 0];
    }
    part.push(outcome);
    bytes += outcome.line.length;
  }
  return [...parts, part];
}
