import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock } from '../../runtime/base/clock.ts';
import { silentLog } from '../../runtime/base/log.ts';
import { systemRandom } from '../../runtime/base/random.ts';
import { createRunClient, type RunClient } from '../../runtime/rpc/client.ts';
import { startServer } from '../../runtime/rpc/server.ts';
import { clientCredentials, clientCredentialsOf, serverCredentials } from '../../runtime/rpc/tls.ts';
import { issueCertificate, readRunId } from '../../runtime/tls/ca.ts';
import { type Authority, makeCertificate, makeKeyPem } from '../../runtime/tls/certificate.ts';
import { watchCertificate } from '../../runtime/tls/certificate-watch.ts';
import type { Identity } from '../../runtime/tls/identity.ts';
import { issueAuthority, makeIssuer } from '../support/issuer.ts';
import { temporaryDir } from '../support/temporary-dir.ts';
import { PATIENCE_MS, until } from '../support/until.ts';

/** Certificates as cert-manager brings them: an issuer of a company has signed the run's authority, and is in nobody's file. */

const RUN_ID = '01HX0000000000000000000000';
const ROLES = ['coordinator', 'client'] as const;

/** As a volume has them: the chain goes from the leaf up to the authority. */
async function bring(dir: string, signer: Authority): Promise<string> {
  mkdirSync(dir, { recursive: true });
  const making = { nowMs: systemClock.wallMs(), random: systemRandom };
  const put = (name: string, text: string): void => {
    writeFileSync(join(dir, 'unfinished'), text);
    renameSync(join(dir, 'unfinished'), join(dir, name));
  };
  put('ca.pem', signer.certPem);
  for (const role of ROLES) {
    const key = await makeKeyPem();
    const identity: Identity = { role, runId: RUN_ID };
    put(`${role}.pem`, `${await makeCertificate(key, identity, [], signer, making)}\n${signer.certPem}`);
    put(`${role}.key.pem`, key);
  }
  return dir;
}

async function serve(t: ExecutionContext, dir: string): Promise<string> {
  const server = await startServer({
    listen: '127.0.0.1:0',
    credentials: serverCredentials(await issueCertificate(dir, { role: 'coordinator', hosts: [] }), silentLog),
    runId: RUN_ID,
    clock: systemClock,
    coordinatorInfo: () => ({ epoch: 7, role: 'passive', primaryAddress: '' }),
    core: () => null,
    log: silentLog,
  });
  t.teardown(() => server.stop(0));
  return server.address;
}

async function clientIn(t: ExecutionContext, dir: string, address: string): Promise<RunClient> {
  const files = await issueCertificate(dir, { role: 'client' });
  const client = createRunClient({ address, credentials: clientCredentials(files, RUN_ID, silentLog), clock: systemClock });
  t.teardown(() => client.close());
  return client;
}

test('both sides accept one another by the authority of the run, which is signed by somebody else', async (t) => {
  const company = await makeIssuer('company', systemClock.wallMs());
  const dir = await bring(temporaryDir(t), await issueAuthority(company, RUN_ID, systemClock.wallMs()));
  t.is(await readRunId(dir), RUN_ID);
  const address = await serve(t, dir);
  t.like(await (await clientIn(t, dir, address)).identify(), { kind: 'reply', reply: { epoch: 7 } });
  const pem = watchCertificate(await issueCertificate(dir, { role: 'client' }), RUN_ID, silentLog).pair();
  const fromMemory = createRunClient({ address, credentials: clientCredentialsOf(pem, RUN_ID), clock: systemClock });
  t.teardown(() => fromMemory.close());
  t.like(await fromMemory.identify(), { kind: 'reply', reply: { epoch: 7 } });
});

test('whoever has a certificate of the company, with whatever name, is neither a client nor a coordinator of the run', async (t) => {
  const company = await makeIssuer('company', systemClock.wallMs());
  const dir = await bring(join(temporaryDir(t), 'own'), await issueAuthority(company, RUN_ID, systemClock.wallMs()));
  // It trusts the company, so that nothing on its own side stands in its way.
  const foreign = await bring(join(temporaryDir(t), 'foreign'), company);
  const [own, intruder] = [await serve(t, dir), await serve(t, foreign)];
  t.is((await (await clientIn(t, foreign, intruder)).identify()).kind, 'reply');
  t.is((await (await clientIn(t, foreign, own)).identify()).kind, 'unreachable');
  t.is((await (await clientIn(t, dir, intruder)).identify()).kind, 'unreachable');
  t.is((await (await clientIn(t, dir, own)).identify()).kind, 'reply');
});

test('leaves and authority are renewed without a restart, where the authority keeps its key', async (t) => {
  const company = await makeIssuer('company', systemClock.wallMs());
  const run = await issueAuthority(company, RUN_ID, systemClock.wallMs());
  const dir = await bring(temporaryDir(t), run);
  const address = await serve(t, dir);
  const first = await clientIn(t, dir, address);
  t.is((await first.identify()).kind, 'reply');
  const watched = watchCertificate(await issueCertificate(dir, { role: 'client' }), RUN_ID, silentLog);
  const taken: string[] = [];
  const following = watched.follow(({ cert }) => taken.push(String(cert)));
  t.teardown(() => following.stop());
  await bring(dir, await issueAuthority(company, RUN_ID, systemClock.wallMs(), run.keyPem));
  await until('the renewed files are taken', PATIENCE_MS, () => taken.length > 0 && watched.view().refused === null);
  t.is((await first.identify()).kind, 'reply');
  await until('new connections work', PATIENCE_MS, async () => (await (await clientIn(t, dir, address)).identify()).kind === 'reply');
});
