import test from 'ava';
import { CallFailed } from '../../../runtime/ledger/call-failed.ts';
import { CALL_LIMIT_MS, withDeadlines } from '../../../runtime/ledger/deadline.ts';
import { createMemoryLedger } from '../../../runtime/ledger/memory/ledger.ts';
import { createFaultyLedger } from '../../support/faulty-ledger.ts';
import { by, SOME_WORKER, start } from '../../support/ledger-start.ts';
import { ManualClock } from '../../support/manual-clock.ts';

test('a call that is answered in time is as before, its error too', async (t) => {
  const clock = new ManualClock();
  const ledger = withDeadlines(createMemoryLedger(), clock);
  const lease = await start(ledger);
  t.is(lease.epoch, 0);
  await t.throwsAsync(ledger.commit(1, { settles: [], handBacks: [], claims: [] }), { code: 'LEDGER_BEHIND' });
  await clock.advance(CALL_LIMIT_MS * 20);
  await ledger.dispose();
});

test('a call without an answer has an unknown fate after the limit, and may have been carried out (L20)', async (t) => {
  const clock = new ManualClock();
  const inner = createMemoryLedger();
  await start(inner);
  const silent = createFaultyLedger(inner, (verb) => (verb === 'register' ? { holdAfter: new Promise(() => undefined) } : null));
  const ledger = withDeadlines({ ...inner, register: silent.register }, clock);
  const asked = ledger.register(by(0), 'w9', SOME_WORKER);
  const failed = t.throwsAsync(asked, { instanceOf: CallFailed, message: /register for 10 s/ });
  await clock.advance(CALL_LIMIT_MS);
  t.like(await failed, { fate: 'unknown' });
  const scan = await inner.scan(0);
  t.deepEqual(scan.kind === 'scanned' ? scan.workers.map(({ worker }) => worker) : [], ['w1', 'w2', 'w9']);
});
