import test from 'ava';
import type { Command } from '../../../../runtime/coordinator/state/commands.ts';
import { itemAt } from '../../../../runtime/coordinator/state/items.ts';
import {
  failureOf,
  heldItem,
  type Machine,
  ofKind,
  okReply,
  only,
  outcomeOf,
  RETURNED,
  ref,
  rowFor,
  twoRunning,
} from '../../../support/machine.ts';

const ROWS = [0, 1].map((index) => ({ index, row: rowFor('w1'), restores: 0 }));
const RESTORED = { kind: 'restored' } as const;

/** Worker w1 has started items 0 and 1 and was failed for its silence; its rows are on their way back. */
function silent(isReturned = true, attempt = 1): Machine {
  const machine = twoRunning({ running: [0, 1].map((index) => ({ index, row: rowFor('w1', attempt) })) });
  machine.join('w1', { held: [heldItem(0, 'started', attempt), heldItem(1, 'started', attempt)] });
  let failed: readonly Command[] = [];
  for (let nowMs = 1_250; failed.length === 0; nowMs += 250) failed = ofKind(machine.tick(nowMs), 'hand-back');
  const { returns } = only(failed, 'hand-back');
  if (isReturned) machine.tell({ kind: 'handed-back', returns, results: returns.map(() => ({ ...RETURNED, lastAttempt: attempt })) });
  return machine;
}

test('L44: a worker that comes back keeps what it has started and nobody has claimed since: nothing is revoked', (t) => {
  const machine = silent();
  const commands = machine.join('w1', { held: [heldItem(0), heldItem(1)], capacity: 2 });
  t.deepEqual(only(commands, 'restore'), { kind: 'restore', worker: 'w1', rows: ROWS });
  t.is(ofKind(commands, 'claim').length, 0, 'nobody is given them meanwhile');
  const restored = machine.tell({ kind: 'restored', worker: 'w1', rows: ROWS, verdicts: [RESTORED, RESTORED] });
  t.deepEqual(restored, [], 'nothing is told, sent or claimed');
  t.true(itemAt(machine.state, 0).rows[0]?.isStarted, 'it is never stolen (L32)');
  const outcome = outcomeOf(ref(0));
  t.like(only(machine.poll('w1', { outcomes: [outcome] }), 'record', 'reply-poll'), { recordings: [{ worker: 'w1', outcome }] });
  const failed = machine.poll('w1', { outcomes: [failureOf(ref(1))] });
  t.like(only(failed, 'hand-back', 'reply-poll'), { returns: [{ index: 1, reason: 'failed' }] }, 'a failure counts as any other');
});

test('L44: what was only queued is revoked, and what another worker has claimed too', (t) => {
  const machine = silent();
  machine.grantAll(machine.join('w2', { capacity: 1 }));
  const commands = machine.join('w1', { held: [heldItem(0), heldItem(1, 'queued')] });
  t.is(ofKind(commands, 'restore').length, 0);
  t.deepEqual(okReply(commands, 'claim').revoked, [ref(0), ref(1)]);
});

test('L27, L44: an earlier attempt, of whose return the worker has not heard, is revoked beside the one that is restored', (t) => {
  for (const isReturned of [true, false]) {
    const machine = silent(isReturned, 2);
    const commands = machine.join('w1', { held: [heldItem(0, 'queued', 1), heldItem(0, 'started', 2), heldItem(1, 'started', 2)] });
    t.deepEqual(
      ofKind(commands, 'reply-poll').flatMap(({ reply }) => (reply.status === 'ok' ? reply.revoked : [])),
      [ref(0, 1)],
    );
  }
});

test('L44: a hello that comes while the hand-back is under way gets the rows back once that is known', (t) => {
  const machine = silent(false);
  const commands = machine.join('w1', { held: [heldItem(0), heldItem(1)] });
  t.deepEqual(ofKind(commands, 'restore'), []);
  t.deepEqual(ofKind(commands, 'reply-poll'), [], 'nothing is revoked');
  const returns = ROWS.map((row) => ({ ...row, reason: 'lost' as const, delayMs: 0 }));
  const returned = machine.tell({ kind: 'handed-back', returns, results: returns.map(() => RETURNED) });
  t.deepEqual(
    ofKind(returned, 'restore').flatMap(({ rows }) => rows),
    ROWS,
  );
});

test('L44: an outcome that comes while its row is being restored is recorded afterwards', (t) => {
  const machine = silent();
  machine.join('w1', { held: [heldItem(0), heldItem(1)] });
  const outcome = outcomeOf(ref(0));
  t.is(ofKind(machine.poll('w1', { outcomes: [outcome] }), 'record').length, 0);
  const restored = machine.tell({ kind: 'restored', worker: 'w1', rows: ROWS, verdicts: [RESTORED, RESTORED] });
  t.like(only(restored, 'record'), { recordings: [{ worker: 'w1', outcome }] });
});

test('L29, L44: an item that is returned while its row is being restored goes back, and is acknowledged, only afterwards', (t) => {
  const machine = silent();
  machine.join('w1', { held: [heldItem(0), heldItem(1)] });
  const returns = [{ ...ref(0), reason: 'throttled' as const, delayMs: 50, detail: '' }];
  const returned = machine.poll('w1', { returns });
  t.deepEqual(ofKind(returned, 'hand-back'), []);
  t.deepEqual(okReply(returned).acknowledged, []);
  const restored = machine.tell({ kind: 'restored', worker: 'w1', rows: ROWS, verdicts: [RESTORED, RESTORED] });
  t.like(only(restored, 'hand-back'), { returns: [{ index: 0, row: rowFor('w1'), restores: 1, reason: 'throttled', delayMs: 50 }] });
});

test('L44: an item that is returned while it is being handed back is not restored', (t) => {
  const machine = silent(false);
  machine.join('w1', { held: [heldItem(0), heldItem(1)] });
  machine.poll('w1', { returns: [{ ...ref(0), reason: 'drained', delayMs: 0, detail: '' }] });
  const returns = ROWS.map((row) => ({ ...row, reason: 'lost' as const, delayMs: 0 }));
  const returned = machine.tell({ kind: 'handed-back', returns, results: returns.map(() => RETURNED) });
  t.deepEqual(
    ofKind(returned, 'restore').flatMap(({ rows }) => rows),
    ROWS.slice(1),
  );
});

test('L38, L44: what is asked of a restored row tells that it was restored, also a second time', (t) => {
  const machine = silent();
  machine.join('w1', { held: [heldItem(0), heldItem(1)] });
  machine.tell({ kind: 'restored', worker: 'w1', rows: ROWS, verdicts: [RESTORED, RESTORED] });
  const returned = machine.poll('w1', { returns: [{ ...ref(0), reason: 'throttled', delayMs: 0, detail: '' }] });
  t.like(ofKind(returned, 'hand-back'), [{ returns: [{ index: 0, restores: 1 }] }]);
});

test('L44: where the ledger refuses, the worker is told to stop', (t) => {
  const machine = silent();
  machine.join('w1', { held: [heldItem(0), heldItem(1)] });
  const found = { index: 0, state: 'done' } as const;
  const refused = machine.tell({ kind: 'restored', worker: 'w1', rows: ROWS, verdicts: [{ kind: 'refused', found }, RESTORED] });
  t.deepEqual(okReply(refused).revoked, [ref(0)]);
});

test('L31, L44: rows that are restored for a worker that has gone again, or does not name them any more, are handed back', (t) => {
  for (const hello of [null, []]) {
    const machine = silent();
    machine.join('w1', { held: [heldItem(0), heldItem(1)] });
    if (hello === null) machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
    else machine.poll('w1', { hello });
    const restored = machine.tell({ kind: 'restored', worker: 'w1', rows: ROWS, verdicts: [RESTORED, RESTORED] });
    t.deepEqual(
      ofKind(restored, 'hand-back').flatMap(({ returns }) => returns.map(({ index, reason }) => [index, reason])),
      [
        [0, 'lost'],
        [1, 'lost'],
      ],
    );
  }
});

test('L44: a second hello that still names them does not stop what is being restored', (t) => {
  const machine = silent();
  machine.join('w1', { held: [heldItem(0), heldItem(1)] });
  const commands = machine.poll('w1', { hello: [heldItem(0), heldItem(1)] });
  t.deepEqual(ofKind(commands, 'restore'), []);
  t.deepEqual(
    ofKind(commands, 'reply-poll').flatMap(({ reply }) => (reply.status === 'ok' ? reply.revoked : [])),
    [],
  );
  const restored = machine.tell({ kind: 'restored', worker: 'w1', rows: ROWS, verdicts: [RESTORED, RESTORED] });
  t.is(ofKind(restored, 'hand-back').length, 0);
});
