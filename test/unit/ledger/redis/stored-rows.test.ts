import test from 'ava';
import { packHead, packInFlight, packTally } from '../../../../runtime/ledger/codec.ts';
import { NO_FAULTS } from '../../../../runtime/ledger/contract.ts';
import { pagesOf, rowsOf, type Stored, stateRowOf, workerRowOf } from '../../../../runtime/ledger/redis/stored-rows.ts';
import { scan } from '../../../../runtime/ledger/rules/scan.ts';
import { row, SOME_PLACE, SOME_WORKER } from '../../../support/ledger-start.ts';

function worker(number: number, epoch: number, serial: number, text: string): Uint8Array {
  const bytes = Buffer.alloc(12);
  for (const [n, value] of [number, epoch, serial].entries()) bytes.writeUInt32LE(value, n * 4);
  return Buffer.concat([bytes, Buffer.from(text)]);
}

/** Item 0 is done, 1 and 2 run as granted to w1, 3 was handed back. */
const STORED: Stored = {
  head: packHead({
    epoch: 2,
    cursor: 4,
    running: 2,
    handedBack: 1,
    done: 1,
    failed: 0,
    workerNumbers: 1,
    highestAttempt: 1,
    redone: 0,
  }).subarray(0, 32),
  redone: 5,
  state: Buffer.concat([Buffer.from('p'), Buffer.from([2, 0, 0, 0, 9, 0, 0, 0]), Buffer.from('no quota')]),
  place: JSON.stringify(SOME_PLACE),
  open: new Map([[0, Buffer.concat([Buffer.from([0b0110_0000]), Buffer.alloc(31), Buffer.from([0, 3, 1, 0, 0, 0, 2, 0, 0, 0])])]]),
  items: new Map([
    [
      3,
      packInFlight({
        state: 'handed-back',
        row: { workerNumber: 1, attempt: 1, claimEpoch: 2 },
        second: null,
        lastAttempt: 1,
        faults: NO_FAULTS,
      }),
    ],
  ]),
  bits: { done: Buffer.from([0b1000_0000]), failed: Buffer.alloc(0) },
  workers: new Map([['w1', worker(1, 2, 5, JSON.stringify(SOME_WORKER))]]),
  tallies: new Map([[2, packTally({ count: 1, low: 0, high: 0 })]]),
};

test('L6: what was read from the keys is what the rulebook scans', (t) => {
  const { reply } = scan(rowsOf(STORED), 2);
  t.like(reply, {
    kind: 'scanned',
    progress: { state: { kind: 'paused', reason: 'no quota' }, cursor: 4, running: 2, handedBack: 1, done: 1 },
    place: SOME_PLACE,
    handedBack: [{ index: 3, row: row('w1', 1, 2) }],
    workers: [{ worker: 'w1', info: SOME_WORKER }],
  });
  t.deepEqual(reply.kind === 'scanned' ? reply.running.map((item) => [item.index, item.row]) : [], [
    [1, row('w1', 1, 2)],
    [2, row('w1', 1, 2)],
  ]);
  t.throws(() => scan(rowsOf({ ...STORED, bits: { done: Buffer.from([0b1100_0000]), failed: Buffer.alloc(0) } }), 2), {
    code: 'LEDGER_CORRUPT',
  });
});

test('L38: state and registration keep the stamp that wrote them', (t) => {
  t.deepEqual(stateRowOf(STORED.state), { state: { kind: 'paused', reason: 'no quota' }, by: { epoch: 2, serial: 9 } });
  t.is(stateRowOf(new Uint8Array()), null);
  t.deepEqual(workerRowOf(worker(7, 1, 3, '')), { number: 7, info: null, by: { epoch: 1, serial: 3 } });
});

test('a bitmap of Redis becomes pages whose bits count from the lowest; pages of zeros are left out', (t) => {
  const bitmap = new Uint8Array(1_025);
  bitmap[0] = 0b1000_0001;
  bitmap[1_024] = 0b0100_0000;
  const pages = pagesOf(bitmap);
  t.deepEqual([...pages.keys()], [0, 2]);
  t.is(pages.get(0)?.[0], 0b1000_0001);
  t.is(pages.get(2)?.[0], 0b0000_0010);
});
