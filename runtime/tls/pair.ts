import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { TlsFiles } from './ca.ts';
import { type Identity, identityFromAltNames, spiffeId } from './identity.ts';

/** The contents of the three files. */
export interface Pem {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export interface Trust {
  /** PEM of those at which the chain of a peer may end. */
  readonly ca: Buffer;
  /** The authority is signed by somebody who is not trusted: chains end at it, and not at one that is signed by itself. */
  readonly isPartial: boolean;
}

/** A certificate with its key that every peer of the run accepts now. */
export interface Pair extends Pem, Trust {
  readonly identity: Identity;
  /** Wall clock. */
  readonly expiresAtMs: number;
}

/** `flaw`: why no peer would accept it, in a sentence without its end that names the file. */
export type Judged = { readonly kind: 'good'; readonly pair: Pair } | { readonly kind: 'flawed'; readonly flaw: string };

/** More certificates between a process and its authority than anybody uses. */
const MAX_CHAIN = 8;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

/** Checked as a peer would check it, by the clock of this machine. `wanted`: the name that it must have; null for any. */
export function judgePair(pem: Pem, files: TlsFiles, wanted: Identity | null, nowMs: number): Judged {
  const [authorities, chain] = [trustedIn(pem.ca), certificatesIn(pem.cert)];
  if (authorities === null) return flawed(`${files.caPath} is no certificate in PEM form`);
  if (chain === null) return flawed(`${files.certPath} is no certificate in PEM form`);
  const [leaf] = chain as [X509Certificate];
  const identity = identityFromAltNames(leaf.subjectAltName);
  const flaw =
    flawOfKey(leaf, pem.key, files) ??
    flawOfName(identity, wanted, files) ??
    flawOfUse(leaf, identity, files) ??
    flawOfTime(leaf, files.certPath, nowMs) ??
    flawOfChain(chain, authorities, files, nowMs);
  if (flaw !== null || identity === null) return flawed(flaw ?? `${files.certPath} names nobody`);
  return { kind: 'good', pair: { ...pem, ...trustOf(authorities), identity, expiresAtMs: Date.parse(leaf.validTo) } };
}

function flawed(flaw: string): Judged {
  return { kind: 'flawed', flaw };
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----/gs;

/** Null where there is none, or one of them is damaged. */
function certificatesIn(pem: Buffer): readonly X509Certificate[] | null {
  try {
    const all = [...pem.toString('latin1').matchAll(CERTIFICATES)].map(([one]) => new X509Certificate(one));
    return all.length === 0 ? null : all;
  } catch {
    return null;
  }
}

/** What a file of authorities makes a process trust; null where it holds no certificate. */
export function trustIn(pem: Buffer): Trust | null {
  const authorities = trustedIn(pem);
  return authorities === null ? null : trustOf(authorities);
}

/**
 * The first one names the run. Where it is signed by itself, what follows it is trusted as well. Where somebody else has signed it, as an
 * issuer of a company does, it alone is: that issuer signs for others too, and whoever gets a certificate of it would belong to the run.
 */
function trustedIn(pem: Buffer): readonly X509Certificate[] | null {
  const all = certificatesIn(pem);
  const [first] = all ?? [];
  if (all === null || first === undefined) return null;
  return hasSigned(first, first) ? all : [first];
}

function trustOf(authorities: readonly X509Certificate[]): Trust {
  const [first] = authorities;
  return { ca: Buffer.from(authorities.map(String).join('')), isPartial: first !== undefined && !hasSigned(first, first) };
}

function flawOfKey(leaf: X509Certificate, key: Buffer, { certPath, keyPath }: TlsFiles): string | null {
  try {
    return leaf.checkPrivateKey(createPrivateKey(key)) ? null : `${keyPath} is not the key of ${certPath}`;
  } catch {
    return `${keyPath} is no private key in PEM form`;
  }
}

function flawOfName(identity: Identity | null, wanted: Identity | null, { certPath }: TlsFiles): string | null {
  if (identity !== null && (wanted === null || spiffeId(identity) === spiffeId(wanted))) return null;
  const name = wanted === null ? 'spiffe://rollout/<runId>/<role>' : spiffeId(wanted);
  return `${certPath} must carry the alternative name URI:${name} and no other URI`;
}

/** One without extended key usage is good for everything. */
function flawOfUse({ keyUsage }: X509Certificate, identity: Identity | null, { certPath }: TlsFiles): string | null {
  const [usage, who] = identity?.role === 'coordinator' ? [SERVER_AUTH, 'server'] : [CLIENT_AUTH, 'client'];
  if (keyUsage === undefined || keyUsage.includes(usage)) return null;
  return `${certPath} is not meant for a TLS ${who} (extended key usage)`;
}

function flawOfTime({ validFrom, validTo }: X509Certificate, path: string, nowMs: number): string | null {
  const clock = `the clock of this machine says ${iso(nowMs)}`;
  if (nowMs < Date.parse(validFrom)) return `${path} is not valid before ${iso(Date.parse(validFrom))}: ${clock}`;
  if (nowMs >= Date.parse(validTo)) return `${path} has expired, it was valid until ${iso(Date.parse(validTo))}: ${clock}`;
  return null;
}

function iso(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** From the leaf by those that follow it in its file to one of the authorities. */
function flawOfChain(
  chain: readonly X509Certificate[],
  authorities: readonly X509Certificate[],
  files: TlsFiles,
  nowMs: number,
): string | null {
  let [at] = chain as [X509Certificate];
  for (let length = 0; length < MAX_CHAIN; length += 1) {
    const above = at;
    const authority = authorities.find((one) => hasSigned(one, above));
    if (authority !== undefined) return flawOfTime(authority, files.caPath, nowMs);
    const next = chain.find((one) => one !== above && one.ca && hasSigned(one, above));
    if (next === undefined) break;
    const flaw = flawOfTime(next, files.certPath, nowMs);
    if (flaw !== null) return flaw;
    at = next;
  }
  return `${files.certPath} is not signed by the authority in ${files.caPath}`;
}

function hasSigned(issuer: X509Certificate, issued: X509Certificate): boolean {
  return issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
}
