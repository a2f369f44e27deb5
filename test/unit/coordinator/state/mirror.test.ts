import test from 'ava';
import { takeCommands } from '../../../../runtime/coordinator/state/commands.ts';
import { refOf } from '../../../../runtime/coordinator/state/item.ts';
import { dropItem, itemAt, lockItem } from '../../../../runtime/coordinator/state/items.ts';
import { stateFrom } from '../../../../runtime/coordinator/state/mirror.ts';
import { addHandedBack } from '../../../../runtime/coordinator/state/queues.ts';
import type { State } from '../../../../runtime/coordinator/state/state.ts';
import { sendItem } from '../../../../runtime/coordinator/state/workers.ts';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { COORDINATOR_WORKER } from '../../../../runtime/model/row.ts';
import { rowFor } from '../../../support/machine.ts';
import { EPOCH, SETTINGS, type Start, scanOf } from '../../../support/machine-start.ts';

const NOW_MS = 10_000;
const mirrorOf = (start: Start = {}): State => stateFrom(SETTINGS, EPOCH, scanOf(start), NOW_MS);

test('L24: the mirror is what the scan says, and commands nothing by itself', (t) => {
  const state = mirrorOf({ cursor: 9, running: [{ index: 2, row: rowFor('w1') }], handedBack: [{ index: 4, row: rowFor('w2', 3) }] });
  t.is(state.cursor, 9);
  t.deepEqual(
    [...state.items.copies()].map(([index]) => index).toSorted((a, b) => a - b),
    [2, 4],
  );
  t.deepEqual([itemAt(state, 2).rows.length, itemAt(state, 4).rows.length], [1, 0]);
  t.deepEqual(state.ready, [4]);
  t.deepEqual(takeCommands(state), []);
});

test('L25: an owner of a row that no registry names is due one heartbeat after this boot', (t) => {
  const state = mirrorOf({ running: [{ index: 0, row: rowFor('nobody') }] });
  const owner = state.workers.get('nobody');
  t.like(owner, { dueAtMs: NOW_MS + SETTINGS.heartbeatIntervalMs, isRegistered: false, bootNonce: '' });
  t.deepEqual([...(owner?.items ?? [])], [0]);
});

test('a row of the coordinator itself makes no worker', (t) => {
  const state = mirrorOf({ running: [{ index: 0, row: rowFor(COORDINATOR_WORKER) }] });
  t.deepEqual([...state.workers.keys()], []);
  t.is(itemAt(state, 0).rows[0]?.row.worker, COORDINATOR_WORKER);
});

test('of the rows taken over, those with a history have an object, and those of the coordinator itself', (t) => {
  const running = [
    { index: 0, row: rowFor('w1') },
    { index: 1, row: rowFor('w1', 2), failures: 1 },
    { index: 2, row: rowFor('w1'), second: rowFor('w2', 2), lastAttempt: 2 },
    { index: 3, row: rowFor(COORDINATOR_WORKER) },
    { index: 4, row: rowFor('w1'), lastAttempt: 2 },
  ];
  const { items } = mirrorOf({ running });
  t.deepEqual([...items.fresh.indexes()], [0]);
  t.deepEqual(
    [...items.withHistory()].map(({ index }) => index),
    [1, 2, 3, 4],
  );
});

test('a row taken over belongs to the boot that the registry names', (t) => {
  const state = mirrorOf({ running: [{ index: 5, row: rowFor('w1') }], workers: [{ worker: 'w1', bootNonce: 'b7', pid: 7 }] });
  t.is(itemAt(state, 5).rows[0]?.bootNonce, 'b7');
});

test('L27: of a row taken over nobody knows the boot, where the worker has registered more than once', (t) => {
  const scan = scanOf({ running: [{ index: 0, row: rowFor('w1') }], workers: [{ worker: 'w1', bootNonce: 'b8', pid: 8 }] });
  const workers = scan.workers.map(({ worker, info }) => ({ worker, info: { ...info, hasOlderRows: true as const } }));
  const state = stateFrom(SETTINGS, EPOCH, { ...scan, workers }, NOW_MS);
  t.is(itemAt(state, 0).rows[0]?.bootNonce, '');
});

test('an item with a delay is not ready before its time', (t) => {
  const state = mirrorOf();
  addHandedBack(state, { index: 3, row: rowFor('w1'), lastAttempt: 1, faults: { ...NO_FAULTS, failures: 1, delayMs: 500 } });
  t.deepEqual([state.ready, state.delayed], [[], [3]]);
  t.is(itemAt(state, 3).dueAtMs, NOW_MS + 500);
});

test('a dropped item leaves nothing with its worker', (t) => {
  const state = mirrorOf({ running: [{ index: 0, row: rowFor('w1') }] });
  const worker = state.workers.get('w1');
  sendItem(state, 'w1', 0);
  dropItem(state, itemAt(state, 0));
  t.deepEqual([worker?.items.size, worker?.unread.size, worker?.outgoing.size, state.items.size], [0, 0, 0, 0]);
});

test('an item has one lock at a time, and its reference names the claim', (t) => {
  const state = mirrorOf({ running: [{ index: 6, row: rowFor('w1', 2, 1) }] });
  const item = itemAt(state, 6);
  t.deepEqual(refOf(6, item.taken), { index: 6, attempt: 2, claimEpoch: 1 });
  lockItem(item, 'recording');
  t.throws(() => lockItem(item, 'returning'), { message: 'one lock at a time' });
  t.throws(() => itemAt(state, 7), { message: /item of the mirror/ });
});
