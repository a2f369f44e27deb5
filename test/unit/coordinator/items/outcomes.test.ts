import test from 'ava';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import {
  failureOf,
  heldItem,
  kinds,
  Machine,
  ofKind,
  okReply,
  only,
  outcomeOf,
  RETURNED,
  ref,
  rowFor,
  twoRunning,
} from '../../../support/machine.ts';

function session(machine: Machine = twoRunning()): Machine {
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  return machine;
}

test('L19: an outcome whose row stands goes to the log, and is acknowledged only after the ledger accepted it', (t) => {
  const machine = session();
  const outcome = outcomeOf(ref(0));
  const commands = machine.poll('w1', { outcomes: [outcome] });
  t.deepEqual(only(commands, 'record', 'reply-poll').recordings, [{ worker: 'w1', outcome }]);
  t.deepEqual(okReply(commands, 'record').acknowledged, [], 'only the older poll is answered, with nothing');
  const recorded = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
  t.deepEqual(okReply(recorded).acknowledged, [ref(0)]);
  t.is(machine.state.done, 1);
  t.false(machine.state.items.has(0));
});

test('L19: the same outcome sent again while it is being recorded goes nowhere', (t) => {
  const machine = session();
  machine.poll('w1', { outcomes: [outcomeOf(ref(0))] });
  t.deepEqual(kinds(machine.poll('w1', { outcomes: [outcomeOf(ref(0))] })), ['reply-poll']);
});

test('L29: an outcome whose row the mirror does not know is asked of the ledger, and only its word is passed on', (t) => {
  const machine = session();
  const old = outcomeOf(ref(0, 2, 2));
  const look = only(
    machine
      .poll('w1', { outcomes: [old, outcomeOf(ref(9))] })
      .filter(({ kind }) => kind !== 'reply-poll')
      .slice(0, 1),
    'look',
  );
  t.deepEqual(look.outcomes, [old]);
  t.deepEqual(okReply(machine.tell({ kind: 'looked', worker: 'w1', outcomes: [old], verdicts: ['stale'] })).stale, [ref(0, 2, 2)]);
  machine.poll('w1');
  const known = machine.tell({ kind: 'looked', worker: 'w1', outcomes: [outcomeOf(ref(9))], verdicts: ['recorded'] });
  t.deepEqual(okReply(known).acknowledged, [ref(9)]);
});

test('L15: an outcome for a row that was handed back last is still recorded, and the item is not claimed meanwhile', (t) => {
  const machine = new Machine({
    cursor: 1,
    handedBack: [{ index: 0, row: rowFor('w1') }],
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
  });
  machine.supply(1);
  const commands = machine.poll('w1', { hello: [heldItem(0, 'finished')], outcomes: [outcomeOf(ref(0))], capacity: 0 });
  t.is(ofKind(commands, 'record').length, 1);
  t.is(ofKind(machine.poll('w1', { capacity: 4 }), 'claim').length, 0);
});

test('a failure that counts goes back with its delay, and is acknowledged when the ledger has counted it', (t) => {
  const machine = session();
  const commands = machine.poll('w1', { outcomes: [failureOf(ref(0), { delayMs: 700 })] });
  const { returns } = only(commands, 'hand-back', 'reply-poll');
  t.like(returns[0], { index: 0, row: rowFor('w1'), restores: 0, reason: 'failed', delayMs: 700 });
  const known = machine.tell({
    kind: 'handed-back',
    returns,
    results: [{ ...RETURNED, faults: { ...NO_FAULTS, failures: 1, delayMs: 700 } }],
  });
  t.deepEqual(okReply(known).acknowledged, [ref(0)]);
  t.is(machine.state.items.get(0)?.dueAtMs, machine.nowMs + 700);
});

test('the last failure that is allowed is the record', (t) => {
  const machine = session(twoRunning({ running: [{ index: 0, row: rowFor('w1'), failures: 4 }], cursor: 1 }));
  const outcome = failureOf(ref(0));
  t.is(ofKind(machine.poll('w1', { outcomes: [outcome] }), 'record').length, 1);
  const recorded = machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['accepted'] });
  t.like(only(recorded, 'emit'), { event: { kind: 'item_failed', index: 0, attempt: 1, code: 'http_500' } });
  t.is(machine.state.failed, 1);
});

test('a failure sent again after it was counted is acknowledged, not counted or recorded again', (t) => {
  const machine = new Machine({
    cursor: 1,
    handedBack: [{ index: 0, row: rowFor('w1'), failures: 4, delayMs: 9_000 }],
    workers: [{ worker: 'w1', bootNonce: 'b1', pid: 7 }],
  });
  machine.supply(1);
  const commands = machine.poll('w1', { hello: [heldItem(0, 'finished')], outcomes: [failureOf(ref(0))] });
  t.deepEqual(kinds(commands), ['reply-poll']);
  t.deepEqual(okReply(commands).acknowledged, [ref(0)]);
});

test('what arrives while a row is being handed back waits, and is judged when the fate of that is known', (t) => {
  const machine = session();
  machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
  machine.join('w1', { boot: 'b2', pid: 8, held: [heldItem(0, 'finished')], capacity: 0 });
  t.is(ofKind(machine.poll('w1', { boot: 'b2', outcomes: [outcomeOf(ref(0))] }), 'record').length, 0);
  const returns = [0, 1].map((index) => ({ index, row: rowFor('w1'), restores: 0, reason: 'suspected' as const, delayMs: 0 }));
  const results = returns.map(() => RETURNED);
  t.is(ofKind(machine.tell({ kind: 'handed-back', returns, results }), 'record').length, 1);
});

test('rows taken from a worker are not acknowledged to it: it may still hold their outcomes', (t) => {
  const machine = session();
  machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
  machine.join('w1', { boot: 'b2', pid: 8, capacity: 0 });
  const returns = [{ index: 0, row: rowFor('w1'), restores: 0, reason: 'suspected' as const, delayMs: 0 }];
  const known = machine.tell({ kind: 'handed-back', returns, results: [RETURNED] });
  t.is(ofKind(known, 'reply-poll').length, 0);
});

test('returned items go back uncounted with their reason and delay', (t) => {
  const machine = session();
  const commands = machine.poll('w1', {
    returns: [
      { ...ref(0), reason: 'throttled', delayMs: 3_000, detail: '' },
      { ...ref(1), reason: 'drained', delayMs: 0, detail: '' },
    ],
  });
  t.deepEqual(
    ofKind(commands, 'hand-back').flatMap(({ returns }) => returns.map(({ index, reason, delayMs }) => [index, reason, delayMs])),
    [
      [0, 'throttled', 3_000],
      [1, 'drained', 0],
    ],
  );
});

test('a return of a row that is not there any more is only acknowledged', (t) => {
  const machine = session();
  const commands = machine.poll('w1', { returns: [{ ...ref(7), reason: 'drained', delayMs: 0, detail: '' }] });
  t.is(ofKind(commands, 'hand-back').length, 0);
  t.deepEqual(ofKind(commands, 'reply-poll').at(-1)?.reply, {
    status: 'ok',
    epoch: 3,
    order: 'work',
    drainMs: 0,
    reason: '',
    batch: 0,
    assignments: [],
    revoked: [],
    recalled: [],
    acknowledged: [ref(7)],
    stale: [],
  });
});

test('a settle that the ledger calls stale after the mirror allowed it is a broken promise, not a case', (t) => {
  const machine = session();
  const outcome = outcomeOf(ref(0));
  machine.poll('w1', { outcomes: [outcome] });
  t.throws(() => machine.tell({ kind: 'recorded', recordings: [{ worker: 'w1', outcome }], verdicts: ['stale'] }), {
    message: /differ on item 0/,
  });
});

test('L15: items that an earlier coordinator had claimed for itself are recorded by this one', (t) => {
  const machine = new Machine({ cursor: 1, running: [{ index: 0, row: rowFor('coordinator', 1, 2) }] });
  t.deepEqual(only(machine.started, 'reject', 'survey').refs, [ref(0, 1, 2)]);
  const commands = machine.tell({
    kind: 'rejected',
    outcomes: [outcomeOf(ref(0, 1, 2), { kind: 'error', httpStatus: 0, code: 'invalid_json' })],
  });
  t.like(only(commands, 'record').recordings[0], { worker: 'coordinator' });
});

test('a return of a row that is being taken from its worker is acknowledged once that is known', (t) => {
  const machine = twoRunning();
  machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  const taken = only(machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 }), 'hand-back', 'reply-poll', 'emit', 'forget');
  machine.join('w1', { held: [heldItem(0, 'queued')] });
  machine.poll('w1', { acknowledgedBatch: 1, returns: [{ ...ref(0), reason: 'drained', delayMs: 0, detail: '' }] });
  const results = taken.returns.map(() => RETURNED);
  const commands = machine.tell({ kind: 'handed-back', returns: taken.returns, results });
  t.deepEqual(okReply(commands).acknowledged, [ref(0)], 'what was only taken is not');
});
