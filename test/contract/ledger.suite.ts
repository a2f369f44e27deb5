import type { TestFn } from 'ava';
import type { Open } from '../support/ledger-start.ts';
import { claimSuite } from './ledger/claim.suite.ts';
import { commitSuite } from './ledger/commit.suite.ts';
import { handBackSuite } from './ledger/hand-back.suite.ts';
import { leaseSuite } from './ledger/lease.suite.ts';
import { reassignSuite } from './ledger/reassign.suite.ts';
import { reopenSuite } from './ledger/reopen.suite.ts';
import { restoreSuite } from './ledger/restore.suite.ts';
import { runSuite } from './ledger/run.suite.ts';
import { scanSuite } from './ledger/scan.suite.ts';
import { secondSuite } from './ledger/second.suite.ts';
import { settleSuite } from './ledger/settle.suite.ts';

/** What every ledger must do, whatever it is kept in. `open` gives an empty one, disposed of at the test's end. */
export function ledgerSuite(test: TestFn, open: Open): void {
  leaseSuite(test, open);
  runSuite(test, open);
  commitSuite(test, open);
  claimSuite(test, open);
  settleSuite(test, open);
  handBackSuite(test, open);
  reassignSuite(test, open);
  reopenSuite(test, open);
  restoreSuite(test, open);
  secondSuite(test, open);
  scanSuite(test, open);
}
