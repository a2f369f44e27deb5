import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { conditionOf } from '../../operator/api/conditions.ts';
import type { Secret } from '../../operator/kube/kind.ts';
import { certificateIn, textIn } from '../../operator/rollout/tls-secret.ts';
import { startCertManager } from '../support/cluster/cert-manager.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { installOperator } from '../support/cluster/operator.ts';
import { ClusterRun } from '../support/cluster/rollout-run.ts';
import { type Cluster, startCluster } from '../support/cluster/start-cluster.ts';
import { untilSeen } from '../support/cluster/until-seen.ts';
import { PATIENCE_MS } from '../support/until.ts';

/** An issuer as a company has one: of kind CA, with an authority that is signed by itself. */
const COMPANY = `
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: own}
spec: {selfSigned: {}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: company}
spec:
  isCA: true
  commonName: company
  secretName: company
  privateKey: {algorithm: ECDSA, size: 256}
  issuerRef: {name: own}
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: company}
spec: {ca: {secretName: company}}
`;

async function secretIn(cluster: Cluster, namespace: string, name: string): Promise<Secret | null> {
  return cluster.api.find<Secret>(`/api/v1/namespaces/${namespace}/secrets/${name}`);
}

async function serialOf(cluster: Cluster, namespace: string, name: string): Promise<string> {
  return certificateIn(await secretIn(cluster, namespace, name))?.serialNumber ?? '';
}

test.serial('a run with certificates of cert-manager: from the wait for its issuer to the end, over a renewal', async (t) => {
  t.timeout(45 * 60_000); // cert-manager may have to be built first.
  const cluster = await startCluster({ nodes: 2 });
  await installOperator(t, cluster);
  const namespace = await testNamespace(t, cluster);
  const run = await ClusterRun.apply(cluster, namespace, {
    name: 'issued',
    items: 1_000,
    parallelism: 2,
    concurrency: 1,
    latency: '2s',
    spec: { certificates: { mode: 'certManager', issuerRef: { name: 'company', kind: 'Issuer' } } },
  });
  const waiting = await run.untilCondition('CertificatesReady', 'False');
  const condition = conditionOf(waiting.status?.conditions ?? [], 'CertificatesReady');
  t.true(['CertificatesPending', 'CertManagerMissing'].includes(condition?.reason ?? ''), condition?.message);

  await startCertManager(t, cluster);
  await cluster.applyYaml(namespace, COMPANY);
  await run.untilCondition('CertificatesReady', 'True');
  await run.untilReady(2);

  // The authority is signed by the company, and what it signs is not.
  const company = certificateIn(await secretIn(cluster, namespace, 'company'));
  const authority = certificateIn(await secretIn(cluster, namespace, 'issued-ca'));
  const leaf = certificateIn(await secretIn(cluster, namespace, 'issued-worker-tls'));
  if (company === null || authority === null || leaf === null) throw new Error('a certificate is missing');
  t.true(authority.verify(company.publicKey));
  t.true(leaf.verify(authority.publicKey));
  t.is(authority.subjectAltName, `URI:spiffe://rollout/${(await run.get()).status?.runId}`);
  const top = textIn(await secretIn(cluster, namespace, 'issued-worker-tls'), 'ca.crt') ?? '';
  t.is(new X509Certificate(top).subject, company.subject);

  // All certificates of the parts are issued anew; nothing is restarted, and who comes later is let in.
  const before = await run.pods('coordinator');
  for (const name of ['issued-coordinator-tls', 'issued-worker-tls', 'issued-client-tls']) {
    const serial = await serialOf(cluster, namespace, name);
    const path = `/apis/cert-manager.io/v1/namespaces/${namespace}/certificates/${name}`;
    await cluster.api.call('PATCH', path, { spec: { duration: '25h' } }, 'application/merge-patch+json');
    await untilSeen(
      `${name} is issued anew`,
      PATIENCE_MS,
      () => serialOf(cluster, namespace, name),
      (seen) => seen !== '' && seen !== serial,
    );
  }
  const [worker] = await run.workers();
  await cluster.kubectl('delete', 'pod', worker?.metadata.name ?? '', '--namespace', namespace, '--wait=false');
  await run.untilReady(2);
  t.deepEqual(
    (await run.pods('coordinator')).map(({ metadata, status }) => [metadata.uid, status?.containerStatuses?.[0]?.restartCount]),
    before.map(({ metadata }) => [metadata.uid, 0]),
  );
  await run.hasten('1ms');
  const ended = await run.assertComplete(t);
  t.is(conditionOf(ended.status?.conditions ?? [], 'CertificatesReady')?.status, 'True');

  await run.delete();
  for (const name of ['issued-ca', 'issued-coordinator-tls', 'issued-worker-tls', 'issued-client-tls'])
    await untilSeen(
      `${name} goes with the run`,
      PATIENCE_MS,
      () => secretIn(cluster, namespace, name),
      (seen) => seen === null,
    );
});
