import type { Epoch, ItemIndex, Row } from '../../runtime/model/row.ts';
import type { Trace } from './trace.ts';

/** What the checkers have of the world. */
export interface Checking {
  readonly trace: Trace;
  /** Ends the world where the condition does not hold. */
  hold(rule: string, condition: boolean, message: string): void;
  count(what: string): void;
  /** Time of the world. */
  nowMs(): number;
  /** Whether the process of this number has ended. */
  isDead(pid: number): boolean;
  /** Has the store count everything again (L6). */
  scan(epoch: Epoch): void;
  /** A row was moved to another worker. */
  onMoved(index: ItemIndex, row: Row): void;
}
