import type { Attempt, Epoch, ItemIndex } from '../../model/row.ts';
import type { OutcomeKind } from '../../model/session.ts';
import { FRAME_HEADER_BYTES } from './segment.ts';

/** Where a record lies. */
export interface Location {
  readonly index: ItemIndex;
  readonly attempt: Attempt;
  readonly epoch: Epoch;
  /** Where its frame begins in the segment. */
  readonly offset: number;
  readonly lineBytes: number;
  readonly kind: OutcomeKind;
}

/** Where several records lie, in columns: an object for each of millions costs as much as reading it. */
export class Locations {
  readonly #indexes: Uint32Array;
  readonly #epochs: Uint32Array;
  readonly #offsets: Float64Array;
  readonly #lineBytes: Uint32Array;
  #count = 0;
  #bytes = 0;

  constructor(capacity: number) {
    this.#indexes = new Uint32Array(capacity);
    this.#epochs = new Uint32Array(capacity);
    this.#offsets = new Float64Array(capacity);
    this.#lineBytes = new Uint32Array(capacity);
  }

  static of(locations: readonly Location[]): Locations {
    const columns = new Locations(locations.length);
    for (const { index, epoch, offset, lineBytes } of locations) columns.add(index, epoch, offset, lineBytes);
    return columns;
  }

  get count(): number {
    return this.#count;
  }

  /** Of all lines together. */
  get bytes(): number {
    return this.#bytes;
  }

  clear(): void {
    this.#count = 0;
    this.#bytes = 0;
  }

  add(index: ItemIndex, epoch: Epoch, offset: number, lineBytes: number): void {
    const n = this.#count++;
    this.#indexes[n] = index;
    this.#epochs[n] = epoch;
    this.#offsets[n] = offset;
    this.#lineBytes[n] = lineBytes;
    this.#bytes += lineBytes;
  }

  index(n: number): ItemIndex {
    return this.#indexes[n] as number;
  }

  epoch(n: number): Epoch {
    return this.#epochs[n] as number;
  }

  /** Where frame `n` begins in its segment, and where it ends. */
  start(n: number): number {
    return this.#offsets[n] as number;
  }

  end(n: number): number {
    return this.start(n) + FRAME_HEADER_BYTES + (this.#lineBytes[n] as number);
  }
}
