import test from 'ava';
import { RolloutError } from '../../../../runtime/base/errors.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { createLedgerWriter, type LedgerWriter, patientReads } from '../../../../runtime/coordinator/perform/ledger-writer.ts';
import { CallFailed } from '../../../../runtime/ledger/call-failed.ts';
import { createMemoryLedger } from '../../../../runtime/ledger/memory/ledger.ts';
import type { Epoch } from '../../../../runtime/model/row.ts';
import { createFaultyLedger } from '../../../support/faulty-ledger.ts';
import { ManualClock, settlePromises } from '../../../support/manual-clock.ts';

const DONE = { kind: 'done' } as const;

interface Bench {
  readonly writer: LedgerWriter;
  readonly fenced: Epoch[];
  readonly clock: ManualClock;
  isHolder: boolean;
}

function bench(): Bench {
  const clock = new ManualClock();
  const fenced: Epoch[] = [];
  const leaseHolder = {
    ensureFresh: async () => (made.isHolder ? ({ kind: 'fresh' } as const) : ({ kind: 'fenced', epoch: 9 } as const)),
    fence: (byEpoch: Epoch) => void fenced.push(byEpoch),
  };
  const writer = createLedgerWriter({ leaseHolder, clock, random: seededRandom(1) });
  const made: Bench = { writer, fenced, clock, isHolder: true };
  return made;
}

/** Lets the time run until the promise is settled. */
async function whileTimePasses<T>(clock: ManualClock, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (let turn = 0; turn < 1_000 && !isSettled; turn += 1) {
    await settlePromises();
    clock.runNext();
  }
  return promise;
}

test('L20: a verb that fails is asked again until its fate is known', async (t) => {
  const { writer, clock } = bench();
  let calls = 0;
  const verb = async (): Promise<typeof DONE> => {
    calls += 1;
    if (calls < 5) throw new CallFailed('unknown', 'did it, then failed');
    return DONE;
  };
  t.deepEqual(await whileTimePasses(clock, writer.write(verb)), DONE);
  t.is(calls, 5);
});

test('a store that gives no answer for a minute ends the coordinator with the cause', async (t) => {
  const { writer, clock } = bench();
  const cause = new CallFailed('not-executed', 'LOADING');
  const beganMs = clock.monotonicMs();
  const error = await t.throwsAsync(
    whileTimePasses(
      clock,
      writer.write(() => Promise.reject(cause)),
    ),
  );
  t.like(error, { code: 'STORE_FAILED', cause });
  t.true(clock.monotonicMs() - beganMs >= 60_000, 'a fail-over of half a minute is survived');
});

test('L18: a store that could not write is not written to again: the coordinator ends at once', async (t) => {
  const { writer, clock } = bench();
  let calls = 0;
  const error = await t.throwsAsync(
    whileTimePasses(
      clock,
      writer.write(async () => {
        calls += 1;
        throw new RolloutError('STORE_FAILED', 'no space left');
      }),
    ),
  );
  t.like(error, { code: 'STORE_FAILED', message: 'no space left' });
  t.is(calls, 1);
});

test('L5: a refusal by epoch is told once, and the caller gets nothing to pass on', async (t) => {
  const { writer, fenced } = bench();
  t.is(await writer.write<typeof DONE>(async () => ({ kind: 'fenced', epoch: 7 })), null);
  t.deepEqual(fenced, [7]);
});

test('a holder that has lost its lease asks the ledger nothing', async (t) => {
  const made = bench();
  made.isHolder = false;
  let calls = 0;
  t.is(
    await made.writer.write(async () => {
      calls += 1;
      return DONE;
    }),
    null,
  );
  t.is(calls, 0);
  t.deepEqual(made.fenced, [9]);
});

test('a renewal that fails is tried again like any verb, and nothing is written before it has succeeded', async (t) => {
  const clock = new ManualClock();
  let renewals = 0;
  const ensureFresh = async (): Promise<{ readonly kind: 'fresh' }> => {
    renewals += 1;
    if (renewals < 3) throw new CallFailed('unknown', 'the renewal is of unknown fate');
    return { kind: 'fresh' };
  };
  const writer = createLedgerWriter({ leaseHolder: { ensureFresh, fence: () => undefined }, clock, random: seededRandom(1) });
  let writes = 0;
  const written = writer.write(async () => {
    writes += 1;
    return DONE;
  });
  t.deepEqual(await whileTimePasses(clock, written), DONE);
  t.deepEqual([renewals, writes], [3, 1]);
});

test('L42: one that has resigned asks the ledger nothing, and is not told to be fenced', async (t) => {
  const fenced: Epoch[] = [];
  const leaseHolder = { ensureFresh: async () => ({ kind: 'resigned' }) as const, fence: (byEpoch: Epoch) => void fenced.push(byEpoch) };
  const clock = new ManualClock();
  const writer = createLedgerWriter({ leaseHolder, clock, random: seededRandom(1) });
  let calls = 0;
  t.is(
    await writer.write(async () => {
      calls += 1;
      return DONE;
    }),
    null,
  );
  t.is(calls, 0);
  t.deepEqual(fenced, []);
});

test('L20: what is read without an epoch is asked again too, and a store that is broken is not', async (t) => {
  const clock = new ManualClock();
  const ledger = createFaultyLedger(createMemoryLedger(), (_, call) => (call < 4 ? 'fail-after' : null));
  const reads = patientReads(ledger, { clock, random: seededRandom(1) });
  t.deepEqual(await whileTimePasses(clock, reads.tallies()), []);
  t.is((await whileTimePasses(clock, reads.progress())).cursor, 0);
  t.deepEqual(await whileTimePasses(clock, reads.bits(0, 2)), new Uint8Array(2));
  const broken = { ...ledger, tallies: () => Promise.reject(new RolloutError('STORE_FAILED', 'x')) };
  await t.throwsAsync(whileTimePasses(clock, patientReads(broken, { clock, random: seededRandom(1) }).tallies()), { message: 'x' });
});
