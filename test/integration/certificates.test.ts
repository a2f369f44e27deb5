import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { prepareCertificates } from '../../runtime/cli/verbs/certificates.ts';
import { issueCertificate } from '../../runtime/tls/ca.ts';
import { scratch } from '../support/scratch.ts';

const RUN_ID = '01JTESTRUN0000000000000000';

test('the processes of a run take the certificates that were made before they start', async (t) => {
  const dir = join(scratch(t), 'tls');
  const { isNew } = await prepareCertificates(dir, RUN_ID, 2);
  t.true(isNew);
  const made = contentsOf(dir);
  await issueCertificate(dir, { role: 'coordinator', hosts: ['127.0.0.1'] });
  await issueCertificate(dir, { role: 'client' });
  for (const workerId of ['w1', 'w2']) await issueCertificate(dir, { role: 'worker', workerId });
  t.deepEqual(contentsOf(dir), made);
});

test('where the authority is brought without its key, nothing is made', async (t) => {
  const dir = join(scratch(t), 'tls');
  await prepareCertificates(dir, RUN_ID, 0);
  rmSync(join(dir, 'ca.key.pem'));
  const before = contentsOf(dir);
  t.false((await prepareCertificates(dir, RUN_ID, 2)).isNew);
  t.deepEqual(contentsOf(dir), before);
});

function contentsOf(dir: string): ReadonlyMap<string, string> {
  return new Map(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
}
