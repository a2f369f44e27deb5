import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { openEmbeddedLedger } from '../../runtime/ledger/embedded/ledger.ts';
import { paritySuite } from './ledger.suite.ts';

paritySuite(test, 'embedded', 120, async (compareWith) => {
  const dir = await mkdtemp(join(tmpdir(), 'rollout-parity-'));
  const embedded = await openEmbeddedLedger({ dir, clock: systemClock });
  try {
    await compareWith(embedded);
  } finally {
    await embedded.dispose();
    await rm(dir, { recursive: true });
  }
});
