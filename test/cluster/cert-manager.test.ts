import type { V1Secret } from '@kubernetes/client-node';
import test from 'ava';
import { startCertManager } from '../support/cluster/cert-manager.ts';
import { testNamespace } from '../support/cluster/namespace.ts';
import { startCluster } from '../support/cluster/start-cluster.ts';

const cluster = await startCluster({ nodes: 1 });

test('cert-manager issues a certificate into a Secret with the keys that the product reads', async (t) => {
  t.timeout(30 * 60_000); // It may have to be built first.
  const namespace = await testNamespace(t, cluster);
  await startCertManager(t, cluster);
  await cluster.applyYaml(
    namespace,
    `
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: own}
spec: {selfSigned: {}}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: coordinator}
spec: {secretName: coordinator-tls, dnsNames: [coordinator.example], issuerRef: {name: own}}
`,
  );
  await cluster.kubectl('wait', '--namespace', namespace, '--for=condition=Ready', '--timeout=120s', 'certificate/coordinator');
  const secret = await cluster.api.call<V1Secret>('GET', `/api/v1/namespaces/${namespace}/secrets/coordinator-tls`);
  t.deepEqual(Object.keys(secret.data ?? {}).toSorted(), ['ca.crt', 'tls.crt', 'tls.key']);
});
