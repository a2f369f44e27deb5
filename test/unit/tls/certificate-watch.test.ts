import test from 'ava';
import { silentLog } from '../../../runtime/base/log.ts';
import { ensureDevCa, issueCertificate } from '../../../runtime/tls/ca.ts';
import { watchCertificate } from '../../../runtime/tls/certificate-watch.ts';
import { temporaryDir } from '../../support/temporary-dir.ts';

const RUN_ID = '01HX0000000000000000000000';
/** Many more than Node allows of one event without a warning. */
const WATCHES = 40;

test('a process may watch one certificate for as many workers as it has, without a warning', async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ name }: Error): number => warnings.push(name);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const files = await issueCertificate(dir, { role: 'client' });
  for (let n = 0; n < WATCHES; n += 1) {
    const following = watchCertificate(files, RUN_ID, silentLog).follow(() => undefined);
    t.teardown(() => following.stop());
  }
  // A warning is told in a turn of its own.
  await new Promise((resolve) => setImmediate(resolve));
  t.deepEqual(warnings, []);
});
