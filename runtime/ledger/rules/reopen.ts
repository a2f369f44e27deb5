import { assert } from '../../base/assert.ts';
import { type Attempt, COORDINATOR_WORKER, type Epoch, type Row, type Stamp } from '../../model/row.ts';
import type { RunState } from '../../model/run.ts';
import { countOf, type EpochTally, isSameTally, type Reopening, tallyOf } from '../../model/tally.ts';
import { type Fenced, NO_FAULTS, type Overtaken, type ReopenReply } from '../contract.ts';
import type { AllRows, Decision, ItemState, Writes } from '../rows.ts';
import { nextAttempt } from './attempts.ts';
import { Draft, underEpoch } from './draft.ts';
import { OVERTAKEN, orderOf } from './order.ts';

/**
 * Reopens recorded items (L45): they run again, and so does a completed run. All of the items or none. An item's row is then the
 * coordinator's own, with an attempt above every one that the run has seen, so that no earlier outcome, recorded or still in a worker's
 * outbox, can settle it.
 */
export function reopen(rows: AllRows, by: Stamp, reopening: Reopening): Decision<ReopenReply | Overtaken | Fenced> {
  const { epoch } = by;
  return underEpoch(rows, epoch, (head): Decision<ReopenReply | Overtaken> => {
    const order = orderOf(rows.stateBy(), by);
    if (order !== 'new') return { reply: order === 'repeated' ? { kind: 'reopened' } : OVERTAKEN, writes: null };
    const { pending, own } = reopening;
    const draft = new Draft(rows, head);
    const attempt = nextAttempt(head.highestAttempt);
    const found = [...pending, ...own].filter((index) => !isRecorded(draft.item(index))).map((index) => draft.found(index));
    if (found.length > 0) return { reply: { kind: 'refused', found }, writes: null };
    for (const index of pending) draft.put(index, { state: 'handed-back', ...item(epoch, attempt) });
    for (const index of own) draft.put(index, { state: 'running', second: null, ...item(epoch, attempt) });
    return { reply: { kind: 'reopened' }, writes: writesOf(rows, draft, by, reopening) };
  });
}

function item(epoch: Epoch, attempt: Attempt): { row: Row; lastAttempt: Attempt; faults: typeof NO_FAULTS } {
  return { row: { worker: COORDINATOR_WORKER, attempt, claimEpoch: epoch }, lastAttempt: attempt, faults: NO_FAULTS };
}

function isRecorded({ state }: ItemState): boolean {
  return state === 'done' || state === 'failed';
}

/** The state is written also where it stays, since its stamp tells the same request from the next (L38). */
function writesOf(rows: AllRows, draft: Draft, by: Stamp, { tallies }: Reopening): Writes {
  const { writes } = draft.decide(null);
  const changed = tallies.filter((tally) => !isSameTally(tally, tallyOf(rows.everyTally(), tally.epoch)));
  const state: RunState = rows.state().kind === 'completed' ? { kind: 'running' } : rows.state();
  requireCount(rows, changed, writes?.head ?? draft.before);
  return { ...writes, ...(changed.length > 0 ? { tallies: changed } : {}), state: { state, by } };
}

function requireCount(
  rows: AllRows,
  changed: readonly EpochTally[],
  { done, failed }: { readonly done: number; readonly failed: number },
): void {
  const kept = rows.everyTally().filter(({ epoch }) => !changed.some((tally) => tally.epoch === epoch));
  assert(countOf(kept) + countOf(changed) === done + failed, 'the tallies count what stays recorded (L39)');
}
