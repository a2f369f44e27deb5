import type { Pem } from '../../runtime/tls/pair.ts';
import type { RolloutRun } from '../api/run.ts';
import type { Secret } from '../kube/kind.ts';
import type { ReadStore } from '../kube/store.ts';
import { authorityName, TLS_ROLES, tlsName } from './children.ts';
import { type IssuedFinding, issuedNames } from './issued.ts';
import { clientPem, secretState } from './tls-secret.ts';

/**
 * The Secrets of a run, by name. What cert-manager has made has no owner at first: it is found by its name, and its content says whether it is
 * this run's.
 */
export function runSecrets(store: ReadStore<Secret>, run: RolloutRun): ReadonlyMap<string, Secret> {
  const { name, namespace, uid } = run.metadata;
  const isIssued = run.spec.certificates.mode === 'certManager';
  const found = isIssued ? issuedNames(name).map((secret) => store.get(`${namespace}/${secret}`)) : [...store.ownedBy(uid)];
  return new Map(found.flatMap((secret) => (secret === undefined ? [] : [[secret.metadata.name, secret]])));
}

/** `issued`: null for a run that makes its own. */
export function hasCertificates(
  { metadata }: RolloutRun,
  secrets: ReadonlyMap<string, Secret>,
  issued: IssuedFinding | null,
  nowMs: number,
): boolean {
  if (issued !== null) return issued.kind === 'issued';
  return TLS_ROLES.every((role) => secretState(secrets.get(tlsName(metadata.name, role)) ?? null, nowMs) !== 'missing');
}

/** With which the operator asks the run's coordinators; null before there is one. */
export function operatorPem({ metadata, spec }: RolloutRun, secrets: ReadonlyMap<string, Secret>): Pem | null {
  const own = secrets.get(tlsName(metadata.name, 'client')) ?? null;
  if (spec.certificates.mode === 'selfSigned') return clientPem(own);
  const authority = secrets.get(authorityName(metadata.name)) ?? null;
  return authority === null ? null : clientPem(own, authority);
}
