import test from 'ava';
import { onDrain, onReply, onTick } from '../../../runtime/worker/machine.ts';
import { assignment, greeting, kinds, ok } from '../../support/worker-state.ts';

test('a drain ends where the coordinator’s name has not resolved for five seconds: nobody will take what is held', (t) => {
  const { state } = greeting();
  onReply(state, 0, { session: 1, poll: 1 }, ok({ batch: 1, assignments: [assignment(1)] }));
  for (let at = 1_000; at < 8_000; at += 500) t.false(kinds(onTick(state, at, true)).includes('leave'), 'one that works goes on');
  onTick(state, 8_000, false);
  onDrain(state, 8_100);
  const until = (from: number, isHostUnknown: boolean): readonly number[] => {
    const left: number[] = [];
    for (let at = from; at <= from + 5_000; at += 500) if (kinds(onTick(state, at, isHostUnknown)).includes('leave')) left.push(at - from);
    return left;
  };
  t.deepEqual(until(8_500, false), [], 'one that is away is waited for');
  onTick(state, 14_000, true);
  onTick(state, 14_500, false);
  t.deepEqual(until(15_000, true), [4_500]);
});
