import type { X509Certificate } from 'node:crypto';
import { identityFromAltNames, spiffeId } from '../../runtime/tls/identity.ts';
import type { Observed } from '../api/conditions.ts';
import { CONDITION, REASON } from '../api/names.ts';
import type { RolloutRun } from '../api/run.ts';
import type { Secret } from '../kube/kind.ts';
import { authorityName, identityOf, TLS_ROLES, tlsName } from './children.ts';
import { runIdOf } from './run-id.ts';
import { certificateIn } from './tls-secret.ts';

/** Whether cert-manager has issued what a run needs; and if not, why, for people. */
export type IssuedFinding =
  | { readonly kind: 'issued' }
  /** The operator's settings say that cert-manager is not to be used. */
  | { readonly kind: 'disabled' }
  /** The cluster has no such kinds. */
  | { readonly kind: 'not-installed' }
  | { readonly kind: 'pending'; readonly message: string };

/** Names of the Secrets of a run, the authority's first. */
export function issuedNames(run: string): readonly string[] {
  return [authorityName(run), ...TLS_ROLES.map((role) => tlsName(run, role))];
}

/**
 * What is wrong with the Secrets as they are now, the first thing in the order of issuing; null where nothing is. A Secret may be left from an
 * earlier run of the same name.
 *
 * @param secrets by name
 */
export function issuedFlaw(
  run: RolloutRun,
  secrets: ReadonlyMap<string, Secret>,
  nowMs: number,
): { readonly secret: string; readonly flaw: string } | null {
  const name = authorityName(run.metadata.name);
  const authority = certificateIn(secrets.get(name) ?? null);
  const wanted = spiffeId({ role: 'authority', runId: runIdOf(run.metadata.uid) });
  const ofAuthority = flawOf(authority, wanted, nowMs);
  if (authority === null || ofAuthority !== null) return { secret: name, flaw: ofAuthority ?? MISSING };
  for (const role of TLS_ROLES) {
    const secret = tlsName(run.metadata.name, role);
    const leaf = certificateIn(secrets.get(secret) ?? null);
    const flaw = flawOf(leaf, spiffeId(identityOf(role, run)), nowMs) ?? flawOfSigner(leaf, authority, secret, name);
    if (flaw !== null) return { secret, flaw };
  }
  return null;
}

const MISSING = 'is not there yet';

function flawOf(certificate: X509Certificate | null, wanted: string, nowMs: number): string | null {
  if (certificate === null) return MISSING;
  const identity = identityFromAltNames(certificate.subjectAltName);
  if (identity === null || spiffeId(identity) !== wanted) return `has a certificate without the one URI ${wanted}`;
  return nowMs >= Date.parse(certificate.validTo) ? 'has a certificate that has expired' : null;
}

/** cert-manager does not notice that an authority has another key than when it signed. */
function flawOfSigner(leaf: X509Certificate | null, authority: X509Certificate, name: string, authoritySecret: string): string | null {
  if (leaf?.verify(authority.publicKey) === true) return null;
  return `is not signed by the authority in ${authoritySecret}, which was replaced: delete the Secret ${name}, and it is issued again`;
}

/** For runs whose certificates cert-manager makes. */
export function issuedCondition(finding: IssuedFinding): Observed {
  const type = CONDITION.certificatesReady;
  switch (finding.kind) {
    case 'issued':
      return { type, status: 'True', reason: REASON.certificatesIssued, message: 'cert-manager has issued all certificates' };
    case 'disabled': {
      const message = 'this operator does not use cert-manager: set certManager.enabled to true in the values of its chart';
      return { type, status: 'False', reason: REASON.certManagerDisabled, message };
    }
    case 'not-installed': {
      const message = 'this cluster has no kind Certificate of cert-manager.io/v1: install cert-manager';
      return { type, status: 'False', reason: REASON.certManagerMissing, message };
    }
    case 'pending':
      return { type, status: 'False', reason: REASON.certificatesPending, message: finding.message };
  }
}
