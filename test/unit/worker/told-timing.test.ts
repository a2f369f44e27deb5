import test from 'ava';
import { onBeat, onTick } from '../../../runtime/worker/machine.ts';
import { beatReply, greeting } from '../../support/worker-state.ts';

test('C12: the coordinator’s times hold for the worker: it fences itself by them, and waits in its polls by them', (t) => {
  const { state } = greeting();
  const timing = { heartbeatIntervalMs: 50, workerSelfFenceTimeoutMs: 400, pollWaitMs: 77 };
  onBeat(state, 5, { ...beatReply(0, 5), timing });
  t.like(state.settings, { heartbeatIntervalMs: 50, selfFenceTimeoutMs: 400, pollWaitMs: 77 });
  onTick(state, 410);
  t.true(state.isFenced);
});
