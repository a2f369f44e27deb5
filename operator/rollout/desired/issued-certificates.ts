import { spiffeId } from '../../../runtime/tls/identity.ts';
import type { RolloutRun } from '../../api/run.ts';
import { CERTIFICATE, type Certificate, ISSUER, type Issuer } from '../cert-manager-kinds.ts';
import { authorityName, childMeta, identityOf, labelsOf, TLS_ROLES, type TlsRole, tlsName } from '../children.ts';
import { runIdOf } from '../run-id.ts';

/**
 * What cert-manager is asked for: the issuer that the run names signs an authority for this run alone, and that signs the certificates of
 * its parts. So nobody else who gets certificates of that issuer belongs to the run.
 */

/** As long as an authority that a run makes itself. It keeps its key when it is renewed, so that what it has signed stays good. */
const AUTHORITY_LIFE = { duration: '43800h', renewBefore: '8760h' } as const;
/** As those that a run makes itself: renewed after half of a day. */
const LEAF_LIFE = { duration: '24h', renewBefore: '12h' } as const;
/** What the runtime makes itself as well, and reads. */
const KEY = { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8' } as const;

/** In the order in which they can be issued. */
export function issuedCertificates(run: RolloutRun): readonly (Certificate | Issuer)[] {
  return [authority(run), issuer(run), ...TLS_ROLES.map((role) => leaf(run, role))];
}

function authority(run: RolloutRun): Certificate {
  const { uid, name } = run.metadata;
  const runId = runIdOf(uid);
  const { name: issuerName = '', kind = 'Issuer' } = run.spec.certificates.issuerRef ?? {};
  return certificate(run, authorityName(name), {
    isCA: true,
    // What it signs names it: without a name of its own no chain could be followed.
    commonName: `Rollout run ${runId}`,
    uris: [spiffeId({ role: 'authority', runId })],
    usages: ['cert sign', 'crl sign'],
    ...AUTHORITY_LIFE,
    privateKey: { ...KEY, rotationPolicy: 'Never' },
    issuerRef: { name: issuerName, kind, group: ISSUER.group },
  });
}

function issuer(run: RolloutRun): Issuer {
  const name = authorityName(run.metadata.name);
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: ISSUER.kind,
    metadata: childMeta(run, name, 'coordinator'),
    spec: { ca: { secretName: name } },
  };
}

function leaf(run: RolloutRun, role: TlsRole): Certificate {
  const identity = identityOf(role, run);
  return certificate(run, tlsName(run.metadata.name, role), {
    commonName: identity.role,
    uris: [spiffeId(identity)],
    usages: ['digital signature', role === 'coordinator' ? 'server auth' : 'client auth'],
    ...LEAF_LIFE,
    privateKey: { ...KEY, rotationPolicy: 'Always' },
    issuerRef: { name: authorityName(run.metadata.name), kind: ISSUER.kind, group: ISSUER.group },
  });
}

/** The Secret has the name of its Certificate, and the labels by which the operator finds it. */
function certificate(run: RolloutRun, name: string, spec: Omit<Certificate['spec'], 'secretName' | 'secretTemplate'>): Certificate {
  return {
    apiVersion: 'cert-manager.io/v1',
    kind: CERTIFICATE.kind,
    metadata: childMeta(run, name, 'coordinator'),
    spec: { secretName: name, secretTemplate: { labels: labelsOf(run.metadata.name, 'coordinator') }, ...spec },
  };
}
