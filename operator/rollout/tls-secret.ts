import { X509Certificate } from 'node:crypto';
import type { Pem } from '../../runtime/tls/pair.ts';
import type { Secret } from '../kube/kind.ts';

/** A Secret with a certificate, whoever has made it: the names of the keys are those that cert-manager writes. */
export const CERT = 'tls.crt';
export const KEY = 'tls.key';
export const CA = 'ca.crt';

/** Null where the key is not there, or empty. */
export function textIn(secret: Secret | null, key: string): string | null {
  const text = secret?.data?.[key];
  return text === undefined || text === '' ? null : Buffer.from(text, 'base64').toString('utf8');
}

/** The first certificate of `tls.crt`; null where there is none. */
export function certificateIn(secret: Secret | null): X509Certificate | null {
  const pem = textIn(secret, CERT);
  try {
    return pem === null ? null : new X509Certificate(pem);
  } catch {
    return null;
  }
}

/** What a Secret has to do with now. `secret`: null where there is none. */
export function secretState(secret: Secret | null, nowMs: number): 'missing' | 'due' | 'good' {
  const certificate = certificateIn(secret);
  if (certificate === null) return 'missing';
  return nowMs >= (Date.parse(certificate.validFrom) + Date.parse(certificate.validTo)) / 2 ? 'due' : 'good';
}

/**
 * What a client of the run shows and trusts; null where the Secret is not whole.
 *
 * @param authority has the authority where cert-manager has made it: in the Secret of a client it names whoever has signed that
 */
export function clientPem(secret: Secret | null, authority: Secret | null = null): Pem | null {
  const ca = authority === null ? textIn(secret, CA) : textIn(authority, CERT);
  const [cert, key] = [textIn(secret, CERT), textIn(secret, KEY)];
  if (ca === null || cert === null || key === null) return null;
  return { ca: Buffer.from(ca), cert: Buffer.from(cert), key: Buffer.from(key) };
}
