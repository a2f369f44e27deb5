import type { Fenced, Ledger } from '../../ledger/contract.ts';
import type { ResultsRoom } from '../../model/results-kind.ts';
import type { Attempt, Epoch, ItemIndex } from '../../model/row.ts';
import type { OutcomeKind } from '../../model/session.ts';
import type { Appended, Full } from '../place/contract.ts';

/** One outcome as it lies in a segment. A frame's epoch is its segment's (L17). */
export interface Frame {
  readonly index: ItemIndex;
  readonly attempt: Attempt;
  readonly kind: OutcomeKind;
  /** Written directly before the line; a reader finds both together in `line`. Absent in the result log. */
  readonly detail?: Uint8Array;
  /** The output line, UTF-8 JSON without a line end. */
  readonly line: Uint8Array;
}

/** The result log of one epoch: one segment, created exclusively, written by one process start (L17). */
export interface ResultLog {
  readonly epoch: Epoch;
  /**
   * Resolves with `appended` once the frames are durable (L18), all frames of the call in one append of the place.
   * `full`: none of them was written. A rejection is final: the log refuses every later call, and the coordinator ends.
   */
  append(frames: readonly Frame[]): Promise<Appended | Full | Fenced>;
  /** Null where the place has no limit. */
  room(): ResultsRoom | null;
  close(): Promise<void>;
}

export interface CreatedLog {
  readonly kind: 'created';
  readonly log: ResultLog;
}

/** What export and verify read of a ledger; needs no epoch. */
export type LedgerReads = Pick<Ledger, 'progress' | 'bits' | 'tallies'>;

/** Order of the output lines: by index, or as the outcomes were recorded. */
export type OutputOrder = 'input' | 'completion';
