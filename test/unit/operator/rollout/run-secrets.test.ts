import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Secret } from '../../../../operator/kube/kind.ts';
import { Store } from '../../../../operator/kube/store.ts';
import { childMeta, TLS_ROLES, type TlsRole } from '../../../../operator/rollout/children.ts';
import { tlsVolume } from '../../../../operator/rollout/desired/container.ts';
import { runIdOf } from '../../../../operator/rollout/run-id.ts';
import { hasCertificates, operatorPem, runSecrets } from '../../../../operator/rollout/run-secrets.ts';
import { systemClock } from '../../../../runtime/base/clock.ts';
import { silentLog } from '../../../../runtime/base/log.ts';
import { type CertificateRequest, issueCertificate, readRunId } from '../../../../runtime/tls/ca.ts';
import { watchCertificate } from '../../../../runtime/tls/certificate-watch.ts';
import { ISSUED_RUN, issuedAuthority, issuedSecrets } from '../../../support/operator/issued-secrets.ts';
import { runOf } from '../../../support/operator/run-world.ts';
import { temporaryDir } from '../../../support/temporary-dir.ts';

const NOW = systemClock.wallMs();
const SECRETS = await issuedSecrets(await issuedAuthority(NOW), NOW);
const OTHER: Secret = { metadata: { name: 'other', namespace: 'team', uid: 'o' } };
const REQUESTS: Readonly<Record<TlsRole, CertificateRequest>> = {
  coordinator: { role: 'coordinator', hosts: [] },
  worker: { role: 'worker', workerId: 'answers-worker-0-0' },
  client: { role: 'client' },
};

function storeOf(secrets: Iterable<Secret>): Store<Secret> {
  const store = new Store<Secret>();
  for (const secret of secrets) store.put(secret);
  return store;
}

test('those of cert-manager are found by their names, those that a run makes by their owner', (t) => {
  t.deepEqual([...runSecrets(storeOf([...SECRETS.values(), OTHER]), ISSUED_RUN).keys()], [...SECRETS.keys()]);
  const run = runOf();
  const own: Secret = { metadata: { ...childMeta(run, 'answers-client-tls', 'coordinator'), uid: 'c' } };
  t.deepEqual([...runSecrets(storeOf([...SECRETS.values(), OTHER, own]), run).keys()], ['answers-client-tls']);
});

test('certificates are there where cert-manager has issued them, or none of the own is missing', (t) => {
  t.true(hasCertificates(ISSUED_RUN, SECRETS, { kind: 'issued' }, NOW));
  t.false(hasCertificates(ISSUED_RUN, SECRETS, { kind: 'pending', message: '' }, NOW));
  t.true(hasCertificates(runOf(), SECRETS, null, NOW));
  t.false(hasCertificates(runOf(), new Map(), null, NOW));
});

test('the operator trusts the authority of the run, and not whoever has signed that', (t) => {
  const pem = operatorPem(ISSUED_RUN, SECRETS);
  const inSecret = (name: string, key: string): string => Buffer.from(SECRETS.get(name)?.data?.[key] ?? '', 'base64').toString();
  t.is(String(pem?.ca), inSecret('answers-ca', 'tls.crt'));
  t.is(String(pem?.cert), inSecret('answers-client-tls', 'tls.crt'));
  const withoutAuthority = new Map([...SECRETS].filter(([name]) => name !== 'answers-ca'));
  t.is(operatorPem(ISSUED_RUN, withoutAuthority), null);
});

/** As the kubelet mounts what the volume names. */
function mounted(t: ExecutionContext, role: TlsRole): string {
  const dir = join(temporaryDir(t), role);
  mkdirSync(dir);
  for (const { secret } of tlsVolume('answers', role, 'certManager').projected?.sources ?? [])
    for (const { key, path } of secret?.items ?? [])
      writeFileSync(join(dir, path), Buffer.from(SECRETS.get(secret?.name ?? '')?.data?.[key] ?? '', 'base64'));
  return dir;
}

test('the processes of the run take the files as they are mounted', async (t) => {
  for (const role of TLS_ROLES) {
    const dir = mounted(t, role);
    const runId = runIdOf(ISSUED_RUN.metadata.uid);
    t.is(await readRunId(dir), runId, role);
    const watched = watchCertificate(await issueCertificate(dir, REQUESTS[role]), runId, silentLog);
    t.is(watched.view().refused, null);
    t.true(watched.pair().isPartial);
  }
});

test('no key of the authority is mounted', (t) => {
  for (const role of TLS_ROLES) {
    const [authority] = tlsVolume('answers', role, 'certManager').projected?.sources ?? [];
    t.deepEqual(authority?.secret, { name: 'answers-ca', items: [{ key: 'tls.crt', path: 'ca.pem' }] });
  }
});
