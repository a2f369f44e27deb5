import 'reflect-metadata';
import crypto, { createPrivateKey, createPublicKey, type webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { type Authority, makeKeyPem } from '../../runtime/tls/certificate.ts';

const KIND = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { ...KIND, hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;

async function keysOf(keyPem: string): Promise<webcrypto.CryptoKeyPair> {
  const { subtle } = crypto.webcrypto;
  const key = createPrivateKey(keyPem);
  return {
    privateKey: await subtle.importKey('pkcs8', key.export({ format: 'der', type: 'pkcs8' }), KIND, true, ['sign']),
    publicKey: await subtle.importKey('spki', createPublicKey(key).export({ format: 'der', type: 'spki' }), KIND, true, ['verify']),
  };
}

/** As an issuer of a company is: it signs for everybody, and knows nothing of runs. */
export async function makeIssuer(name: string, nowMs: number): Promise<Authority> {
  const keyPem = await makeKeyPem();
  return { keyPem, certPem: await sign(name, keyPem, null, null, nowMs) };
}

/** The authority of a run, which such an issuer has signed. `keyPem`: of an earlier one, whose certificate is renewed. */
export async function issueAuthority(issuer: Authority, runId: string, nowMs: number, keyPem?: string): Promise<Authority> {
  const key = keyPem ?? (await makeKeyPem());
  return { keyPem: key, certPem: await sign(`run ${runId}`, key, `spiffe://rollout/${runId}`, issuer, nowMs) };
}

async function sign(name: string, keyPem: string, uri: string | null, issuer: Authority | null, nowMs: number): Promise<string> {
  const keys = await keysOf(keyPem);
  const certificate = await X509CertificateGenerator.create(
    {
      serialNumber: `01${crypto.randomBytes(8).toString('hex')}`,
      subject: [{ CN: [name] }],
      issuer: issuer === null ? [{ CN: [name] }] : new X509Certificate(issuer.certPem).subject,
      notBefore: new Date(nowMs - DAY_MS),
      notAfter: new Date(nowMs + 30 * DAY_MS),
      publicKey: keys.publicKey,
      signingKey: issuer === null ? keys.privateKey : (await keysOf(issuer.keyPem)).privateKey,
      signingAlgorithm: SIGNING,
      extensions: [
        new BasicConstraintsExtension(true, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        ...(uri === null ? [] : [new SubjectAlternativeNameExtension([{ type: 'url', value: uri }])]),
      ],
    },
    crypto.webcrypto,
  );
  return certificate.toString('pem');
}
