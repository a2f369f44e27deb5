import type {
  Claimed,
  CountedRow,
  HandBack,
  HandBackVerdict,
  Move,
  NamedRow,
  ReassignReply,
  RestoreReply,
  SecondAttemptReply,
  SettleVerdict,
  Verdict,
} from '../../ledger/contract.ts';
import type { DrainOrder, HintWord } from '../../model/drain.ts';
import type { ComputeHint } from '../../model/hint.ts';
import type { ItemIndex, WorkerId } from '../../model/row.ts';
import type { Assignment, Beat, Deregistration, Outcome, Poll } from '../../model/session.ts';
import type { Recording, Token } from './commands.ts';

/** What came of one grant. A claim of unknown fate was asked again, exactly as it was, and its rows then came back as found (L8). */
export type ClaimResult = Claimed | { readonly kind: 'gone' };

/** One transaction of the ledger: what it was asked, and its verdict on each, in the same order. Claims are the last round's. */
export interface Committed {
  readonly recordings: readonly Recording[];
  readonly verdicts: readonly SettleVerdict[];
  readonly returns: readonly HandBack[];
  readonly handedBack: readonly HandBackVerdict[];
  readonly claimed: readonly ClaimResult[];
}

/** What the machine is told: it takes in one after the other (machine.ts). */
export type Fact =
  /** The mirror has been built; what the coordinator itself had claimed is taken up again. */
  | { readonly kind: 'started' }
  /** `token`: null where no answer is wanted. */
  | { readonly kind: 'beat'; readonly beat: Beat; readonly token: Token | null }
  | { readonly kind: 'poll'; readonly poll: Poll; readonly token: Token }
  /** A message of a stream. */
  | { readonly kind: 'message'; readonly poll: Poll; readonly token: Token }
  /** What was said last on a stream has left. */
  | { readonly kind: 'written'; readonly worker: WorkerId; readonly token: Token }
  /** The caller of a poll, or the peer of a stream, has gone. */
  | { readonly kind: 'hung-up'; readonly worker: WorkerId; readonly token: Token }
  | { readonly kind: 'deregister'; readonly deregistration: Deregistration; readonly token: Token }
  | { readonly kind: 'worker-exited'; readonly worker: WorkerId; readonly pid: number }
  /** What the hints file says now. */
  | { readonly kind: 'hints'; readonly hints: readonly ComputeHint[] }
  | { readonly kind: 'hint'; readonly word: HintWord }
  | { readonly kind: 'drain'; readonly order: DrainOrder }
  | { readonly kind: 'tick' }
  | ({ readonly kind: 'committed' } & Committed)
  /** Null: the run is paused, and nothing moved or was given. */
  | { readonly kind: 'reassigned'; readonly moves: readonly Move[]; readonly verdicts: ReassignReply['verdicts'] | null }
  | {
      readonly kind: 'second-attempts';
      readonly worker: WorkerId;
      readonly rows: readonly NamedRow[];
      readonly verdicts: SecondAttemptReply['verdicts'] | null;
    }
  | {
      readonly kind: 'restored';
      readonly worker: WorkerId;
      readonly rows: readonly CountedRow[];
      readonly verdicts: RestoreReply['verdicts'];
    }
  | { readonly kind: 'looked'; readonly worker: WorkerId; readonly outcomes: readonly Outcome[]; readonly verdicts: readonly Verdict[] }
  | { readonly kind: 'loaded'; readonly worker: WorkerId; readonly assignments: readonly Assignment[] }
  | { readonly kind: 'rejected'; readonly outcomes: readonly Outcome[] }
  | { readonly kind: 'surveyed'; readonly upTo: ItemIndex; readonly invalid: readonly ItemIndex[] }
  | { readonly kind: 'indexed'; readonly count: number; readonly items: number | null }
  | { readonly kind: 'registered'; readonly worker: WorkerId; readonly bootNonce: string }
  | { readonly kind: 'forgotten'; readonly token: Token | null }
  | { readonly kind: 'paused' }
  | { readonly kind: 'finished' }
  | { readonly kind: 'exported' };
