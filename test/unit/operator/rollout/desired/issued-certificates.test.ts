import test from 'ava';
import type { Certificate, Issuer } from '../../../../../operator/rollout/cert-manager-kinds.ts';
import { issuedCertificates } from '../../../../../operator/rollout/desired/issued-certificates.ts';
import { runIdOf } from '../../../../../operator/rollout/run-id.ts';
import { ISSUED_RUN } from '../../../../support/operator/issued-secrets.ts';
import { runOf } from '../../../../support/operator/run-world.ts';

const RUN_ID = runIdOf(ISSUED_RUN.metadata.uid);
const [authority, issuer, ...leaves] = issuedCertificates(ISSUED_RUN) as readonly [Certificate, Issuer, ...Certificate[]];

test('the issuer that the run names signs an authority that names the run, and may sign others', (t) => {
  t.like(authority, { apiVersion: 'cert-manager.io/v1', kind: 'Certificate', metadata: { name: 'answers-ca', namespace: 'team' } });
  t.deepEqual(authority.spec, {
    secretName: 'answers-ca',
    secretTemplate: { labels: authority.metadata.labels ?? {} },
    isCA: true,
    commonName: `Rollout run ${RUN_ID}`,
    uris: [`spiffe://rollout/${RUN_ID}`],
    usages: ['cert sign', 'crl sign'],
    duration: '43800h',
    renewBefore: '8760h',
    privateKey: { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8', rotationPolicy: 'Never' },
    issuerRef: { name: 'company', kind: 'ClusterIssuer', group: 'cert-manager.io' },
  });
});

test('the authority signs the certificates of the parts, each of which has its name, its use and no other', (t) => {
  t.like(issuer, { kind: 'Issuer', metadata: { name: 'answers-ca' }, spec: { ca: { secretName: 'answers-ca' } } });
  t.deepEqual(
    leaves.map(({ metadata, spec }) => [metadata.name, spec.secretName, spec.uris, spec.usages]),
    [
      [
        'answers-coordinator-tls',
        'answers-coordinator-tls',
        [`spiffe://rollout/${RUN_ID}/coordinator`],
        ['digital signature', 'server auth'],
      ],
      ['answers-worker-tls', 'answers-worker-tls', [`spiffe://rollout/${RUN_ID}/workers`], ['digital signature', 'client auth']],
      ['answers-client-tls', 'answers-client-tls', [`spiffe://rollout/${RUN_ID}/client`], ['digital signature', 'client auth']],
    ],
  );
  for (const { spec } of leaves) {
    t.deepEqual(spec.issuerRef, { name: 'answers-ca', kind: 'Issuer', group: 'cert-manager.io' });
    t.like(spec, { duration: '24h', renewBefore: '12h', privateKey: { rotationPolicy: 'Always' } });
    t.is(spec.isCA, undefined);
  }
});

test('all go with the run, and their Secrets are found by the labels of its children', (t) => {
  for (const { metadata } of [authority, issuer, ...leaves])
    t.like(metadata.ownerReferences?.[0], { kind: 'RolloutRun', name: 'answers', controller: true });
  for (const { spec } of [authority, ...leaves])
    t.like(spec.secretTemplate.labels, { 'app.kubernetes.io/managed-by': 'rollout-operator', 'rollout.run/run': 'answers' });
});

test('no name is longer than a certificate takes, whatever the run is called', (t) => {
  const run = runOf(ISSUED_RUN.spec, undefined, { name: 'a'.repeat(40) });
  for (const object of issuedCertificates(run)) {
    t.true(object.metadata.name.length <= 63);
    if ('commonName' in object.spec) t.true(object.spec.commonName.length <= 64);
  }
});
