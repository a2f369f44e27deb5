import test from 'ava';
import { isDeposed, isOutOfTouch, onValidReply } from '../../../../runtime/worker/session/epoch-guard.ts';

const guard = { highestEpoch: 3, lastValidMs: 1_000 };

test('L34: a reply below the highest epoch is that of a deposed coordinator', (t) => {
  t.deepEqual(
    [2, 3, 4].map((epoch) => isDeposed(guard, epoch)),
    [true, false, false],
  );
});

test('a valid reply raises the epoch and the time, and never lowers them', (t) => {
  t.deepEqual(onValidReply(guard, 4, 2_000), { highestEpoch: 4, lastValidMs: 2_000 });
  t.deepEqual(onValidReply(guard, 3, 500), guard);
});

test('L36: out of touch only once the timeout is over', (t) => {
  t.false(isOutOfTouch(guard, 5_000, 4_000));
  t.true(isOutOfTouch(guard, 5_001, 4_000));
});
