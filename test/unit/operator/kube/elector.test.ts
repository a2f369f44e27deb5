import test from 'ava';
import { NoAnswer } from '../../../../operator/kube/api-error.ts';
import { candidate, LeaseEdge, leaders } from '../../../support/lease-edge.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('one of two leads, and the other waits as long as it renews', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  const members = [candidate('one', clock, edge.client()), candidate('other', clock, edge.client())];
  for (let at = 0; at < 600; at += 1) {
    await clock.advance(500);
    t.is(leaders(members), 1);
  }
  t.is(edge.lease?.spec?.leaseTransitions, 0);
  t.regex(edge.lease?.spec?.renewTime ?? '', /\.\d{6}Z$/);
});

test('who releases is followed at the next look of the other', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  const first = candidate('one', clock, edge.client());
  await clock.advance(10);
  const second = candidate('other', clock, edge.client());
  await clock.advance(30_000);
  t.is(leaders([second]), 0);
  const releasing = first.leading()?.release();
  await clock.advance(0);
  await releasing;
  t.is(edge.holder(), undefined);
  t.false(first.leading()?.isHeld());
  await clock.advance(2_400);
  t.true(second.leading()?.isHeld());
  t.is(edge.lease?.spec?.leaseTransitions, 1);
  t.deepEqual(first.seen, ['true', 'false']);
});

test('who is gone without a word is followed after the whole lease, and no sooner', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  let isGone = false;
  const vanish = async (): Promise<void> => {
    if (isGone) await new Promise(() => undefined);
  };
  const first = candidate('one', clock, edge.client({ before: vanish }));
  await clock.advance(10);
  const second = candidate('other', clock, edge.client());
  await clock.advance(60_000);
  isGone = true;
  await clock.advance(9_000);
  await clock.advance(3_000);
  t.false(first.leading()?.isHeld(), 'it does not wait for its hanging call');
  t.true(first.leading()?.lost.aborted);
  t.is(leaders([first, second]), 0);
  await clock.advance(20_000);
  t.true(second.leading()?.isHeld());
});

test('renewals that fail for a while cost nothing; for too long, the lead', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  let isAway = false;
  const first = candidate(
    'one',
    clock,
    edge.client({
      before: async () => {
        if (isAway) throw new NoAnswer('reset');
      },
    }),
  );
  await clock.advance(10_000);
  isAway = true;
  await clock.advance(7_000);
  isAway = false;
  await clock.advance(30_000);
  t.true(first.leading()?.isHeld());
  isAway = true;
  await clock.advance(12_000);
  t.false(first.leading()?.isHeld());
  isAway = false;
  await clock.advance(60_000);
  t.false(first.leading()?.isHeld(), 'what is lost stays lost');
});

test('a renewal whose answer is lost is no loss: the lease is read, and renewed', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  let isLossy = false;
  const first = candidate(
    'one',
    clock,
    edge.client({
      after: async () => {
        if (isLossy) throw new NoAnswer('reset');
      },
    }),
  );
  await clock.advance(3_000);
  isLossy = true;
  await clock.advance(2_500);
  isLossy = false;
  await clock.advance(30_000);
  t.true(first.leading()?.isHeld());
  t.true(first.seen.includes('slow'));
  t.is(edge.lease?.spec?.leaseTransitions, 0);
});

test('a candidate whose write was carried out without an answer leads by the next look', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  let isLossy = true;
  const first = candidate(
    'one',
    clock,
    edge.client({
      after: async () => {
        if (isLossy && edge.writes > 0) throw new NoAnswer('reset');
      },
    }),
  );
  await clock.advance(100);
  t.is(edge.holder(), 'one');
  t.is(first.leading(), null);
  isLossy = false;
  await clock.advance(2_400);
  t.true(first.leading()?.isHeld());
});

test('a write that is accepted too late to lead by is no lead, and the next one is', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  let delayMs = 11_000;
  const first = candidate('one', clock, edge.client({ after: () => clock.sleep(edge.writes > 0 ? delayMs : 0) }));
  await clock.advance(11_000);
  t.is(edge.holder(), 'one');
  t.is(first.leading(), null);
  delayMs = 0;
  await clock.advance(5_000);
  t.true(first.leading()?.isHeld());
});

test('a process that stood still leads no more, before it does anything else', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  const first = candidate('one', clock, edge.client());
  await clock.advance(5_000);
  clock.jump(20_000);
  t.false(first.leading()?.isHeld());
  t.true(first.leading()?.lost.aborted);
});

test('a lease that somebody else has written, or deleted, is lost', async (t) => {
  for (const change of ['taken', 'deleted']) {
    const clock = new ManualClock();
    const edge = new LeaseEdge(clock);
    const first = candidate('one', clock, edge.client());
    await clock.advance(5_000);
    edge.lease = change === 'deleted' ? null : { metadata: { name: 'lease', resourceVersion: 'x' }, spec: { holderIdentity: 'other' } };
    await clock.advance(6_000);
    t.true(first.leading()?.lost.aborted, change);
  }
});

test('who is told to stop before it leads does not lead', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  const first = candidate('one', clock, edge.client());
  await clock.advance(5_000);
  const second = candidate('other', clock, edge.client());
  await clock.advance(5_000);
  second.stop.abort();
  await second.ended;
  t.is(second.leading(), null);
  t.true(first.leading()?.isHeld());
});

test('a release that is not answered is not waited for without end', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  let isGone = false;
  const first = candidate(
    'one',
    clock,
    edge.client({
      before: async () => {
        if (isGone) await new Promise(() => undefined);
      },
    }),
  );
  await clock.advance(5_000);
  isGone = true;
  const releasing = first.leading()?.release();
  await clock.advance(6_000);
  await t.notThrowsAsync(releasing ?? Promise.reject(new Error('it does not lead')));
  t.is(edge.holder(), 'one');
});
