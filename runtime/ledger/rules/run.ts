import { assert } from '../../base/assert.ts';
import type { Epoch } from '../../model/row.ts';
import type { Progress, RunState } from '../../model/run.ts';
import type { Fenced, Gone, Place } from '../contract.ts';
import type { Decision, Head, Rows } from '../rows.ts';
import { goneFor, underEpoch } from './draft.ts';

type Bound = { readonly kind: 'bound' } | { readonly kind: 'elsewhere'; readonly place: Place };
type Finished = { readonly kind: 'finished' } | { readonly kind: 'unfinished'; readonly progress: Progress };

/** Records the results place at first use; afterwards only that place will do (L22). */
export function bind(rows: Rows, epoch: Epoch, place: Place): Decision<Bound | Fenced> {
  return underEpoch(rows, epoch, (): Decision<Bound> => {
    const bound = rows.place();
    if (bound === null) return { reply: { kind: 'bound' }, writes: { place } };
    const isSame = bound.placeId === place.placeId && bound.runId === place.runId;
    return { reply: isSame ? { kind: 'bound' } : { kind: 'elsewhere', place: bound }, writes: null };
  });
}

export function pause(rows: Rows, epoch: Epoch, reason: string): Decision<{ readonly kind: 'paused' } | Gone | Fenced> {
  return underEpoch(rows, epoch, () => changeState(rows, { kind: 'paused', reason }, { kind: 'paused' }));
}

export function resume(rows: Rows, epoch: Epoch): Decision<{ readonly kind: 'resumed' } | Gone | Fenced> {
  return underEpoch(rows, epoch, () => changeState(rows, { kind: 'running' }, { kind: 'resumed' }));
}

function changeState<T>(rows: Rows, state: RunState, reply: T): Decision<T | Gone> {
  const gone = goneFor('write', rows.state());
  return gone === null ? { reply, writes: { state } } : { reply: gone, writes: null };
}

/** Ends the run, once every one of its `items` is terminal (L16). */
export function finish(rows: Rows, epoch: Epoch, items: number): Decision<Finished | Fenced> {
  return underEpoch(rows, epoch, (head): Decision<Finished> => {
    if (head.done + head.failed !== items || head.cursor !== items) {
      return { reply: { kind: 'unfinished', progress: progressOf(head, rows.state()) }, writes: null };
    }
    assert(head.running === 0 && head.handedBack === 0, 'all items are terminal, and yet some are in flight');
    const isFinished = rows.state().kind === 'completed';
    return { reply: { kind: 'finished' }, writes: isFinished ? null : { state: { kind: 'completed' } } };
  });
}

/** Epoch -1: no coordinator ever held this ledger. */
export function progressOf(head: Head | null, state: RunState): Progress {
  if (head === null) return { state, epoch: -1, cursor: 0, running: 0, handedBack: 0, done: 0, failed: 0 };
  const { epoch, cursor, running, handedBack, done, failed } = head;
  return { state, epoch, cursor, running, handedBack, done, failed };
}
