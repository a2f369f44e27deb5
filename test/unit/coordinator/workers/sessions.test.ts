import test from 'ava';
import { itemAt, noteBoot } from '../../../../runtime/coordinator/state/items.ts';
import { ownWorkers } from '../../../../runtime/coordinator/state/workers.ts';
import { heldItem, kinds, Machine, ofKind, okReply, only, outcomeOf, ref, rowFor, twoRunning } from '../../../support/machine.ts';
import { EPOCH } from '../../../support/machine-start.ts';

test('a poll of a worker that has not registered is answered at the next tick, not at once', (t) => {
  const machine = new Machine();
  t.deepEqual(kinds(machine.poll('w1', { hello: [] })), []);
  t.like(only(machine.tick(1_250), 'reply-poll'), { reply: { status: 'hello-needed', epoch: 3 } });
});

test('L26: a session that the coordinator does not know is asked for its hello', (t) => {
  const machine = twoRunning();
  t.like(only(machine.poll('w1', { session: 4 }), 'reply-poll'), { reply: { status: 'hello-needed' } });
});

test('L26: a hello that was said before this term, and arrives late, is answered with its epoch and tells nothing of what is held', (t) => {
  const machine = twoRunning();
  const commands = machine.poll('w1', { hello: [], highestEpoch: EPOCH - 1 });
  t.deepEqual(kinds(commands), ['reply-poll']);
  t.deepEqual(only(commands, 'reply-poll').reply, { status: 'hello-needed', epoch: EPOCH });
  machine.poll('w1', { hello: [heldItem(0, 'started'), heldItem(1)] });
  t.true([...ownWorkers(machine.state).values()].every((worker) => worker.items.size === 2 && worker.unread.size === 0));
});

test('L27: a row that the same boot does not hold is sent again under the same attempt', (t) => {
  const machine = twoRunning();
  const commands = machine.poll('w1', { hello: [heldItem(0)] });
  t.deepEqual(only(commands, 'load'), { kind: 'load', worker: 'w1', refs: [ref(1)] });
  const reply = okReply(machine.load(commands));
  t.is(reply.batch, 1);
  t.deepEqual(
    reply.assignments.map(({ index, attempt, claimEpoch }) => [index, attempt, claimEpoch]),
    [[1, 1, 3]],
  );
});

test('L27: a row that another boot held and this one does not is handed back', (t) => {
  const machine = twoRunning();
  machine.beat('w1', { boot: 'b2', pid: 8 });
  machine.tell({ kind: 'registered', worker: 'w1', bootNonce: 'b2' });
  const commands = machine.poll('w1', { boot: 'b2', hello: [] });
  t.deepEqual(
    only(commands, 'hand-back').returns.map(({ index, reason }) => [index, reason]),
    [
      [0, 'suspected'],
      [1, 'suspected'],
    ],
  );
  t.is(ofKind(commands, 'load').length, 0);
});

test('L27: a row that is not held goes back uncounted where nobody knows for which boot it was claimed', (t) => {
  const machine = twoRunning();
  for (const index of [0, 1]) for (const live of itemAt(machine.state, index).rows) noteBoot(live, '');
  const commands = machine.poll('w1', { hello: [heldItem(0)] });
  t.like(only(commands, 'hand-back').returns, [{ index: 1, reason: 'lost' }]);
  t.is(ofKind(commands, 'load').length, 0);
});

test('L27: what is held unfinished without its row is revoked; what is finished is judged', (t) => {
  const machine = twoRunning();
  const commands = machine.poll('w1', { hello: [heldItem(0), heldItem(1), heldItem(5), heldItem(6, 'finished')] });
  t.deepEqual(okReply(commands).revoked, [ref(5)]);
});

test('L28: a row with a hand-back under way is neither sent again nor left with the worker', (t) => {
  const machine = twoRunning();
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  machine.poll('w1', { returns: [{ ...ref(0), reason: 'unavailable', delayMs: 0, detail: '' }] });
  const commands = machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  t.is(ofKind(commands, 'load').length, 0);
  t.deepEqual(
    ofKind(commands, 'reply-poll').flatMap(({ reply }) => (reply.status === 'ok' ? reply.revoked : [])),
    [ref(0)],
  );
});

test('an older attempt of an item whose newer one is the row does not count as held', (t) => {
  const machine = twoRunning({ running: [{ index: 0, row: rowFor('w1', 2) }], cursor: 1 });
  const commands = machine.poll('w1', { hello: [heldItem(0, 'started', 1)] });
  t.deepEqual(only(commands, 'load', 'reply-poll').refs, [ref(0, 2)]);
  t.deepEqual(okReply(commands, 'load').revoked, [ref(0, 1)]);
});

test('L27: a batch that is not acknowledged is sent again, unless it may still be on its way', (t) => {
  const machine = new Machine();
  machine.supply(2);
  const loaded = machine.load(machine.grantAll(machine.join('w1', { capacity: 2 })));
  t.is(okReply(loaded).batch, 1);
  t.is(ofKind(machine.poll('w1', { capacity: 0, isAwaiting: true }), 'reply-poll').length, 0);
  const again = ofKind(machine.poll('w1', { capacity: 0 }), 'reply-poll').at(-1);
  t.like(again, { reply: { status: 'ok', batch: 1 } });
  t.is(again?.reply.status === 'ok' ? again.reply.assignments.length : -1, 2);
  const acknowledged = machine.poll('w1', { acknowledgedBatch: 1 });
  t.is(ofKind(acknowledged, 'reply-poll').length, 0, 'nothing more to say');
});

test('a newer poll makes the coordinator answer the older one empty', (t) => {
  const machine = twoRunning();
  const first = machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  t.is(ofKind(first, 'reply-poll').length, 0);
  const commands = machine.poll('w1');
  t.like(only(commands, 'reply-poll'), { reply: { status: 'ok', batch: 0, order: 'work' } });
});

test('an older poll that arrives late is answered empty, and its outcomes are taken all the same', (t) => {
  const machine = twoRunning();
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  machine.poll('w1', { poll: 9 });
  const commands = machine.poll('w1', { poll: 5, outcomes: [outcomeOf(ref(0))] });
  t.deepEqual(kinds(commands), ['record', 'reply-poll']);
});

test('a poll that waits is answered when its time is over', (t) => {
  const machine = twoRunning({ nowMs: 0 });
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)], waitMs: 600 });
  machine.beat('w1');
  t.is(ofKind(machine.tick(500), 'reply-poll').length, 0);
  t.is(okReply(machine.tick(750), 'emit').batch, 0);
});

test('a caller that hung up is not answered, and what it did not get goes to the next poll', (t) => {
  const machine = new Machine();
  machine.supply(1);
  const joined = machine.join('w1', { capacity: 1 });
  const waiting = machine.state.workers.get('w1')?.channel;
  machine.tell({ kind: 'hung-up', worker: 'w1', token: waiting?.token ?? -1 });
  t.is(ofKind(machine.load(machine.grantAll(joined)), 'reply-poll').length, 0);
  t.is(okReply(machine.poll('w1', { capacity: 1 })).assignments.length, 1);
});

test('room that was promised already is not given twice', (t) => {
  const machine = new Machine();
  machine.supply(10);
  const loaded = machine.load(machine.grantAll(machine.join('w1', { capacity: 4 })));
  t.is(okReply(loaded).assignments.length, 4);
  t.is(ofKind(machine.poll('w1', { capacity: 4, isAwaiting: true }), 'claim').length, 0, 'the batch is not acknowledged yet');
  t.deepEqual(only(machine.poll('w1', { capacity: 1, acknowledgedBatch: 1 }), 'claim', 'reply-poll').grants, [
    { worker: 'w1', picks: [{ cursor: 4, count: 1 }] },
  ]);
});
