import test from 'ava';
import { mustGet } from '../../../../runtime/base/assert.ts';
import type { Command, GrantPick } from '../../../../runtime/coordinator/state/commands.ts';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { heldItem, Machine, ofKind, only, RETURNED, ref, rowFor, twoRunning } from '../../../support/machine.ts';
import { EPOCH } from '../../../support/machine-start.ts';

const running = { state: 'running', second: null, lastAttempt: 1, faults: NO_FAULTS } as const;

test('claims are planned for whoever has room, from the cursor', (t) => {
  const machine = new Machine();
  machine.supply(10);
  const claim = only(machine.join('w1', { capacity: 4 }), 'claim');
  t.deepEqual(claim.grants, [{ worker: 'w1', picks: [{ cursor: 0, count: 4 }] }]);
});

test('one round of claims at a time: the next waits for the answers', (t) => {
  const machine = new Machine();
  machine.supply(10);
  const first = machine.join('w1', { capacity: 4 });
  t.is(ofKind(machine.join('w2', { capacity: 4 }), 'claim').length, 0);
  const next = only(machine.grantAll(first), 'claim', 'load');
  t.deepEqual(next.grants, [{ worker: 'w2', picks: [{ cursor: 4, count: 4 }] }]);
});

test('a tail shorter than the room is shared out, so that no worker takes it alone', (t) => {
  const machine = new Machine();
  for (const id of ['w1', 'w2', 'w3']) machine.join(id, { capacity: 64 });
  machine.tell({ kind: 'indexed', count: 9, items: 9 });
  const claim = only(machine.tell({ kind: 'surveyed', upTo: 9, invalid: [] }), 'claim');
  t.deepEqual(
    claim.grants.map(({ worker, picks }) => [worker, picks]),
    [
      ['w1', [{ cursor: 0, count: 3 }]],
      ['w2', [{ cursor: 3, count: 3 }]],
      ['w3', [{ cursor: 6, count: 3 }]],
    ],
  );
});

test('handed-back items are claimed before fresh ones, under their last attempt', (t) => {
  const machine = new Machine({ cursor: 5, handedBack: [{ index: 3, row: rowFor('w9', 2) }] });
  machine.supply(8);
  const claim = only(machine.join('w1', { capacity: 2 }), 'claim');
  t.deepEqual(claim.grants, [
    { worker: 'w1', picks: [{ index: 3, lastAttempt: 2 }] },
    { worker: 'w1', picks: [{ cursor: 5, count: 1 }] },
  ]);
});

test('an item whose time has not come is not claimed', (t) => {
  const machine = new Machine({ nowMs: 0, cursor: 1, handedBack: [{ index: 0, row: rowFor('w9'), delayMs: 600 }] });
  machine.supply(1);
  t.is(ofKind(machine.join('w1'), 'claim').length, 0);
  t.is(ofKind(machine.tick(500), 'claim').length, 0);
  t.deepEqual(only(machine.tick(750), 'claim', 'emit').grants, [{ worker: 'w1', picks: [{ index: 0, lastAttempt: 1 }] }]);
});

test("invalid items are the coordinator's own, and cut the ranges of the others", (t) => {
  const machine = new Machine();
  machine.join('w1', { capacity: 9 });
  machine.tell({ kind: 'indexed', count: 6, items: 6 });
  const commands = machine.tell({ kind: 'surveyed', upTo: 6, invalid: [0, 3, 4] });
  t.deepEqual(only(commands, 'claim').grants, [
    { worker: 'coordinator', picks: [{ cursor: 0, count: 1 }] },
    { worker: 'w1', picks: [{ cursor: 1, count: 2 }] },
    { worker: 'coordinator', picks: [{ cursor: 3, count: 2 }] },
    { worker: 'w1', picks: [{ cursor: 5, count: 1 }] },
  ]);
  const claimed = machine.grantAll(commands);
  t.deepEqual(
    ofKind(claimed, 'reject').map(({ refs }) => refs.map(({ index }) => index)),
    [[0], [3, 4]],
  );
  t.deepEqual(
    ofKind(claimed, 'load').map(({ refs }) => refs.map(({ index }) => index)),
    [[1, 2, 5]],
  );
});

test('an input of nothing but bad lines needs no worker, and is taken in bounded parts', (t) => {
  const machine = new Machine();
  const invalid = Array.from({ length: 2_000 }, (_, at) => at);
  const commands = machine.supply(2_000, invalid);
  t.deepEqual(only(commands, 'claim').grants, [{ worker: 'coordinator', picks: [{ cursor: 0, count: 512 }] }]);
  t.is(ofKind(machine.grantAll(commands), 'claim').length, 0, 'the rest waits until these are recorded');
});

test('L8: rows found where a claim was refused are taken over and delivered to the worker named in them', (t) => {
  const machine = new Machine();
  machine.supply(4);
  machine.join('w1', { capacity: 2 });
  const found = [0, 1].map((index) => ({ ...running, index, row: rowFor('w1') }));
  const commands = machine.tell({ kind: 'claimed', results: [{ kind: 'claimed', granted: [], found, cursor: 2 }] });
  t.deepEqual(only(commands, 'load'), { kind: 'load', worker: 'w1', refs: [ref(0), ref(1)] });
  t.is(machine.state.cursor, 2);
});

test('L31: rows claimed for a worker that was failed meanwhile are handed back at once', (t) => {
  const machine = new Machine();
  machine.supply(4);
  const claim = machine.join('w1', { capacity: 2, pid: 7 });
  machine.tell({ kind: 'worker-exited', worker: 'w1', pid: 7 });
  const commands = machine.grantAll(claim);
  t.deepEqual(
    only(commands, 'hand-back').returns.map(({ index, row, reason }) => [index, row.claimEpoch, reason]),
    [
      [0, EPOCH, 'lost'],
      [1, EPOCH, 'lost'],
    ],
  );
  t.is(ofKind(commands, 'load').length, 0);
});

test('a claim that the ledger refuses because the run is paused leaves its picks where they were', (t) => {
  const machine = new Machine({ cursor: 1, handedBack: [{ index: 0, row: rowFor('w9') }] });
  machine.supply(1);
  machine.join('w1');
  machine.tell({ kind: 'claimed', results: [{ kind: 'gone' }] });
  t.is(machine.state.items.get(0)?.lock === 'claiming' || machine.state.ready.includes(0), true);
});

test('more of the input is asked for before the known part runs out, and only once at a time', (t) => {
  const machine = new Machine();
  t.deepEqual(only(machine.started, 'survey'), { kind: 'survey', from: 0 });
  t.is(ofKind(machine.tell({ kind: 'indexed', count: 50_000, items: null }), 'survey').length, 0);
  const commands = machine.tell({ kind: 'surveyed', upTo: 16_384, invalid: [] });
  t.is(ofKind(commands, 'survey').length, 0, 'enough is known');
});

test('invalid items whose claim was found, not granted, count as taken until they are recorded', (t) => {
  const machine = new Machine();
  const claim = only(machine.supply(2, [0, 1]), 'claim');
  t.is(claim.grants[0]?.worker, 'coordinator');
  const row = { worker: 'coordinator', attempt: 1, claimEpoch: EPOCH };
  const found = [0, 1].map((index) => ({ ...running, index, row }));
  machine.tell({ kind: 'claimed', results: [{ kind: 'claimed', granted: [], found, cursor: 2 }] });
  t.is(machine.state.rejected, 2);
});

/** What is asked for when w2 comes, after item 0 was begun by w1 and item 1 was not, and both have gone back. */
function picksAfter(machine: Machine, gone: readonly Command[]): readonly GrantPick[] {
  const returns = ofKind(gone, 'hand-back').flatMap((one) => one.returns);
  machine.tell({ kind: 'handed-back', returns, results: returns.map(() => RETURNED) });
  const commands = machine.join('w2', { capacity: 2 });
  const { picks } = mustGet(only(commands, 'claim').grants[0], 'a grant');
  machine.grantAll(commands);
  return picks;
}

const begunAndQueued = (): Machine => {
  const machine = twoRunning({ redone: 5 });
  machine.join('w1', { held: [heldItem(0), heldItem(1, 'queued')], capacity: 0 });
  return machine;
};

test('an item that a lost worker had begun is counted as redone when it is handed out again, and one that it had not begun is not', (t) => {
  const machine = begunAndQueued();
  let gone: readonly Command[] = [];
  for (let nowMs = 1_250; gone.length === 0; nowMs += 250) gone = ofKind(machine.tick(nowMs), 'hand-back');
  t.is(machine.state.redone, 5);
  t.deepEqual(picksAfter(machine, gone), [
    { index: 0, lastAttempt: 1, isRedone: true },
    { index: 1, lastAttempt: 1 },
  ]);
  t.is(machine.state.redone, 6);
});

test('what a drain has cut off is redone; what the endpoint has refused was not executed', (t) => {
  for (const [reason, isRedone] of [
    ['drained', true],
    ['unavailable', false],
    ['throttled', false],
  ] as const) {
    const machine = begunAndQueued();
    const returns = [0, 1].map((index) => ({ ...ref(index), reason, delayMs: 0, detail: '' }));
    const picks = picksAfter(machine, machine.poll('w1', { returns, capacity: 0 }));
    t.deepEqual(
      picks.map((pick) => 'isRedone' in pick),
      [isRedone, false],
      reason,
    );
    t.is(machine.state.redone, isRedone ? 6 : 5, reason);
  }
});
