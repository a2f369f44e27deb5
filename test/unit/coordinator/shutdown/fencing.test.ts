import test from 'ava';
import { silentLog } from '../../../../runtime/base/log.ts';
import { announceFencing } from '../../../../runtime/coordinator/shutdown/fencing.ts';
import { candidate, setting } from '../../../support/lease-setting.ts';

/** What is done at the moment at which the holder learns it, in order. */
const ONCE = ['armed', '{"kind":"coordinator_fenced","epoch":0,"byEpoch":4}', 'told'];

test('L5: the watchdog is armed before anything else, then it is said, at once and once; who listens later is told after that', async (t) => {
  const leaseHolder = await candidate(setting(), 'a');
  const done: string[] = [];
  announceFencing({
    leaseHolder,
    watchdog: { arm: () => void done.push('armed') },
    events: { emit: (event) => void done.push(JSON.stringify(event)), close: async () => undefined },
    log: silentLog,
  });
  leaseHolder.fenced.addEventListener('abort', () => done.push('told'));
  t.deepEqual(done, []);
  leaseHolder.fence(4);
  t.deepEqual(done, ONCE);
  leaseHolder.fence(5);
  t.deepEqual(done, ONCE);
});
