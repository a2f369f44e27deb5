import test from 'ava';
import { heldState, outcomeBytes, waitingBytes } from '../../../runtime/worker/stage.ts';
import { assignment, outcome, ref } from '../../support/worker-state.ts';

test('L27: a returning item is told as queued, so that it is not assigned again; one being stored is not finished yet', (t) => {
  t.is(heldState({ kind: 'returning', item: { ...ref(1), reason: 'drained', delayMs: 0, detail: '' } }), 'queued');
  t.is(heldState({ kind: 'storing', outcome: outcome(1) }), 'started');
  t.is(heldState({ kind: 'finished', outcome: outcome(1) }), 'finished');
});

test('only a line that waits and an outcome that is not acknowledged have bytes', (t) => {
  const queued = { kind: 'queued', assignment: assignment(1) } as const;
  t.is(waitingBytes(queued), assignment(1).line.length);
  t.is(outcomeBytes(queued), 0);
  t.is(waitingBytes({ kind: 'started', startedAtMs: 0 }), 0);
  for (const kind of ['storing', 'finished'] as const) t.is(outcomeBytes({ kind, outcome: outcome(1) }), 'line 1'.length);
});
