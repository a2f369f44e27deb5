import test from 'ava';
import { checkState } from '../../../runtime/worker/check-state.ts';
import { end } from '../../../runtime/worker/execution.ts';
import { forget, recall, returnQueued, returnStarted, revoke, startQueued, stored, take } from '../../../runtime/worker/holding.ts';
import { MAX_WAITING_BYTES } from '../../../runtime/worker/session/window.ts';
import { find, newState, type State } from '../../../runtime/worker/state.ts';
import { storeWhereDue } from '../../../runtime/worker/storing.ts';
import { assignment, away, ended, kinds, outcome, readied, ref, SETTINGS, throttled } from '../../support/worker-state.ts';

function ready(): State {
  return readied(newState({ ...SETTINGS, concurrency: 2 }, 0, [], 0));
}

function taken(state: State): string[] {
  const commands = kinds(state.commands);
  state.commands = [];
  checkState(state);
  return commands;
}

test('L35: an assignment that is held already is ignored, whatever its stage', (t) => {
  const state = ready();
  take(state, assignment(1));
  take(state, assignment(1));
  t.is(state.counts.queued, 1);
  startQueued(state, 0);
  take(state, assignment(1));
  end(state, 0, ref(1), ended(1));
  take(state, assignment(1));
  storeWhereDue(state, 0);
  take(state, assignment(1));
  stored(state, ref(1));
  state.gathering.isStoring = false;
  take(state, assignment(1));
  t.deepEqual(taken(state), ['start', 'store']);
  t.is(find(state, ref(1))?.stage.kind, 'finished');
});

test('L35: a higher attempt stops an unfinished lower one, and leaves a finished one', (t) => {
  const state = ready();
  take(state, assignment(1));
  startQueued(state, 0);
  take(state, assignment(1, 2));
  t.deepEqual(taken(state), ['start', 'stop']);
  t.is(find(state, ref(1, 1)), undefined);
  t.is(find(state, ref(1, 2))?.stage.kind, 'queued');
  const other = newState(SETTINGS, 0, [outcome(5)], 0);
  take(other, assignment(5, 2));
  t.is(find(other, ref(5, 1))?.stage.kind, 'finished');
});

test('a lower attempt that comes late is ignored', (t) => {
  const state = ready();
  take(state, assignment(1, 2));
  take(state, assignment(1, 1));
  t.is(find(state, ref(1, 1)), undefined);
});

test('no more start than the concurrency, and one that was stopped keeps its slot until it has ended', (t) => {
  const state = ready();
  for (const index of [1, 2, 3]) take(state, assignment(index));
  startQueued(state, 0);
  t.deepEqual(taken(state), ['start', 'start']);
  revoke(state, ref(1));
  startQueued(state, 0);
  t.deepEqual(taken(state), ['stop']);
  end(state, 0, ref(1), ended(1));
  startQueued(state, 0);
  t.deepEqual(taken(state), ['start'], 'nothing was stored for the revoked one');
});

test('nothing starts while fenced, without a backend, while the server wants quiet, or during a drain', (t) => {
  const changes: ((state: State) => unknown)[] = [
    (state) => (state.isFenced = true),
    away,
    ({ endpoints }) => {
      for (const endpoint of endpoints) endpoint.limit = { ...endpoint.limit, quietUntilMs: 10 };
    },
    (state) => (state.mode = { kind: 'draining', isFinished: false, untilMs: 1, giveUpAtMs: 2, endMs: 3 }),
  ];
  for (const change of changes) {
    const state = ready();
    take(state, assignment(1));
    change(state);
    startQueued(state, 9);
    t.deepEqual(taken(state), []);
  }
});

test('W2: after the self-fence timeout without a valid reply nothing starts, also before a tick has said so', (t) => {
  const state = ready();
  take(state, assignment(1));
  startQueued(state, SETTINGS.selfFenceTimeoutMs + 1);
  t.deepEqual(taken(state), []);
  startQueued(state, SETTINGS.selfFenceTimeoutMs);
  t.deepEqual(taken(state), ['start']);
});

test('L36: what was handed back has no outcome any more', (t) => {
  const state = ready();
  take(state, assignment(1));
  startQueued(state, 0);
  returnStarted(state, 'drained');
  end(state, 0, ref(1), ended(1));
  t.deepEqual(taken(state), ['start', 'stop']);
  t.is(find(state, ref(1))?.stage.kind, 'returning');
});

test('a worker that leaves records nothing of what it aborts', (t) => {
  const state = ready();
  take(state, assignment(1));
  startQueued(state, 0);
  state.mode = { kind: 'left' };
  end(state, 0, ref(1), ended(1));
  t.deepEqual(taken(state), ['start']);
});

test('L36: what is assigned during a drain goes back; likewise without a backend', (t) => {
  const state = ready();
  state.mode = { kind: 'draining', isFinished: false, untilMs: 1, giveUpAtMs: 2, endMs: 3 };
  take(state, assignment(1));
  const [held] = state.unsent;
  t.deepEqual(held?.stage, { kind: 'returning', item: { ...ref(1), reason: 'drained', delayMs: 0, detail: '' } });
  const without = away(ready());
  take(without, assignment(1));
  const [other] = without.unsent;
  t.like(other?.stage, { kind: 'returning', item: { reason: 'unavailable' } });
});

test('returnQueued hands back only what has not started', (t) => {
  const state = ready();
  for (const index of [1, 2, 3]) take(state, assignment(index));
  startQueued(state, 0);
  returnQueued(state, 'drained');
  t.is(state.counts.started, 2);
  t.is(state.counts.returning, 1);
});

test('L34: only what was handed over is forgotten, and exactly the pair', (t) => {
  const state = newState(SETTINGS, 0, [outcome(1, 1), outcome(1, 2)], 0);
  readied(state);
  take(state, assignment(2));
  take(state, assignment(3));
  startQueued(state, 0);
  end(state, 0, ref(3), ended(3));
  taken(state);
  forget(state, [ref(1, 2), ref(1, 3), ref(2), ref(3), ref(9)]);
  t.deepEqual(state.commands, [{ kind: 'forget', refs: [ref(1, 2)] }]);
  t.is(find(state, ref(1, 1))?.stage.kind, 'finished');
  t.is(find(state, ref(2))?.stage.kind, 'started');
  t.is(find(state, ref(3))?.stage.kind, 'storing', 'an outcome that was never sent cannot be acknowledged');
});

test('L27: a revoked item is dropped, a finished outcome stays for the ledger to judge', (t) => {
  const state = newState(SETTINGS, 0, [outcome(1)], 0);
  revoke(state, ref(1));
  revoke(state, ref(7));
  t.is(find(state, ref(1))?.stage.kind, 'finished');
});

test('a throttled item goes back with its delay, and the concurrency is cut', (t) => {
  const state = ready();
  take(state, assignment(1));
  startQueued(state, 0);
  end(state, 5, ref(1), throttled(1, 900, 700));
  const [held] = state.unsent;
  t.like(held?.stage, { kind: 'returning', item: { reason: 'throttled', delayMs: 900 } });
  t.like(state.endpoints[0]?.limit, { size: 1, quietUntilMs: 705 });
});

test('L32: what is recalled and has not started goes back as released and never starts; of what has started nothing is said', (t) => {
  const state = ready();
  for (const index of [1, 2, 3]) take(state, assignment(index));
  startQueued(state, 0);
  taken(state);
  for (const index of [2, 3, 9]) recall(state, ref(index));
  t.is(find(state, ref(2))?.stage.kind, 'started');
  t.like(find(state, ref(3))?.stage, { kind: 'returning', item: { ...ref(3), reason: 'recalled' } });
  startQueued(state, 0);
  t.deepEqual(state.commands, []);
});

test('W6: what comes while too many bytes wait for a slot goes back at once', (t) => {
  const state = ready();
  const large = new Uint8Array(MAX_WAITING_BYTES / 2);
  for (const index of [1, 2, 3]) take(state, { ...assignment(index), line: large });
  t.is(state.waitingBytes, MAX_WAITING_BYTES);
  t.is(find(state, ref(2))?.stage.kind, 'queued');
  const third = find(state, ref(3))?.stage;
  t.like(third, { kind: 'returning', item: { reason: 'recalled', delayMs: 0 } });
  startQueued(state, 0);
  t.is(state.waitingBytes, 0);
  take(state, assignment(4));
  t.is(find(state, ref(4))?.stage.kind, 'queued');
  checkState(state);
});
