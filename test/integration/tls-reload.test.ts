import { X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect as tlsConnect } from 'node:tls';
import test from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { createRunClient } from '../../runtime/rpc/client.ts';
import { startServer } from '../../runtime/rpc/server.ts';
import { clientCredentials, serverCredentials } from '../../runtime/rpc/tls.ts';
import { ensureDevCa, issueCertificate, type TlsFiles } from '../../runtime/tls/ca.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const RUN_ID = '01HX0000000000000000000000';

async function serialOf(path: string): Promise<string> {
  return new X509Certificate(await readFile(path)).serialNumber;
}

/** The serial number of the certificate that a new connection is shown. */
async function shownSerial(address: string, files: TlsFiles): Promise<string> {
  const [ca, cert, key] = await Promise.all([readFile(files.caPath), readFile(files.certPath), readFile(files.keyPath)]);
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({
      host: '127.0.0.1',
      port: Number(address.split(':')[1]),
      ca,
      cert,
      key,
      servername: 'localhost',
      ALPNProtocols: ['h2'],
    });
    socket.once('secureConnect', () => {
      resolve(socket.getPeerCertificate().serialNumber);
      socket.destroy();
    });
    socket.once('error', reject);
  });
}

async function startPassive(dir: string): Promise<Awaited<ReturnType<typeof startServer>>> {
  return startServer({
    listen: '127.0.0.1:0',
    credentials: serverCredentials(await issueCertificate(dir, { role: 'coordinator', hosts: [] }), silentLog),
    runId: RUN_ID,
    clock: systemClock,
    coordinatorInfo: () => ({ epoch: 0, role: 'passive', primaryAddress: '' }),
    core: () => null,
    log: silentLog,
  });
}

test('a server shows a changed certificate to new connections, and old ones go on', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const server = await startPassive(dir);
  const files = await issueCertificate(dir, { role: 'client' });
  const client = createRunClient({ address: server.address, credentials: clientCredentials(files, RUN_ID, silentLog), clock: systemClock });
  t.is((await client.identify()).kind, 'reply');
  const before = await shownSerial(server.address, files);
  t.is(before, await serialOf(join(dir, 'coordinator.pem')));

  await issueCertificate(dir, { role: 'coordinator', hosts: ['renewed.example'] });
  const renewed = await serialOf(join(dir, 'coordinator.pem'));
  t.not(renewed, before);
  await until('the renewed certificate is shown', PATIENCE_MS, async () => (await shownSerial(server.address, files)) === renewed);
  t.is((await client.identify()).kind, 'reply');
  client.close();
  await server.stop(100);
});

test('a client uses changed files for new connections, and keeps the last good ones while files do not fit together', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const server = await startPassive(dir);
  const files = await issueCertificate(dir, { role: 'client' });
  const warned: string[] = [];
  const told: string[] = [];
  const note = (to: string[]) => (_: unknown, message: string) => to.push(message);
  const log = { warn: note(warned), info: note(told) } as unknown as typeof silentLog;
  const credentials = clientCredentials(files, RUN_ID, log);
  // The files are watched while a client lives; each probe is another client, so another connection.
  const leaseHolder = createRunClient({ address: server.address, credentials, clock: systemClock });
  t.is((await leaseHolder.identify()).kind, 'reply');
  const probe = async (): Promise<string> => {
    const client = createRunClient({ address: server.address, credentials, clock: systemClock });
    const { kind } = await client.identify();
    client.close();
    return kind;
  };

  const foreign = temporaryDir(t);
  await ensureDevCa(foreign, RUN_ID);
  const bad = await issueCertificate(foreign, { role: 'client' });
  const good = await readFile(files.certPath);
  const goodKey = await readFile(files.keyPath);

  await writeFile(files.keyPath, await readFile(bad.keyPath));
  await until('the mistake is told', PATIENCE_MS, () => warned.length > 0);
  t.is(await probe(), 'reply', 'key and certificate do not fit: the last good pair is used');

  const before = warned.length;
  await writeFile(files.certPath, await readFile(bad.certPath));
  await until('the next mistake is told', PATIENCE_MS, () => warned.length > before);
  t.is(await probe(), 'reply', 'they fit, and are of another authority, which no peer accepts: the last good pair is used');

  await writeFile(files.keyPath, goodKey);
  await writeFile(files.certPath, good);
  await until('the good files are taken', PATIENCE_MS, () => told.length > 0);
  t.deepEqual(told, ['the certificate files are good again, and taken']);
  t.is(await probe(), 'reply');
  leaseHolder.close();
  await server.stop(100);
});

test('files that cannot be used are refused when the credentials are made', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const files = await issueCertificate(dir, { role: 'client' });
  await writeFile(files.certPath, 'nonsense');
  const error = t.throws(() => clientCredentials(files, RUN_ID, silentLog), { instanceOf: RolloutError, code: 'TLS_INVALID' });
  t.regex(error?.message ?? '', /client\.pem/);
});
