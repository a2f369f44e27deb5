import test from 'ava';
import { silentLog } from '../../../../runtime/base/log.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { ApiError, NoAnswer } from '../../../../operator/kube/api-error.ts';
import type { ElectorOptions, Leading } from '../../../../operator/kube/elector.ts';
import { lead } from '../../../../operator/kube/elector.ts';
import type { Lease } from '../../../../operator/kube/kind.ts';
import { DEFAULT_LEASE_TIMES } from '../../../../operator/kube/lease-action.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

/** One lease as the API server keeps it: a write names the version that it expects. What each caller meets is the test's choice. */
class LeaseEdge {
  lease: Lease | null = null;
  writes = 0;
  readonly #clock: ManualClock;
  #version = 0;

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** `before` and `after` run around what the server does, and may wait or throw. */
  client({ before, after }: { before?: () => Promise<void>; after?: () => Promise<void> } = {}): ElectorOptions['client'] {
    const call = async <T>(work: () => T): Promise<T> => {
      await before?.();
      const answer = work();
      await after?.();
      return answer;
    };
    return {
      get: (async () => call(() => this.lease)) as ElectorOptions['client']['get'],
      create: (async (_kind: unknown, object: Lease) =>
        call(() => {
          if (this.lease !== null) throw new ApiError(409, 'already there', { reason: 'AlreadyExists' });
          return this.#store(object.spec);
        })) as unknown as ElectorOptions['client']['create'],
      patch: (async (_kind: unknown, _ref: unknown, patch: { metadata: { resourceVersion: string }; spec: object }) =>
        call(() => {
          if (this.lease?.metadata.resourceVersion !== patch.metadata.resourceVersion) throw new ApiError(409, 'modified', { reason: 'Conflict' });
          const merged = Object.entries({ ...this.lease?.spec, ...patch.spec }).filter(([, value]) => value !== null);
          return this.#store(Object.fromEntries(merged));
        })) as unknown as ElectorOptions['client']['patch'],
    };
  }

  holder(): string | undefined {
    return this.lease?.spec?.holderIdentity;
  }

  #store(spec: Lease['spec']): Lease {
    this.#version += 1;
    this.writes += 1;
    this.lease = {
      metadata: { name: 'lease', namespace: 'ns', resourceVersion: String(this.#version), creationTimestamp: String(this.#clock.wallMs()) },
      ...(spec === undefined ? {} : { spec }),
    };
    return this.lease;
  }
}

interface Member {
  readonly leading: () => Leading | null;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly seen: string[];
}

function member(identity: string, clock: ManualClock, client: ElectorOptions['client']): Member {
  const stop = new AbortController();
  const seen: string[] = [];
  let leading: Leading | null = null;
  const observer = { onLeading: (is: boolean) => seen.push(String(is)), onSlowPath: () => seen.push('slow') };
  const terms = { identity, ...DEFAULT_LEASE_TIMES };
  const options = { client, namespace: 'ns', name: 'lease', terms, clock, random: seededRandom(identity.length), log: silentLog, observer };
  const ended = lead(options, stop.signal).then((got) => {
    leading = got;
  });
  return { leading: () => leading, stop, ended, seen };
}

function leaders(members: readonly Member[]): number {
  return members.filter((one) => one.leading()?.isHeld() === true).length;
}

test('one of two leads, and the other waits as long as it renews', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  const members = [member('one', clock, edge.client()), member('other', clock, edge.client())];
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
  const first = member('one', clock, edge.client());
  await clock.advance(10);
  const second = member('other', clock, edge.client());
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
  const first = member('one', clock, edge.client({ before: vanish }));
  await clock.advance(10);
  const second = member('other', clock, edge.client());
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
  const first = member('one', clock, edge.client({
    before: async () => {
      if (isAway) throw new NoAnswer('reset');
    },
  }));
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
  const first = member('one', clock, edge.client({
    after: async () => {
      if (isLossy) throw new NoAnswer('reset');
    },
  }));
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
  const first = member('one', clock, edge.client({
    after: async () => {
      if (isLossy && edge.writes > 0) throw new NoAnswer('reset');
    },
  }));
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
  const first = member('one', clock, edge.client({ after: () => clock.sleep(edge.writes > 0 ? delayMs : 0) }));
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
  const first = member('one', clock, edge.client());
  await clock.advance(5_000);
  clock.jump(20_000);
  t.false(first.leading()?.isHeld());
  t.true(first.leading()?.lost.aborted);
});

test('a lease that somebody else has written, or deleted, is lost', async (t) => {
  for (const change of ['taken', 'deleted']) {
    const clock = new ManualClock();
    const edge = new LeaseEdge(clock);
    const first = member('one', clock, edge.client());
    await clock.advance(5_000);
    edge.lease = change === 'deleted' ? null : { metadata: { name: 'lease', resourceVersion: 'x' }, spec: { holderIdentity: 'other' } };
    await clock.advance(6_000);
    t.true(first.leading()?.lost.aborted, change);
  }
});

test('who is told to stop before it leads does not lead', async (t) => {
  const clock = new ManualClock();
  const edge = new LeaseEdge(clock);
  const first = member('one', clock, edge.client());
  await clock.advance(5_000);
  const second = member('other', clock, edge.client());
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
  const first = member('one', clock, edge.client({
    before: async () => {
      if (isGone) await new Promise(() => undefined);
    },
  }));
  await clock.advance(5_000);
  isGone = true;
  const releasing = first.leading()?.release();
  await clock.advance(6_000);
  await t.notThrowsAsync(releasing ?? Promise.reject(new Error('it does not lead')));
  t.is(edge.holder(), 'one');
});

test('never two leaders, whatever calls fail, come late, or are carried out without an answer', async (t) => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const clock = new ManualClock();
    const edge = new LeaseEdge(clock);
    const random = seededRandom(seed);
    let isCalm = false;
    const trouble = async (): Promise<void> => {
      if (isCalm) return;
      if (random.next() < 0.2) throw new NoAnswer('reset');
      if (random.next() < 0.3) await clock.sleep(random.next() * 14_000);
    };
    const join = (name: string): Member => member(name, clock, edge.client({ before: trouble, after: trouble }));
    const members = ['a', 'bb', 'ccc'].map(join);
    for (let at = 0; at < 120; at += 1) {
      await clock.advance(1_000);
      const held = leaders(members);
      if (held > 1) return t.fail(`seed ${seed}: ${held} leaders`);
      // A member that has lost the lead is a process that ends, and another one comes.
      for (const [place, one] of members.entries()) {
        if (one.leading()?.lost.aborted === true) members[place] = join(`m${seed}-${at}-${place}`);
      }
      if (random.next() < 0.02) await Promise.race([members.find((one) => leaders([one]) === 1)?.leading()?.release(), clock.advance(6_000)]);
    }
    isCalm = true;
    for (let at = 0; at < 60 && leaders(members) === 0; at += 1) {
      await clock.advance(1_000);
      for (const [place, one] of members.entries()) {
        if (one.leading()?.lost.aborted === true) members[place] = join(`n${seed}-${at}-${place}`);
      }
    }
    t.is(leaders(members), 1, `seed ${seed}`);
    for (const one of members) one.stop.abort();
  }
});
