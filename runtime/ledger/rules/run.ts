import { assert } from '../../base/assert.ts';
import type { Epoch, Stamp } from '../../model/row.ts';
import type { Progress, RunState } from '../../model/run.ts';
import type { Fenced, Finished, Gone, Overtaken, Place } from '../contract.ts';
import type { Decision, Head, Rows } from '../rows.ts';
import { goneFor, underEpoch } from './draft.ts';
import { OVERTAKEN, orderOf } from './order.ts';

type Bound = { readonly kind: 'bound' } | { readonly kind: 'elsewhere'; readonly place: Place };

/** Records the results place at first use; afterwards only that place will do (L22). */
export function bind(rows: Rows, epoch: Epoch, place: Place): Decision<Bound | Fenced> {
  return underEpoch(rows, epoch, (): Decision<Bound> => {
    const bound = rows.place();
    if (bound === null) return { reply: { kind: 'bound' }, writes: { place } };
    const isSame = bound.placeId === place.placeId && bound.runId === place.runId;
    return { reply: isSame ? { kind: 'bound' } : { kind: 'elsewhere', place: bound }, writes: null };
  });
}

export function pause(rows: Rows, by: Stamp, reason: string): Decision<{ readonly kind: 'paused' } | Gone | Overtaken | Fenced> {
  return underEpoch(rows, by.epoch, () => changeState(rows, by, { kind: 'paused', reason }, { kind: 'paused' }));
}

export function resume(rows: Rows, by: Stamp): Decision<{ readonly kind: 'resumed' } | Gone | Overtaken | Fenced> {
  return underEpoch(rows, by.epoch, () => changeState(rows, by, { kind: 'running' }, { kind: 'resumed' }));
}

function changeState<T>(rows: Rows, by: Stamp, state: RunState, reply: T): Decision<T | Gone | Overtaken> {
  const order = orderOf(rows.stateBy(), by);
  if (order !== 'new') return { reply: order === 'repeated' ? reply : OVERTAKEN, writes: null };
  const gone = goneFor('write', rows.state());
  return gone === null ? { reply, writes: { state: { state, by } } } : { reply: gone, writes: null };
}

/** Ends the run, once every one of its `items` is terminal (L16). */
export function finish(rows: Rows, by: Stamp, items: number): Decision<Finished | Overtaken | Fenced> {
  return underEpoch(rows, by.epoch, (head): Decision<Finished | Overtaken> => {
    const order = orderOf(rows.stateBy(), by);
    if (order !== 'new') return { reply: order === 'repeated' ? { kind: 'finished' } : OVERTAKEN, writes: null };
    if (head.done + head.failed !== items || head.cursor !== items) {
      return { reply: { kind: 'unfinished', progress: progressOf(head, rows.state()) }, writes: null };
    }
    assert(head.running === 0 && head.handedBack === 0, 'all items are terminal, and yet some are in flight');
    const isFinished = rows.state().kind === 'completed';
    return { reply: { kind: 'finished' }, writes: isFinished ? null : { state: { state: { kind: 'completed' }, by } } };
  });
}

/** Epoch -1: no coordinator ever held this ledger. */
export function progressOf(head: Head | null, state: RunState): Progress {
  if (head === null) return { state, epoch: -1, cursor: 0, running: 0, handedBack: 0, done: 0, failed: 0, redone: 0 };
  const { epoch, cursor, running, handedBack, done, failed, redone } = head;
  return { state, epoch, cursor, running, handedBack, done, failed, redone };
}
