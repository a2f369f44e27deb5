import test from 'ava';
import { statusOf } from '../../../../runtime/coordinator/progress/status.ts';
import { heldItem, Machine, ref, rowFor, twoRunning } from '../../../support/machine.ts';
import { EPOCH } from '../../../support/machine-start.ts';

test('counts, input and workers are those of the mirror', (t) => {
  const machine = twoRunning({ handedBack: [{ index: 2, row: rowFor('w2') }] });
  machine.tell({ kind: 'indexed', count: 40, items: null });
  machine.beat('w1');
  const status = statusOf('01RUN', machine.state, machine.nowMs + 120);
  t.like(status, { runId: '01RUN', epoch: EPOCH, items: 40, isIndexed: false, done: 0, failed: 0, running: 2, handedBack: 1 });
  t.deepEqual(status.state, { kind: 'running' });
  t.like(status.workers[0], { workerId: 'w1', state: 'ready', running: 2, sinceBeatMs: 120 });
});

test('why a worker takes no items is told as its last beat said it', (t) => {
  const machine = twoRunning();
  machine.beat('w1', { detail: 'waiting for http://h:1: answered 500' });
  t.is(statusOf('r', machine.state, machine.nowMs).workers[0]?.detail, 'waiting for http://h:1: answered 500');
  machine.beat('w1');
  t.is(statusOf('r', machine.state, machine.nowMs).workers[0]?.detail, '');
});

test('a worker that was not heard since this boot is suspected', (t) => {
  t.is(statusOf('r', twoRunning().state, 1_000).workers[0]?.state, 'suspected');
});

test('the number of items is that of the index once it is complete', (t) => {
  const machine = new Machine();
  machine.supply(12);
  t.like(statusOf('r', machine.state, 1_000), { items: 12, isIndexed: true });
});

test('a run that is pausing says why', (t) => {
  const machine = twoRunning();
  machine.join('w1');
  machine.poll('w1', { returns: [{ ...ref(0), reason: 'quota', delayMs: 0, detail: 'http_429: insufficient_quota' }] });
  const { state } = statusOf('r', machine.state, machine.nowMs);
  t.is(state.kind, 'paused');
  t.regex(state.kind === 'paused' ? state.reason : '', /quota/);
});

test('what a worker has not said to have begun is held ready', (t) => {
  const machine = twoRunning();
  machine.poll('w1', { hello: [heldItem(0, 'started'), heldItem(1, 'queued')] });
  t.like(statusOf('r', machine.state, machine.nowMs), { running: 2, prefetched: 1 });
  machine.poll('w1', { started: [ref(1)] });
  t.like(statusOf('r', machine.state, machine.nowMs), { running: 2, prefetched: 0 });
});
