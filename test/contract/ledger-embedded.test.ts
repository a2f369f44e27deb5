import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { openEmbeddedLedger } from '../../runtime/ledger/embedded/ledger.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { ledgerSuite } from './ledger.suite.ts';

ledgerSuite(test, async (t) => {
  const dir = temporaryDir(t);
  const ledger = await openEmbeddedLedger({ dir, clock: systemClock });
  t.teardown(() => ledger.dispose());
  return ledger;
});
