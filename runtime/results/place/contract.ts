import type { Fenced, Place } from '../../ledger/contract.ts';
import type { ResultsRoom } from '../../model/results-kind.ts';
import type { Epoch } from '../../model/row.ts';

/**
 * Where the segments of one run's result log are kept. A place keeps bytes: frames, checksums, the search for records and for damage lie above
 * it, and are the same for every place (`results/log`). A segment belongs to one epoch, grows at its end alone, and is never changed
 * after its writer (L17): there is no verb to open one again, to cut, to replace or to remove one.
 *
 * A rejection with CallFailed means that it is not known whether it happened; the same call is asked again until it is (L20), and a
 * call that arrives late or twice changes nothing (L7). Any other rejection is final.
 */
export interface ResultsPlace {
  /** For people: where it is. */
  readonly name: string;
  /** Its identity (L22); null where it has none yet. */
  identity(): Promise<Place | null>;
  /** Its identity, made at first use by the holder of this epoch, and durable. Rejects where it is the place of another run. */
  open(epoch: Epoch, runId: string): Promise<Opened | Fenced>;
  /** Makes the segment of this epoch, exclusively (L17). Its name and these first bytes are durable when this resolves (L18). */
  create(epoch: Epoch, first: Uint8Array): Promise<Created | Fenced>;
  /** Epochs that have a segment, ascending; none where nothing was ever written. */
  epochs(): Promise<readonly Epoch[]>;
  /** A segment to be read, also while it grows. Rejects where there is none. */
  read(epoch: Epoch): Promise<SegmentBytes>;
}

/** What export and verify need of a place. */
export type PlaceReads = Pick<ResultsPlace, 'name' | 'identity' | 'epochs' | 'read'>;

export interface Opened {
  readonly kind: 'opened';
  readonly place: Place;
}

export interface Created {
  readonly kind: 'created';
  readonly writer: SegmentWriter;
}

/** The only writer that a segment ever has. One call at a time. */
export interface SegmentWriter {
  /** The bytes stand at the end of the segment, as a whole and durably, when this resolves with `appended` (L18). */
  append(bytes: Uint8Array): Promise<Appended | Full | Fenced>;
  /** Of all segments together, by what is known to be there; absent where the place has no limit. */
  room?(): ResultsRoom;
  close(): Promise<void>;
}

export interface Appended {
  readonly kind: 'appended';
}

/** The place has a limit, and the bytes would not fit: none of them was written. */
export interface Full {
  readonly kind: 'full';
  /** For people: which limit, and what to do. */
  readonly reason: string;
}

export interface SegmentBytes {
  /** How many there are by now. */
  size(): Promise<number>;
  /** Fills `into` with the bytes from `position` on, and answers how many it has: fewer only where the segment ends by now. */
  read(into: Uint8Array, position: number): Promise<number>;
  close(): Promise<void>;
}
