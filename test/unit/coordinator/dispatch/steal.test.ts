import test from 'ava';
import type { Command } from '../../../../runtime/coordinator/state/commands.ts';
import { itemAt } from '../../../../runtime/coordinator/state/items.ts';
import { failureOf, type Machine, ofKind, okReply, only, outcomeOf, RETURNED, ref, rowFor, twoRunning } from '../../../support/machine.ts';

/** w1 has `count` rows, all delivered, none started; w2 has nothing; the list is at its end. */
function tail(count: number, capacity = 4): Machine {
  const machine = twoRunning({
    cursor: count,
    running: Array.from({ length: count }, (_, index) => ({ index, row: rowFor('w1') })),
    workers: ['w1', 'w2'].map((worker) => ({ worker, bootNonce: 'b1', pid: 7 })),
  });
  machine.supply(count);
  machine.join('w1', { capacity: 0, held: queued(count) });
  machine.join('w2', { capacity });
  return machine;
}

function queued(count: number): { index: number; attempt: number; claimEpoch: number; state: 'queued' }[] {
  return Array.from({ length: count }, (_, index) => ({ ...ref(index), state: 'queued' as const }));
}

/** The recalls that went to w1, and the machine after it has acknowledged them with these words. */
function recalls(machine: Machine): { readonly commands: readonly Command[]; readonly indexes: readonly number[]; readonly batch: number } {
  const told = machine.tick(machine.nowMs + 1_000);
  const reply = okReply(told.filter((one) => one.kind === 'reply-poll' && one.reply.status === 'ok' && one.reply.recalled.length > 0));
  return { commands: told, indexes: reply.recalled.map(({ index }) => index), batch: reply.batch };
}

test('L32: half of the unstarted rows of the richest are asked for, the last in line, at most the free slots of the thief', (t) => {
  const few = tail(5);
  few.poll('w1', { capacity: 0 });
  t.deepEqual(recalls(few).indexes, [2, 3, 4], 'ceil(5 / 2)');
  const many = tail(40);
  many.poll('w1', { capacity: 0 });
  t.is(recalls(many).indexes.length, 4, 'the thief has four slots');
});

test('L32: nothing is stolen while there is something to claim, by a worker with a backlog, or from started rows', (t) => {
  const machine = tail(4);
  machine.tell({ kind: 'indexed', count: 9, items: 9 });
  machine.poll('w1', { capacity: 0 });
  t.is(ofKind(machine.tick(machine.nowMs + 1_000), 'reply-poll').length, 0, 'the list is not at its end');
  const started = tail(4);
  started.poll('w1', { capacity: 0, started: [0, 1, 2, 3].map((index) => ref(index)) });
  t.is(ofKind(started.tick(started.nowMs + 1_000), 'reply-poll').length, 0);
});

test('L32: only what the victim has released moves, by naming its row, and is acknowledged once that is known', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const released = machine.poll('w1', {
    capacity: 0,
    acknowledgedBatch: batch,
    returns: [{ ...ref(3), reason: 'recalled', delayMs: 0, detail: '' }],
  });
  const { moves } = only(released, 'reassign');
  t.deepEqual(moves, [{ index: 3, row: rowFor('w1'), to: 'w2' }]);
  t.is(ofKind(released, 'hand-back').length, 0);
  const moved = machine.tell({ kind: 'reassigned', moves, verdicts: [{ kind: 'moved', attempt: 2 }] });
  t.deepEqual(only(moved, 'emit', 'reply-poll', 'load').event, { kind: 'items_stolen', from: 'w1', to: 'w2', items: 1 });
  t.deepEqual(okReply(moved, 'emit', 'load').acknowledged, [ref(3)]);
  t.deepEqual(only(moved, 'load', 'emit', 'reply-poll').refs, [ref(3, 2)]);
  t.deepEqual(
    itemAt(machine.state, 3).rows.map(({ row }) => row),
    [rowFor('w2', 2)],
  );
  t.true(itemAt(machine.state, 2).rows[0]?.isStarted, 'what was recalled and not released has started');
});

test('L32: a recall that is not answered leaves the row alone; a new session of the victim ends it', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  recalls(machine);
  t.is(machine.state.workers.get('w2')?.awaited.size, 2);
  machine.poll('w1', { hello: [0, 1, 2, 3].map((index) => ({ ...ref(index), state: 'started' as const })) });
  t.is(machine.state.workers.get('w2')?.awaited.size, 0);
  t.deepEqual(
    [2, 3].map((index) => itemAt(machine.state, index).rows[0]?.recalledFor),
    [null, null],
  );
});

test('a release of what nobody asked for any more goes back uncounted', (t) => {
  const machine = tail(4);
  const commands = machine.poll('w1', { returns: [{ ...ref(1), reason: 'recalled', delayMs: 0, detail: '' }] });
  t.like(only(commands, 'hand-back', 'reply-poll').returns, [{ index: 1, reason: 'recalled' }]);
});

test('L11: the outcome of a recalled row that was started meanwhile is recorded like any other', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const commands = machine.poll('w1', { acknowledgedBatch: batch, outcomes: [outcomeOf(ref(3))] });
  t.is(only(commands, 'record').recordings[0]?.outcome.index, 3);
  machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome: outcomeOf(ref(3)) }], verdicts: ['accepted'] });
  t.is(machine.state.workers.get('w2')?.awaited.size, 0);
});

test('L7: a move that is refused because the thief is not registered any more goes back; what stands there otherwise is taken over', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const returns = [2, 3].map((index) => ({ ...ref(index), reason: 'recalled' as const, delayMs: 0, detail: '' }));
  const moves = ofKind(machine.poll('w1', { acknowledgedBatch: batch, returns }), 'reassign').flatMap((one) => one.moves);
  const found = { index: 2, state: 'running', row: rowFor('w1'), second: null, lastAttempt: 1, faults: RETURNED.faults } as const;
  const verdicts = [{ kind: 'refused', found } as const, { kind: 'refused', found: { index: 3, state: 'done' } } as const];
  const commands = machine.tell({ kind: 'reassigned', moves, verdicts });
  t.like(only(commands, 'hand-back', 'reply-poll').returns, [{ index: 2, reason: 'recalled' }]);
  t.false(machine.state.items.has(3));
});

test('L29: what was released and did not move is acknowledged only when its hand-back is known', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const returns = [{ ...ref(3), reason: 'recalled' as const, delayMs: 0, detail: '' }];
  const { moves } = only(machine.poll('w1', { acknowledgedBatch: batch, returns, capacity: 0 }), 'reassign');
  const refused = machine.tell({ kind: 'reassigned', moves, verdicts: null });
  t.is(ofKind(refused, 'reply-poll').length, 0);
  const returned = machine.tell({ kind: 'handed-back', returns: only(refused, 'hand-back').returns, results: [RETURNED] });
  t.deepEqual(okReply(ofKind(returned, 'reply-poll').slice(0, 1)).acknowledged, [ref(3)]);
});

test('L31: a thief that is gone when the row has moved gives it back at once', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const returns = [{ ...ref(3), reason: 'recalled' as const, delayMs: 0, detail: '' }];
  const { moves } = only(machine.poll('w1', { acknowledgedBatch: batch, returns }), 'reassign');
  machine.tell({ kind: 'worker-exited', worker: 'w2', pid: 7 });
  const commands = machine.tell({ kind: 'reassigned', moves, verdicts: [{ kind: 'moved', attempt: 2 }] });
  t.like(only(commands, 'hand-back', 'emit', 'reply-poll').returns, [{ index: 3, row: rowFor('w2', 2), reason: 'lost' }]);
});

test('a paused run moves nothing: what was released goes back', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const returns = [{ ...ref(3), reason: 'recalled' as const, delayMs: 0, detail: '' }];
  const { moves } = only(machine.poll('w1', { acknowledgedBatch: batch, returns }), 'reassign');
  const commands = machine.tell({ kind: 'reassigned', moves, verdicts: null });
  t.like(only(commands, 'hand-back', 'reply-poll').returns, [{ index: 3, reason: 'recalled' }]);
});

test('rows that the victim was never sent move without asking it', (t) => {
  const machine = twoRunning({
    cursor: 4,
    running: [0, 1, 2, 3].map((index) => ({ index, row: rowFor('w1') })),
    workers: ['w1', 'w2'].map((worker) => ({ worker, bootNonce: 'b1', pid: 7 })),
  });
  machine.supply(4);
  machine.join('w1', { capacity: 0 });
  machine.join('w2', { capacity: 4 });
  const commands = machine.tick(machine.nowMs + 1_000);
  const { moves } = only(commands, 'reassign', 'check-lease');
  t.deepEqual(
    moves.map(({ index, to }) => [index, to]),
    [
      [2, 'w2'],
      [3, 'w2'],
    ],
  );
  t.deepEqual([...(machine.state.workers.get('w1')?.unread ?? [])], [0, 1]);
});

test('what a victim releases in one message moves in one transaction, and is one event', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const returns = [2, 3].map((index) => ({ ...ref(index), reason: 'recalled' as const, delayMs: 0, detail: '' }));
  const { moves } = only(machine.poll('w1', { capacity: 0, acknowledgedBatch: batch, returns }), 'reassign');
  t.deepEqual(
    moves.map(({ index }) => index),
    [2, 3],
  );
  const verdicts = moves.map(() => ({ kind: 'moved' as const, attempt: 2 }));
  const moved = machine.tell({ kind: 'reassigned', moves, verdicts });
  t.deepEqual(only(moved, 'emit', 'reply-poll', 'load').event, { kind: 'items_stolen', from: 'w1', to: 'w2', items: 2 });
});

test('a thief is promised no more while moves to it are under way than it has slots', (t) => {
  const machine = tail(40);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const returns = [36, 37, 38, 39].map((index) => ({ ...ref(index), reason: 'recalled' as const, delayMs: 0, detail: '' }));
  machine.poll('w1', { capacity: 0, acknowledgedBatch: batch, returns });
  t.is(ofKind(machine.tick(machine.nowMs + 1_000), 'reply-poll').length, 0, 'nothing more is asked of the victim');
});

test('a failure of a row that has moved is not counted against its item, and takes nothing from the thief', (t) => {
  const machine = tail(4);
  machine.poll('w1', { capacity: 0 });
  const { batch } = recalls(machine);
  const released = { ...ref(3), reason: 'recalled' as const, delayMs: 0, detail: '' };
  const { moves } = only(machine.poll('w1', { capacity: 0, acknowledgedBatch: batch, returns: [released] }), 'reassign');
  const crossing = machine.poll('w1', { capacity: 0, outcomes: [failureOf(ref(3))] });
  t.is(ofKind(crossing, 'hand-back').length, 0, 'it waits until the fate of the move is known');
  const moved = machine.tell({ kind: 'reassigned', moves, verdicts: [{ kind: 'moved', attempt: 2 }] });
  t.deepEqual(only(moved, 'look', 'emit', 'reply-poll', 'load'), { kind: 'look', worker: 'w1', outcomes: [failureOf(ref(3))] });
  const late = machine.poll('w1', { capacity: 0, outcomes: [failureOf(ref(3))] });
  t.is(only(late, 'look').worker, 'w1');
  machine.tell({ kind: 'looked', worker: 'w1', outcomes: [failureOf(ref(3))], verdicts: ['stale'] });
  t.is(ofKind(machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 }), 'hand-back').flatMap(({ returns }) => returns).length, 3);
  const item = itemAt(machine.state, 3);
  t.deepEqual(
    item.rows.map(({ row }) => row),
    [rowFor('w2', 2)],
  );
  t.is(item.faults.failures, 0);
});

test('C8: nothing moves to a thief that has been told to go meanwhile, and what has just moved to it goes to others', (t) => {
  const hint = { node: null, worker: 'w2', severity: 'drain', untilMs: null, reason: 'spot' } as const;
  const returns = [{ ...ref(3), reason: 'recalled' as const, delayMs: 0, detail: '' }];
  const early = tail(4);
  early.poll('w1', { capacity: 0 });
  const { batch } = recalls(early);
  early.tell({ kind: 'hints', hints: [hint] });
  t.like(only(early.poll('w1', { acknowledgedBatch: batch, returns }), 'hand-back').returns, [{ index: 3, reason: 'recalled' }]);

  const late = tail(4);
  late.poll('w1', { capacity: 0 });
  const { moves } = only(late.poll('w1', { acknowledgedBatch: recalls(late).batch, returns }), 'reassign');
  late.tell({ kind: 'hints', hints: [hint] });
  const moved = late.tell({ kind: 'reassigned', moves, verdicts: [{ kind: 'moved', attempt: 2 }] });
  t.like(only(moved, 'hand-back', 'emit', 'reply-poll').returns, [{ index: 3, row: rowFor('w2', 2), reason: 'lost' }]);
  t.is(ofKind(moved, 'load').length, 0);
});
