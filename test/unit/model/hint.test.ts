import test from 'ava';
import {
  type ComputeHint,
  concerns,
  drainMsOf,
  earlier,
  gracePeriodMs,
  PROVIDER_TIMES,
  receive,
  receiveOne,
  sigtermDrainMs,
  strictest,
  type WrittenHint,
} from '../../../runtime/model/hint.ts';

const NOW = { monotonicMs: 1_000, wallMs: 500_000 };

function written(more: Partial<WrittenHint> = {}): WrittenHint {
  return { node: 'n1', worker: null, severity: 'drain', provider: null, deadline: null, reason: 'spot', ...more };
}

function hint(more: Partial<ComputeHint> = {}): ComputeHint {
  return { node: null, worker: null, severity: 'drain', untilMs: null, reason: '', ...more };
}

test('a drain takes a part of each notice that leaves time for others', (t) => {
  t.deepEqual(PROVIDER_TIMES, {
    aws: { noticeMs: 120_000, drainMs: 60_000 },
    gcp: { noticeMs: 30_000, drainMs: 15_000 },
    azure: { noticeMs: 30_000, drainMs: 15_000 },
  });
  t.is(sigtermDrainMs(30_000), 22_500);
  t.true(Math.abs(sigtermDrainMs(gracePeriodMs(20_000)) - 20_000) < 1);
});

test('the shorter of the provider its time and the own one counts; a moment that is over leaves nothing', (t) => {
  t.is(drainMsOf(written(), 0), null);
  t.is(drainMsOf(written({ provider: 'aws' }), 0), 60_000);
  t.is(drainMsOf(written({ provider: 'aws', deadline: { kind: 'in', ms: 20_000 } }), 0), 20_000);
  t.is(drainMsOf(written({ provider: 'gcp', deadline: { kind: 'in', ms: 20_000 } }), 0), 15_000);
  t.is(drainMsOf(written({ deadline: { kind: 'at', wallMs: 507_000 } }), 500_000), 7_000);
  t.is(drainMsOf(written({ deadline: { kind: 'at', wallMs: 400_000 } }), 500_000), 0);
});

test('a word counts from when it was first read, whatever the wall clock does later; a new word counts again', (t) => {
  const first = receive([], [written({ deadline: { kind: 'at', wallMs: 510_000 } })], NOW);
  t.is(first[0]?.untilMs, 11_000);
  const later = { monotonicMs: 5_000, wallMs: 900_000 };
  t.is(receive(first, [written({ deadline: { kind: 'at', wallMs: 510_000 } })], later)[0]?.untilMs, 11_000);
  t.is(receive(first, [written({ deadline: { kind: 'in', ms: 60_000 } })], later)[0]?.untilMs, 65_000);
  t.deepEqual(receive(first, [], later), []);
  t.is(receiveOne(written(), NOW).untilMs, null);
});

test('the strictest counts, with the earliest time of those that drain', (t) => {
  t.is(strictest([]), null);
  t.like(strictest([hint({ severity: 'hint', untilMs: 5 })]), { severity: 'hint', untilMs: null });
  t.like(strictest([hint({ severity: 'hint', untilMs: 5, reason: 'a' }), hint({ untilMs: 90, reason: 'b' }), hint({ untilMs: 20 })]), {
    severity: 'drain',
    reason: 'b',
    untilMs: 20,
  });
  t.is(strictest([hint(), hint({ severity: 'gone' })])?.severity, 'gone');
});

test('whom a hint concerns', (t) => {
  const worker = { id: 'w1', node: 'n1' };
  t.true(concerns(hint(), worker));
  t.true(concerns(hint({ node: 'n1' }), worker));
  t.true(concerns(hint({ node: 'n1', worker: 'w1' }), worker));
  t.false(concerns(hint({ node: 'n2' }), worker));
  t.false(concerns(hint({ worker: 'w2' }), worker));
  t.false(concerns(hint({ node: 'n1' }), { id: 'w1', node: '' }), 'one that does not know its machine');
});

test('never comes after every moment', (t) => {
  t.is(earlier(null, null), null);
  t.is(earlier(3, null), 3);
  t.is(earlier(null, 4), 4);
  t.is(earlier(3, 4), 3);
});
