import { execFile } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { chmod, copyFile, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { type Clock, systemClock } from '../../runtime/base/clock.ts';
import { RolloutError } from '../../runtime/base/errors.ts';
import type { silentLog } from '../../runtime/base/log.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { keepCertificateFresh } from '../../runtime/rpc/tls.ts';
import { ensureDevCa, issueCertificate, readRunId, renewAfterMs } from '../../runtime/tls/ca.ts';
import { makeCertificate } from '../../runtime/tls/certificate.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

const RUN_ID = '01HX0000000000000000000000';
const HOUR_MS = 3_600_000;
const run = promisify(execFile);

async function serialOf(path: string): Promise<string> {
  return new X509Certificate(await readFile(path)).serialNumber;
}

async function refusal(t: ExecutionContext, promise: Promise<unknown>): Promise<string> {
  return (await t.throwsAsync(promise, { instanceOf: RolloutError, code: 'TLS_INVALID' }))?.message ?? '';
}

test('the dev CA is made once and read afterwards; keys have mode 0600', async (t) => {
  const dir = join(temporaryDir(t), 'tls');
  t.deepEqual(await ensureDevCa(dir, RUN_ID), { isNew: true, caPath: join(dir, 'ca.pem') });
  const serial = await serialOf(join(dir, 'ca.pem'));
  t.deepEqual(await ensureDevCa(dir, RUN_ID), { isNew: false, caPath: join(dir, 'ca.pem') });
  t.is(await serialOf(join(dir, 'ca.pem')), serial);
  t.is(await readRunId(dir), RUN_ID);
  await issueCertificate(dir, { role: 'worker', workerId: 'w-1' });
  t.deepEqual((await readdir(dir)).sort(), ['ca.key.pem', 'ca.pem', 'worker-w-1.key.pem', 'worker-w-1.pem']);
  for (const key of ['ca.key.pem', 'worker-w-1.key.pem']) t.is((await stat(join(dir, key))).mode & 0o777, 0o600);
  t.is((await stat(dir)).mode & 0o777, 0o700);
});

test('a key that was cut is refused by name, and made again once it is removed', async (t) => {
  const dir = join(temporaryDir(t), 'tls');
  await ensureDevCa(dir, RUN_ID);
  const { keyPath, certPath } = await issueCertificate(dir, { role: 'client' });
  const whole = await readFile(keyPath, 'utf8');
  for (const contents of ['', whole.slice(0, whole.length / 2)]) {
    await writeFile(keyPath, contents);
    t.regex(await refusal(t, issueCertificate(dir, { role: 'client' })), /client\.key\.pem is no private key/);
  }
  await rm(keyPath);
  await issueCertificate(dir, { role: 'client' });
  t.true(new X509Certificate(await readFile(certPath)).checkPrivateKey(createPrivateKey(await readFile(keyPath))));
});

test('several processes that start for the first time at once make one CA, and their certificates all hold', async (t) => {
  const script = fileURLToPath(new URL('../support/make-dev-ca.ts', import.meta.url));
  for (let round = 0; round < 3; round += 1) {
    const dir = join(temporaryDir(t), 'tls');
    const startMs = String(systemClock.wallMs() + 700);
    const roles = ['w-1', 'w-2', 'client', 'client'];
    const outputs = await Promise.all(roles.map((role) => run(process.execPath, [script, dir, RUN_ID, role, startMs])));
    const found = outputs.map(({ stdout }) => JSON.parse(stdout) as { isNew: boolean });
    t.is(found.filter(({ isNew }) => isNew).length, 1, 'one of them prints the line');
    const ca = new X509Certificate(await readFile(join(dir, 'ca.pem')));
    for (const name of ['worker-w-1', 'worker-w-2', 'client']) {
      t.true(new X509Certificate(await readFile(join(dir, `${name}.pem`))).verify(ca.publicKey), name);
    }
    t.deepEqual(
      (await readdir(dir)).filter((name) => name.endsWith('.tmp')),
      [],
    );
  }
});

test('a process that died between key and certificate is finished by the next', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  await rm(join(dir, 'ca.pem'));
  t.true((await ensureDevCa(dir, RUN_ID)).isNew);
  t.is(await readRunId(dir), RUN_ID);
});

test('the directory of another run is refused with both runs named', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const message = await refusal(t, ensureDevCa(dir, '01HX1111111111111111111111'));
  t.regex(message, new RegExp(`${RUN_ID}.*01HX1111111111111111111111`));
});

test("certificates say who they are for, and a server's says where it is", async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const coordinator = await issueCertificate(dir, { role: 'coordinator', hosts: ['10.1.2.3', 'coordinator.example'] });
  const { subjectAltName, ca, keyUsage, validFrom, validTo } = new X509Certificate(await readFile(coordinator.certPath));
  for (const name of [
    `URI:spiffe://rollout/${RUN_ID}/coordinator`,
    'DNS:localhost',
    'IP Address:127.0.0.1',
    'IP Address:10.1.2.3',
    'DNS:coordinator.example',
  ]) {
    t.true(subjectAltName?.split(', ').includes(name), `${subjectAltName} should have ${name}`);
  }
  t.false(ca);
  t.deepEqual(keyUsage, ['1.3.6.1.5.5.7.3.1'], 'for servers');
  t.true(Date.parse(validFrom) <= systemClock.wallMs() - 2 * HOUR_MS, 'backdated, for clocks that differ by two hours');
  t.true(Date.parse(validTo) - systemClock.wallMs() <= 24 * HOUR_MS);
  const worker = await issueCertificate(dir, { role: 'worker', workerId: 'w-1' });
  const certificate = new X509Certificate(await readFile(worker.certPath));
  t.is(certificate.subjectAltName, `URI:spiffe://rollout/${RUN_ID}/worker/w-1`);
  t.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.2'], 'for clients');
});

test('brought certificates are used as they are; what is missing or wrong is named', async (t) => {
  const made = temporaryDir(t);
  await ensureDevCa(made, RUN_ID);
  const { certPath, keyPath } = await issueCertificate(made, { role: 'worker', workerId: 'w-1' });
  const dir = temporaryDir(t);
  t.regex(await refusal(t, issueCertificate(dir, { role: 'client' })), /ca\.pem is missing/);
  await copyFile(join(made, 'ca.pem'), join(dir, 'ca.pem'));
  t.regex(await refusal(t, issueCertificate(dir, { role: 'worker', workerId: 'w-1' })), /worker-w-1\.key\.pem is missing/);
  await copyFile(keyPath, join(dir, 'worker-w-1.key.pem'));
  t.regex(await refusal(t, issueCertificate(dir, { role: 'worker', workerId: 'w-1' })), /worker-w-1\.pem is missing/);
  await copyFile(certPath, join(dir, 'worker-w-1.pem'));
  const before = await serialOf(join(dir, 'worker-w-1.pem'));
  t.is((await issueCertificate(dir, { role: 'worker', workerId: 'w-1' })).certPath, join(dir, 'worker-w-1.pem'));
  t.is(await serialOf(join(dir, 'worker-w-1.pem')), before);

  await copyFile(keyPath, join(dir, 'worker-w-2.key.pem'));
  await copyFile(certPath, join(dir, 'worker-w-2.pem'));
  t.regex(await refusal(t, issueCertificate(dir, { role: 'worker', workerId: 'w-2' })), /must carry .*\/worker\/w-2/);

  for (const name of ['w-1', 'w-2']) for (const kind of ['pem', 'key.pem']) await rm(join(dir, `worker-${name}.${kind}`));
  await copyFile(keyPath, join(dir, 'workers.key.pem'));
  await copyFile(certPath, join(dir, 'workers.pem'));
  t.regex(await refusal(t, issueCertificate(dir, { role: 'worker', workerId: 'w-2' })), /must carry .*\/workers and no other/);
  const authority = { certPem: await readFile(join(made, 'ca.pem'), 'utf8'), keyPem: await readFile(join(made, 'ca.key.pem'), 'utf8') };
  const ofAll = { role: 'workers', runId: RUN_ID } as const;
  const making = { nowMs: systemClock.wallMs(), random: systemRandom };
  await writeFile(join(dir, 'workers.pem'), await makeCertificate(await readFile(keyPath, 'utf8'), ofAll, [], authority, making));
  t.is((await issueCertificate(dir, { role: 'worker', workerId: 'w-2' })).certPath, join(dir, 'workers.pem'), 'one for all workers');
  t.deepEqual(await ensureDevCa(dir, RUN_ID), { isNew: false, caPath: join(dir, 'ca.pem') });
});

test('a file that is no certificate or no key is named', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  await writeFile(join(dir, 'ca.key.pem'), 'nonsense');
  t.regex(await refusal(t, issueCertificate(dir, { role: 'client' })), /ca\.key\.pem/);
  await writeFile(join(dir, 'ca.pem'), 'nonsense');
  t.regex(await refusal(t, readRunId(dir)), /ca\.pem is no certificate/);
});

test('a key that may not be read is named', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  await rm(join(dir, 'ca.key.pem'));
  // A directory in its place: not readable, whoever runs the test.
  await rename(await mkdtemp(join(dir, 'd-')), join(dir, 'ca.key.pem'));
  t.regex(await refusal(t, issueCertificate(dir, { role: 'client' })), /cannot read .*ca\.key\.pem/);
  await chmod(dir, 0o700);
});

test('a certificate is made again at half of its life, for the same key', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const request = { role: 'client' } as const;
  const files = await issueCertificate(dir, request);
  const first = await serialOf(files.certPath);
  const key = await readFile(files.keyPath, 'utf8');
  let nowMs = systemClock.wallMs();
  const ticks: (() => void)[] = [];
  const clock: Clock = {
    ...systemClock,
    wallMs: () => nowMs,
    every: (_, tick) => {
      ticks.push(tick);
      return { stop: () => ticks.pop() };
    },
  };
  const renewed: string[] = [];
  const log = { info: (_: unknown, message: string) => renewed.push(message), error: t.fail } as unknown as typeof silentLog;
  const timer = keepCertificateFresh(dir, request, files, clock, log);
  t.true(Math.abs((await renewAfterMs(files)) - nowMs - 10.5 * HOUR_MS) < HOUR_MS / 4);

  nowMs += 10 * HOUR_MS;
  ticks[0]?.();
  await systemClock.sleep(200);
  t.is(await serialOf(files.certPath), first, 'not before it is halfway between its two dates');

  nowMs += HOUR_MS;
  ticks[0]?.();
  await until('it is renewed', PATIENCE_MS, () => renewed.length > 0);
  t.not(await serialOf(files.certPath), first);
  t.is(await readFile(files.keyPath, 'utf8'), key);
  timer.stop();
  t.is(ticks.length, 0);
});

test('a certificate is used again in the first half of its life, and made again after it, for other hosts, or for another key', async (t) => {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const request = { role: 'coordinator', hosts: ['one.example'] } as const;
  const { certPath, keyPath } = await issueCertificate(dir, request);
  const read = (): Promise<string> => readFile(certPath, 'utf8');
  const first = await read();
  await issueCertificate(dir, request);
  t.is(await read(), first);
  await issueCertificate(dir, { role: 'coordinator', hosts: ['other.example'] });
  const second = await read();
  t.not(second, first);
  await rm(keyPath);
  await issueCertificate(dir, { role: 'coordinator', hosts: ['other.example'] });
  const third = await read();
  t.not(third, second);
  const later = { ...systemClock, wallMs: () => systemClock.wallMs() + 13 * HOUR_MS };
  await issueCertificate(dir, { role: 'coordinator', hosts: ['other.example'] }, later);
  t.not(await read(), third);
});
