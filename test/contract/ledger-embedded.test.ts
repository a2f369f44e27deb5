import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { openEmbeddedLedger } from '../../runtime/ledger/embedded/ledger.ts';
import { ledgerSuite } from './ledger.suite.ts';

ledgerSuite(test, async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-ledger-'));
  const ledger = await openEmbeddedLedger({ dir, clock: systemClock });
  t.teardown(async () => {
    await ledger.dispose();
    await rm(dir, { recursive: true });
  });
  return ledger;
});
