import test from 'ava';
import { silentLog } from '../../../../runtime/base/log.ts';
import { createPerformer, type PerformerOptions } from '../../../../runtime/coordinator/perform/performer.ts';
import { Replies } from '../../../../runtime/coordinator/perform/replies.ts';
import { createMemoryLedger } from '../../../../runtime/ledger/memory/ledger.ts';
import { createFaultyLedger } from '../../../support/faulty-ledger.ts';
import { ManualClock, settlePromises } from '../../../support/manual-clock.ts';

const INFO = { bootNonce: 'b1', pid: 7, concurrency: 4 };

test('L31: a worker that registers while it is being forgotten stays registered', async (t) => {
  let letGo: (value?: unknown) => void = () => undefined;
  const holdBefore = new Promise((resolve) => {
    letGo = resolve;
  });
  const inner = createMemoryLedger();
  const process = { bootId: 'b', pid: 1, startTime: '1', uid: 0 };
  await inner.acquire({ holder: 'h', process, address: 'a:1', expected: null, grounds: null, ttlMs: 60_000, floor: -1 });
  const ledger = createFaultyLedger(inner, (verb) => (verb === 'forget' ? { holdBefore } : null));
  const told: string[] = [];
  let serial = 0;
  const perform = createPerformer({
    epoch: 0,
    ledger,
    writer: { write: async (verb) => (await verb()) as never },
    nextStamp: () => {
      serial += 1;
      return { epoch: 0, serial };
    },
    replies: new Replies(),
    tell: (fact) => void told.push(fact.kind),
    clock: new ManualClock(),
    log: silentLog,
    onFailure: (cause) => t.fail(String(cause)),
  } as Partial<PerformerOptions> as PerformerOptions);
  perform({ kind: 'forget', worker: 'w1', token: null });
  perform({ kind: 'register', worker: 'w1', info: INFO });
  await settlePromises();
  letGo();
  await settlePromises();
  t.deepEqual(told, ['forgotten', 'registered']);
  const scan = await inner.scan(0);
  t.deepEqual(scan.kind === 'scanned' ? scan.workers.map(({ worker }) => worker) : scan.kind, ['w1']);
});

test('L41: a higher epoch that a worker has seen, while the lease is held after a look, means that the store is behind; else it does not', async (t) => {
  const cases = [
    { seen: { worker: 'w1', epoch: 4 }, isFenced: false, told: [{ worker: 'w1', epoch: 4 }] },
    { seen: { worker: 'w1', epoch: 4 }, isFenced: true, told: [] },
    { seen: null, isFenced: false, told: [] },
  ];
  for (const { seen, isFenced, told } of cases) {
    const behind: unknown[] = [];
    const failures: unknown[] = [];
    const perform = createPerformer({
      epoch: 0,
      ledger: { ...createMemoryLedger(), look: async () => ({ kind: 'looked', verdicts: [] }) },
      writer: { write: async (verb) => (isFenced ? null : ((await verb()) as never)) },
      onStoreBehind: async (one) => {
        behind.push(one);
        throw new Error('behind');
      },
      onFailure: (cause) => failures.push(cause),
    } as Partial<PerformerOptions> as PerformerOptions);
    perform({ kind: 'check-lease', seen });
    await settlePromises();
    t.deepEqual(behind, told);
    t.is(failures.length, told.length, 'and it ends the coordinator');
  }
});
