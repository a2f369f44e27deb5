import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import type { SecondAttemptReply } from '../../../../runtime/ledger/contract.ts';
import type { InFlight } from '../../../../runtime/ledger/rows.ts';
import { second } from '../../../../runtime/ledger/rules/second.ts';
import { type Given, handedBack, rowsOf, running, twice } from '../../../support/ledger-rows.ts';
import { row, SOME_WORKER, sole } from '../../../support/ledger-start.ts';

const WORKERS = {
  w1: { number: 1, info: SOME_WORKER },
  w2: { number: 2, info: SOME_WORKER },
  w3: { number: 3, info: SOME_WORKER },
  forgotten: { number: 4, info: null },
};

function given(item: InFlight, more: Given = {}): ReturnType<typeof rowsOf> {
  const isRunning = item.state === 'running';
  const head = { cursor: 1, running: isRunning ? 1 : 0, handedBack: isRunning ? 0 : 1 };
  return rowsOf({ head, workers: WORKERS, inFlight: { 0: item }, ...more });
}

const FIRST = sole(0, row('w1', 1, 3));
const granted = (attempt: number): SecondAttemptReply => ({ kind: 'second-attempts', verdicts: [{ kind: 'granted', attempt }] });

test('L9, L13: the item keeps its row and gets a second one, with the next attempt under the caller’s epoch', (t) => {
  const faults = { failures: 1, delayMs: 5, suspicions: 2, crashes: 3 };
  const item = { ...running('w1', 1, 0, faults), lastAttempt: 4 };
  const { reply, writes } = second(given(item), 3, 'w2', [sole(0, row('w1', 1, 0), 4)]);
  t.deepEqual(reply, granted(5));
  t.deepEqual([...(writes?.items ?? [])], [[0, { ...item, second: row('w2', 5, 3), lastAttempt: 5 }]]);
  t.like(writes?.head, { cursor: 1, running: 1, handedBack: 0 }, 'items are counted, not rows (L6)');
});

test('L7: asked again, in one call or later, it answers the same attempt and writes nothing', (t) => {
  t.deepEqual(second(given(running()), 3, 'w2', [FIRST, FIRST]).reply, {
    kind: 'second-attempts',
    verdicts: [
      { kind: 'granted', attempt: 2 },
      { kind: 'granted', attempt: 2 },
    ],
  });
  t.deepEqual(second(given(twice()), 3, 'w2', [FIRST]), { reply: granted(2), writes: null });
});

const REFUSED: [string, InFlight, string][] = [
  ['of another worker’s row', running('w3'), 'w2'],
  ['of another attempt', running('w1', 2), 'w2'],
  ['of another claim epoch', running('w1', 1, 2), 'w2'],
  ['on its own worker', running(), 'w1'],
  ['on a worker that never registered', running(), 'stranger'],
  ['on a worker that was forgotten', running(), 'forgotten'],
  ['of an item that has two already', twice(), 'w3'],
  ['asked again after another epoch’s', twice({ second: row('w2', 2, 2) }), 'w2'],
  ['carried out late, after the second row has gone again (L38)', { ...running(), lastAttempt: 2 }, 'w2'],
  ['of an item that was handed back', handedBack(), 'w2'],
];

for (const [what, item, worker] of REFUSED) {
  test(`L7, L13: a second attempt ${what} is refused with what is there, and nothing is written`, (t) => {
    t.deepEqual(second(given(item), 3, worker, [FIRST]), {
      reply: { kind: 'second-attempts', verdicts: [{ kind: 'refused', found: { index: 0, ...item } }] },
      writes: null,
    });
  });
}

test('L13: the second row gets no second attempt itself', (t) => {
  const named = sole(0, row('w2', 2, 3));
  t.like(second(given(twice()), 3, 'w3', [named]), { reply: { verdicts: [{ kind: 'refused' }] }, writes: null });
});

test('L9: the attempt after the highest one is refused', (t) => {
  const item = { ...running(), lastAttempt: 0xffff_ffff };
  t.throws(() => second(given(item), 3, 'w2', [{ ...FIRST, lastAttempt: 0xffff_ffff }]), { instanceOf: AssertionFailed, message: /L9/ });
});

test('L5, L16: fenced under an old epoch, gone while paused and after the end', (t) => {
  t.deepEqual(second(given(running()), 2, 'w2', [FIRST]), { reply: { kind: 'fenced', epoch: 3 }, writes: null });
  for (const state of [{ kind: 'paused', reason: 'x' }, { kind: 'completed' }] as const) {
    t.deepEqual(second(given(running(), { state }), 3, 'w2', [FIRST]), { reply: { kind: 'gone', state }, writes: null });
  }
});
