import test from 'ava';
import { AssertionFailed } from '../../../../runtime/base/assert.ts';
import { MAX_INDEX } from '../../../../runtime/model/row.ts';
import { decideClaim } from '../../../support/commit-parts.ts';
import { handedBack, rowsOf, running } from '../../../support/ledger-rows.ts';
import { SOME_WORKER } from '../../../support/ledger-start.ts';

const FAULTS = { failures: 2, delayMs: 70, suspicions: 1, crashes: 3 };

test('L8: a granted claim writes the worker, the next attempt and the caller’s epoch, and keeps the faults', (t) => {
  const rows = rowsOf({ head: { cursor: 1, handedBack: 1 }, inFlight: { 0: handedBack('w9', 4, 1, FAULTS) } });
  const { reply, writes } = decideClaim(rows, 3, 'w1', [
    { index: 0, lastAttempt: 4 },
    { cursor: 1, count: 2 },
  ]);
  t.deepEqual(reply, {
    kind: 'claimed',
    granted: [
      { from: 0, count: 1, attempt: 5 },
      { from: 1, count: 2, attempt: 1 },
    ],
    found: [],
    cursor: 3,
  });
  t.deepEqual([...(writes?.items ?? [])], [[0, running('w1', 5, 3, FAULTS)]]);
  t.deepEqual(writes?.granted, [{ from: 1, count: 2, item: running('w1', 1, 3) }], 'fresh items are one range, however many');
  t.like(writes?.head, { cursor: 3, running: 3, handedBack: 0 });
});

test('L8, L9: a pick names the highest attempt ever given, which the row taken last need not have', (t) => {
  const rows = rowsOf({ head: { cursor: 1, handedBack: 1 }, inFlight: { 0: { ...handedBack('w9', 1), lastAttempt: 4 } } });
  t.like(decideClaim(rows, 3, 'w1', [{ index: 0, lastAttempt: 1 }]), { reply: { granted: [], found: [{ lastAttempt: 4 }] }, writes: null });
  const { reply, writes } = decideClaim(rows, 3, 'w1', [{ index: 0, lastAttempt: 4 }]);
  t.like(reply, { granted: [{ from: 0, count: 1, attempt: 5 }] });
  t.deepEqual([...(writes?.items ?? [])], [[0, running('w1', 5)]]);
});

test('L7: a refused claim writes nothing', (t) => {
  const rows = rowsOf({ head: { cursor: 1, running: 1 }, inFlight: { 0: running() } });
  const { reply, writes } = decideClaim(rows, 3, 'w1', [
    { index: 0, lastAttempt: 1 },
    { cursor: 0, count: 5 },
  ]);
  t.like(reply, { granted: [], cursor: 1 });
  t.is(writes, null);
});

test('L9: the attempt after the highest one is refused', (t) => {
  const rows = rowsOf({ head: { cursor: 1, handedBack: 1 }, inFlight: { 0: handedBack('w1', 0xffff_ffff) } });
  t.throws(() => decideClaim(rows, 3, 'w1', [{ index: 0, lastAttempt: 0xffff_ffff }]), { instanceOf: AssertionFailed, message: /L9/ });
});

test('the last index may be claimed, none behind it', (t) => {
  const rows = rowsOf({ head: { cursor: MAX_INDEX } });
  t.like(decideClaim(rows, 3, 'w1', [{ cursor: MAX_INDEX, count: 1 }]).reply, {
    granted: [{ from: MAX_INDEX, count: 1 }],
    cursor: MAX_INDEX + 1,
  });
  t.throws(() => decideClaim(rows, 3, 'w1', [{ cursor: MAX_INDEX, count: 2 }]), { instanceOf: AssertionFailed });
});

test('L31: nothing is granted to a worker unknown or forgotten, always to the coordinator', (t) => {
  const rows = rowsOf({ workers: { known: { number: 1, info: SOME_WORKER }, forgotten: { number: 2, info: null } } });
  const granted = (worker: string): number => {
    const { reply } = decideClaim(rows, 3, worker, [{ cursor: 0, count: 1 }]);
    return reply.kind === 'claimed' ? reply.granted.length : -1;
  };
  t.deepEqual(['known', 'coordinator', 'forgotten', 'unknown'].map(granted), [1, 1, 0, 0]);
});

test('L16, L22: neither while paused nor before the place is bound', (t) => {
  const paused = { kind: 'paused', reason: 'x' } as const;
  t.deepEqual(decideClaim(rowsOf({ state: paused }), 3, 'w1', []).reply, { kind: 'gone', state: paused });
  t.throws(() => decideClaim(rowsOf({ place: null }), 3, 'w1', []), { instanceOf: AssertionFailed, message: /L22/ });
});
