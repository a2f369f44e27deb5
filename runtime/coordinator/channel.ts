import type { ItemRef } from '../model/row.ts';
import type { Assignment } from '../model/session.ts';
import type { Token } from './commands.ts';

/** What was sent to a worker in one message. */
export interface Batch {
  readonly number: number;
  readonly assignments: readonly Assignment[];
  readonly revoked: readonly ItemRef[];
  readonly recalled: readonly ItemRef[];
  /** False when it must be put into the next reply (again). */
  isUnderway: boolean;
}

/** A poll that waits can be answered once; on a stream one message follows the other. */
export type Channel =
  | { readonly kind: 'poll'; readonly token: Token; readonly untilMs: number }
  | {
      readonly kind: 'stream';
      readonly token: Token;
      /** The last message has not left yet: nothing more is sent to a peer that does not read. */
      isWriting: boolean;
      /** Scans since something was sent, and since something was received. */
      quietScans: number;
      unheardScans: number;
    };
