import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { type NamedFile, requireUsable } from '../../../../runtime/ledger/redis/tls-files.ts';
import { ensureDevCa, issueCertificate } from '../../../../runtime/tls/ca.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

test('certificates and a key that belong together are usable; any other file is refused by its option and its path', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, 'run');
  await issueCertificate(dir, { role: 'client' });
  const read = (name: string): NamedFile => ({ name: `--${name}`, path: name, text: readFileSync(join(dir, name), 'utf8') });
  const [ca, cert, key] = [read('ca.pem'), read('client.pem'), read('client.key.pem')];
  const garbage = { name: '--garbage', path: 'garbage', text: 'garbage' };
  t.notThrows(() => requireUsable({ ca: null, cert: null, key: null }));
  t.notThrows(() => requireUsable({ ca, cert, key }));
  const cases: readonly [Parameters<typeof requireUsable>[0], RegExp][] = [
    [{ ca: garbage, cert, key }, /^--garbage: garbage holds no certificate/],
    [{ ca, cert: garbage, key }, /^--garbage: garbage holds no certificate/],
    [{ ca, cert, key: garbage }, /^--garbage: garbage holds no private key without a passphrase/],
    [{ ca, cert, key: read('ca.key.pem') }, /^--ca\.key\.pem: ca\.key\.pem is not the key of the certificate client\.pem/],
  ];
  for (const [files, message] of cases) t.throws(() => requireUsable(files), { code: 'TLS_INVALID', message });
});
