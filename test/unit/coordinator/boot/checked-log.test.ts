import test from 'ava';
import { silentLog } from '../../../../runtime/base/log.ts';
import { seededRandom } from '../../../../runtime/base/random.ts';
import { checkLog } from '../../../../runtime/coordinator/boot/checked-log.ts';
import { createLedgerWriter } from '../../../../runtime/coordinator/perform/ledger-writer.ts';
import type { EpochTally } from '../../../../runtime/model/tally.ts';
import type { PlaceReads } from '../../../../runtime/results/place/contract.ts';
import { statePaths } from '../../../../runtime/run-dir/paths.ts';
import { candidate, setting } from '../../../support/lease-setting.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('a segment whose size cannot be read ends the boot with the reason, and is closed', async (t) => {
  const { ledger, clock } = setting();
  const leaseHolder = await candidate({ ledger, clock }, 'a');
  t.teardown(() => leaseHolder.stop());
  let open = 0;
  const place: PlaceReads = {
    name: 'segments',
    identity: async () => null,
    epochs: async () => [0],
    read: async () => {
      open += 1;
      return {
        size: () => Promise.reject(new Error('ESTALE')),
        read: async () => 0,
        close: async () => {
          open -= 1;
        },
      };
    },
  };
  // The comparison itself waits for an answer that does not come.
  const reads = { ...ledger, tallies: () => new Promise<readonly EpochTally[]>(() => undefined) };
  const paths = statePaths(temporaryDir(t));
  const check = {
    inputPath: 'in',
    paths,
    place,
    form: 'batch',
    again: { failed: false, damaged: false },
    ledger,
    reads,
    log: silentLog,
  } as const;
  const writer = createLedgerWriter({ leaseHolder, clock, random: seededRandom(1) });
  const scan = await ledger.scan(0);
  if (scan.kind === 'fenced') return t.fail();
  const unchecked = {
    epoch: 0,
    scan,
    writer,
    nextStamp: () => leaseHolder.nextStamp(),
    indexing: { done: new Promise<never>(() => undefined) },
  };
  await t.throwsAsync(checkLog(check, unchecked), { message: 'ESTALE' });
  t.is(open, 0);
});
