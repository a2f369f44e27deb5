import type { RolloutRun } from '../../../operator/api/run.ts';
import type { Secret } from '../../../operator/kube/kind.ts';
import { authorityName, identityOf, TLS_ROLES, type TlsRole, tlsName } from '../../../operator/rollout/children.ts';
import { runIdOf } from '../../../operator/rollout/run-id.ts';
import { seededRandom } from '../../../runtime/base/random.ts';
import { type Authority, makeCertificate, makeKeyPem } from '../../../runtime/tls/certificate.ts';
import { issueAuthority, makeIssuer } from '../issuer.ts';
import { runOf } from './run-world.ts';

/** What cert-manager makes of the Certificates of a run, whose issuer is that of a company. */

export const ISSUED_RUN: RolloutRun = runOf({
  certificates: { mode: 'certManager', issuerRef: { name: 'company', kind: 'ClusterIssuer' } },
});

export async function issuedAuthority(nowMs: number, run: RolloutRun = ISSUED_RUN): Promise<Authority> {
  return issueAuthority(await makeIssuer('company', nowMs), runIdOf(run.metadata.uid), nowMs);
}

/** By their names. `ca.crt` has whoever stands above all others. */
export async function issuedSecrets(authority: Authority, nowMs: number, run: RolloutRun = ISSUED_RUN): Promise<Map<string, Secret>> {
  const company = await makeIssuer('company', nowMs);
  const own = secretOf(authorityName(run.metadata.name), authority.certPem, authority.keyPem, company);
  const leaves = await Promise.all(TLS_ROLES.map((role) => leafSecret(authority, nowMs, role, company, run)));
  return new Map([own, ...leaves].map((secret) => [secret.metadata.name, secret]));
}

async function leafSecret(authority: Authority, nowMs: number, role: TlsRole, company: Authority, run: RolloutRun): Promise<Secret> {
  const key = await makeKeyPem();
  const cert = await makeCertificate(key, identityOf(role, run), [], authority, { nowMs, random: seededRandom(1) });
  return secretOf(tlsName(run.metadata.name, role), `${cert}\n${authority.certPem}`, key, company);
}

function secretOf(name: string, cert: string, key: string, company: Authority): Secret {
  const data = { 'tls.crt': cert, 'tls.key': key, 'ca.crt': company.certPem };
  return {
    metadata: { name, namespace: 'team', uid: `uid-of-${name}` },
    data: Object.fromEntries(Object.entries(data).map(([file, text]) => [file, Buffer.from(text).toString('base64')])),
  };
}
