import { X509Certificate } from 'node:crypto';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { kubeCredentials, readKubeConfig } from '../../../../operator/kube/credentials.ts';
import { createTransport } from '../../../../operator/kube/transport.ts';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { ensureDevCa, issueCertificate } from '../../../../runtime/tls/ca.ts';
import { edgeConfig, edgeCredentials } from '../../../support/edge-config.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const RUN_ID = '01JABCDEFGHJKMNPQRSTVWXYZ0';

interface Stage {
  readonly dir: string;
  readonly server: string;
  /** Who called: the token, and the name in the client's certificate. */
  readonly seen: { readonly authorization: string | undefined; readonly client: string | null }[];
}

/** An API server with TLS that asks for a client's certificate, and takes callers without one. */
async function stage(t: ExecutionContext): Promise<Stage> {
  const dir = temporaryDir(t);
  await ensureDevCa(dir, RUN_ID);
  const own = await issueCertificate(dir, { role: 'coordinator', hosts: ['127.0.0.1'] });
  const options: ServerOptions = {
    ca: readFileSync(own.caPath),
    cert: readFileSync(own.certPath),
    key: readFileSync(own.keyPath),
    requestCert: true,
    rejectUnauthorized: false,
  };
  const seen: Stage['seen'] = [];
  const server = createServer(options, (request, response) => {
    const { raw } = (request.socket as TLSSocket).getPeerCertificate();
    const client = raw === undefined ? null : (new X509Certificate(raw).subjectAltName ?? null);
    seen.push({ authorization: request.headers.authorization, client });
    response.end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { dir, server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** A kubeconfig as kubectl reads it; JSON is YAML. */
function configFile({ dir, server }: Stage, user: object, cluster: object = {}): string {
  const file = join(dir, 'config');
  writeFileSync(
    file,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority': 'ca.pem', ...cluster } }],
      users: [{ name: 'u', user }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace: 'own' } }],
      'current-context': 'x',
    }),
  );
  return file;
}

async function call(t: ExecutionContext, made: Stage, user: object, cluster?: object): Promise<void> {
  const credentials = kubeCredentials(readKubeConfig(configFile(made, user, cluster)));
  const transport = createTransport({ credentials, clock: systemClock, userAgent: 'x' });
  t.teardown(() => transport.close());
  await transport.call({ method: 'GET', path: '/' });
}

test('a file names the server, its authority and a token, with paths beside it', async (t) => {
  const made = await stage(t);
  await call(t, made, { token: 'abc' });
  t.deepEqual(made.seen, [{ authorization: 'Bearer abc', client: null }]);
  t.is(kubeCredentials(readKubeConfig(configFile(made, {}))).namespace, 'own');
});

test('a client certificate is shown to the server', async (t) => {
  const made = await stage(t);
  await issueCertificate(made.dir, { role: 'client' });
  await call(t, made, { 'client-certificate': 'client.pem', 'client-key': 'client.key.pem' });
  t.regex(made.seen[0]?.client ?? '', /client/);
});

test('a plugin that prints a token is asked once while that is valid', async (t) => {
  const made = await stage(t);
  const plugin = join(made.dir, 'plugin');
  const credential = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status: { token: 'from-plugin' } };
  writeFileSync(plugin, `#!/bin/sh\necho asked >> ${made.dir}/asked\necho '${JSON.stringify(credential)}'\n`);
  chmodSync(plugin, 0o700);
  const config = readKubeConfig(configFile(made, { exec: { apiVersion: credential.apiVersion, command: plugin } }));
  const transport = createTransport({ credentials: kubeCredentials(config), clock: systemClock, userAgent: 'x' });
  t.teardown(() => transport.close());
  await Promise.all(Array.from({ length: 5 }, () => transport.call({ method: 'GET', path: '/' })));
  t.deepEqual(new Set(made.seen.map(({ authorization }) => authorization)), new Set(['Bearer from-plugin']));
  t.is(readFileSync(join(made.dir, 'asked'), 'utf8'), 'asked\n');
});

test('a server whose certificate is of another authority is refused', async (t) => {
  const made = await stage(t);
  const other = temporaryDir(t);
  const { caPath } = await ensureDevCa(other, RUN_ID);
  await t.throwsAsync(call(t, made, { token: 'abc' }, { 'certificate-authority': caPath }), { message: /certificate/ });
  t.deepEqual(made.seen, []);
});

test('a renewed certificate is used by the next connection, and nothing is renewed for nothing', async (t) => {
  const made = await stage(t);
  await issueCertificate(made.dir, { role: 'client' });
  const credentials = kubeCredentials(
    readKubeConfig(configFile(made, { 'client-certificate': 'client.pem', 'client-key': 'client.key.pem' })),
  );
  const first = await credentials.access();
  t.is((await credentials.access()).agent, first.agent);
  const other = temporaryDir(t);
  await ensureDevCa(other, RUN_ID);
  const { certPath, keyPath } = await issueCertificate(other, { role: 'client' });
  writeFileSync(join(made.dir, 'client.pem'), readFileSync(certPath));
  writeFileSync(join(made.dir, 'client.key.pem'), readFileSync(keyPath));
  t.not((await credentials.access()).agent, first.agent);
  credentials.close();
});

test('calls at the same time share one look at the credentials', async (t) => {
  const credentials = edgeCredentials('http://127.0.0.1:1');
  t.is(credentials.access(), credentials.access());
  const { headers, auth } = await credentials.access();
  t.like(headers, { Authorization: 'Bearer secret-token' });
  t.is(auth, null);
});

test('a configuration without a cluster is refused with what is missing', (t) => {
  const dir = temporaryDir(t);
  writeFileSync(join(dir, 'config'), '{"clusters":[],"users":[],"contexts":[]}');
  t.throws(() => kubeCredentials(readKubeConfig(join(dir, 'config'))), { message: /no current context/ });
});

test('a token file is read without the end of its line', async (t) => {
  const file = join(temporaryDir(t), 'token');
  writeFileSync(file, 'from-file\n');
  const user = { authProvider: { name: 'tokenFile', config: { tokenFile: file } } };
  const { headers } = await kubeCredentials(edgeConfig('http://127.0.0.1:1', user)).access();
  t.is(headers['Authorization'], 'Bearer from-file');
});
