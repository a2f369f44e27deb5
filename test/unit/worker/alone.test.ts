import test from 'ava';
import type { Command } from '../../../runtime/worker/commands.ts';
import { onTick } from '../../../runtime/worker/machine.ts';
import { newState } from '../../../runtime/worker/state.ts';
import { kinds, SETTINGS } from '../../support/worker-state.ts';

test('without a coordinator for waitCoordinator the worker leaves; the time during which it stood still itself does not count', (t) => {
  const state = newState({ ...SETTINGS, waitCoordinatorMs: 60_000 }, 0, [], 0);
  let nowMs = 3_600_000;
  t.false(kinds(onTick(state, nowMs)).includes('leave'), 'it was stopped for an hour');
  const leaving: Command[] = [];
  for (; leaving.length === 0 && nowMs < 3_700_000; nowMs += 250) {
    leaving.push(...onTick(state, nowMs).filter((one) => one.kind === 'leave'));
  }
  t.like(leaving, [{ kind: 'leave', why: 'alone' }]);
  t.true(nowMs >= 3_600_000 + 59_000, `after ${nowMs - 3_600_000} ms`);
});
