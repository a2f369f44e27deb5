import test from 'ava';
import { restore } from '../../../../runtime/ledger/rules/restore.ts';
import { handedBack, rowsOf, running } from '../../../support/ledger-rows.ts';
import { row, SOME_WORKER, taken } from '../../../support/ledger-start.ts';

const WORKERS = { w1: { number: 1, info: SOME_WORKER }, w2: { number: 2, info: SOME_WORKER } };
const HANDED_BACK = { head: { cursor: 1, handedBack: 1 }, workers: WORKERS };

test('L44: the taken row runs again; the last attempt and the faults stay as they are, and it is counted', (t) => {
  const item = { ...handedBack('w1', 2, 3, { failures: 1 }), lastAttempt: 4 };
  const { reply, writes } = restore(rowsOf({ ...HANDED_BACK, inFlight: { 0: item } }), 3, [taken(0, row('w1', 2, 3))]);
  t.deepEqual(reply, { kind: 'restored', verdicts: [{ kind: 'restored' }] });
  t.deepEqual([...(writes?.items ?? [])], [[0, { ...item, state: 'running', second: null, faults: { ...item.faults, restores: 1 } }]]);
  t.like(writes?.head, { running: 1, handedBack: 0 });
});

test('L7: what runs in that row already is answered as restored, and nothing is written', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, workers: WORKERS, inFlight: { 0: running('w1', 1, 3, { restores: 1 }) } });
  const { reply, writes } = restore(rows, 3, [taken(0, row('w1', 1, 3))]);
  t.deepEqual(reply, { kind: 'restored', verdicts: [{ kind: 'restored' }] });
  t.is(writes, null);
});

test('L44: another row of the item is refused, and nothing is written', (t) => {
  for (const other of [row('w1', 1, 3), row('w1', 2, 2), row('w2', 2, 3)]) {
    const { reply, writes } = restore(rowsOf({ ...HANDED_BACK, inFlight: { 0: handedBack('w1', 2, 3) } }), 3, [taken(0, other)]);
    t.like(reply, { verdicts: [{ kind: 'refused', found: { state: 'handed-back' } }] });
    t.is(writes, null);
  }
});
