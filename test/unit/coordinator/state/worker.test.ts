import test from 'ava';
import { isGoing } from '../../../../runtime/coordinator/state/worker.ts';
import { newWorker } from '../../../../runtime/coordinator/state/workers.ts';

test('a worker is about to go if it says that it drains, or if it is told to hold, drain or stop', (t) => {
  const worker = newWorker('w1', 'b1', 0, 0);
  t.false(isGoing({ ...worker, state: 'ready' }));
  t.true(isGoing({ ...worker, state: 'draining' }));
  t.true(isGoing({ ...worker, demand: { node: null, worker: 'w1', severity: 'hint', untilMs: null, reason: 'soon' } }));
});
