import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import type { Move, ReassignReply } from '../../../../runtime/ledger/contract.ts';
import type { InFlight } from '../../../../runtime/ledger/rows.ts';
import { reassign } from '../../../../runtime/ledger/rules/reassign.ts';
import { type Given, handedBack, rowsOf, running, twice } from '../../../support/ledger-rows.ts';
import { row, SOME_WORKER } from '../../../support/ledger-start.ts';

const WORKERS = {
  w1: { number: 1, info: SOME_WORKER },
  w2: { number: 2, info: SOME_WORKER },
  w3: { number: 3, info: SOME_WORKER },
  forgotten: { number: 4, info: null },
};

function given(item: InFlight | null, more: Given = {}): ReturnType<typeof rowsOf> {
  const head = { cursor: 1, running: item?.state === 'running' ? 1 : 0, handedBack: item?.state === 'handed-back' ? 1 : 0 };
  return rowsOf({ head, workers: WORKERS, inFlight: item === null ? {} : { 0: item }, ...more });
}

const move = (to: string, of = row('w1', 1, 3)): Move => ({ index: 0, row: of, to });
const moved = (attempt: number): ReassignReply => ({ kind: 'reassigned', verdicts: [{ kind: 'moved', attempt }] });
const FAULTS = { failures: 1, delayMs: 5, suspicions: 2, crashes: 3 };

test('L9, L12: the named row gives way to the target’s, with the next attempt under the caller’s epoch; faults stay', (t) => {
  const item = { ...running('w1', 1, 0, FAULTS), lastAttempt: 6 };
  const { reply, writes } = reassign(given(item), 3, [move('w3', row('w1', 1, 0))]);
  t.deepEqual(reply, moved(7));
  t.deepEqual([...(writes?.items ?? [])], [[0, running('w3', 7, 3, FAULTS)]]);
  t.like(writes?.head, { cursor: 1, running: 1, handedBack: 0 });
});

test('L13: of two rows the named one moves, the other stays', (t) => {
  const first = reassign(given(twice()), 3, [move('w3')]);
  t.deepEqual([...(first.writes?.items ?? [])], [[0, twice({ row: row('w3', 3, 3), lastAttempt: 3 })]]);
  const second = reassign(given(twice()), 3, [move('w3', row('w2', 2, 3))]);
  t.deepEqual([...(second.writes?.items ?? [])], [[0, twice({ second: row('w3', 3, 3), lastAttempt: 3 })]]);
});

test('L7: asked again, in one call or later, it answers the same attempt and writes nothing', (t) => {
  t.deepEqual(reassign(given(running()), 3, [move('w3'), move('w3')]).reply, {
    kind: 'reassigned',
    verdicts: [
      { kind: 'moved', attempt: 2 },
      { kind: 'moved', attempt: 2 },
    ],
  });
  t.deepEqual(reassign(given(running('w3', 2, 3)), 3, [move('w3')]), { reply: moved(2), writes: null });
  const asSecond = twice({ second: row('w3', 3, 3), lastAttempt: 3 });
  t.deepEqual(reassign(given(asSecond), 3, [move('w3', row('w2', 2, 3))]), { reply: moved(3), writes: null });
});

const REFUSED: [string, InFlight, Move][] = [
  ['of another worker', running(), move('w3', row('w2', 1, 3))],
  ['of another attempt', running(), move('w3', row('w1', 2, 3))],
  ['of another claim epoch', running(), move('w3', row('w1', 1, 2))],
  ['to its own worker', running(), move('w1')],
  ['to the worker of the other row', twice(), move('w2')],
  ['to a worker that never registered', running(), move('stranger')],
  ['to a worker that was forgotten', running(), move('forgotten')],
  ['of a row that was handed back', handedBack(), move('w3')],
  ['asked again after another epoch’s move to the same worker', running('w3', 2, 2), move('w3')],
  ['asked again after a later attempt', { ...running('w3', 2, 3), lastAttempt: 4 }, move('w3')],
];

for (const [what, item, one] of REFUSED) {
  test(`L7, L12: a move ${what} is refused with what is there, and nothing is written`, (t) => {
    t.deepEqual(reassign(given(item), 3, [one]), {
      reply: { kind: 'reassigned', verdicts: [{ kind: 'refused', found: { index: 0, ...item } }] },
      writes: null,
    });
  });
}

test('a move of what is terminal or fresh is refused', (t) => {
  const found = (more: Given): unknown => reassign(given(null, more), 3, [move('w3')]).reply;
  const refused = (state: string): unknown => ({ kind: 'reassigned', verdicts: [{ kind: 'refused', found: { index: 0, state } }] });
  t.deepEqual(found({ done: [0] }), refused('done'));
  t.deepEqual(found({ failed: [0] }), refused('failed'));
  t.deepEqual(found({ head: { cursor: 0 } }), refused('fresh'));
});

test('L9: the attempt after the highest one is refused', (t) => {
  t.throws(() => reassign(given({ ...running(), lastAttempt: 0xffff_ffff }), 3, [move('w3')]), { instanceOf: AssertionFailed });
});

test('L5, L16: fenced under an old epoch, gone while paused and after the end', (t) => {
  t.deepEqual(reassign(given(running()), 2, [move('w3')]), { reply: { kind: 'fenced', epoch: 3 }, writes: null });
  for (const state of [{ kind: 'paused', reason: 'x' }, { kind: 'completed' }] as const) {
    t.deepEqual(reassign(given(running(), { state }), 3, [move('w3')]), { reply: { kind: 'gone', state }, writes: null });
  }
});
