import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import { BasicConstraintsExtension, SubjectAlternativeNameExtension, X509CertificateGenerator } from '@peculiar/x509';

/** A server's pair, signed by an authority of its own. */
export interface OwnCa {
  /** The authority's certificate, PEM. */
  readonly ca: string;
  readonly tls: { readonly cert: string; readonly key: string };
}

const KEY_KIND = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { ...KEY_KIND, hash: 'SHA-256' } as const;
const DAY_MS = 24 * 3_600_000;

/** For 127.0.0.1 and model.test. */
export async function ownCa(): Promise<OwnCa> {
  const now = Date.now();
  const dates = { notBefore: new Date(now - DAY_MS), notAfter: new Date(now + DAY_MS), signingAlgorithm: SIGNING };
  const authorityKeys = await webcrypto.subtle.generateKey(KEY_KIND, true, ['sign', 'verify']);
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...dates,
    serialNumber: '01',
    name: 'CN=an authority of its own',
    keys: authorityKeys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  const keys = await webcrypto.subtle.generateKey(KEY_KIND, true, ['sign', 'verify']);
  const names = [
    { type: 'ip', value: '127.0.0.1' },
    { type: 'dns', value: 'model.test' },
  ] as const;
  const leaf = await X509CertificateGenerator.create({
    ...dates,
    serialNumber: '02',
    subject: 'CN=a model server',
    issuer: authority.subject,
    signingKey: authorityKeys.privateKey,
    publicKey: keys.publicKey,
    extensions: [new SubjectAlternativeNameExtension([...names])],
  });
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' }).toString();
  return { ca: authority.toString('pem'), tls: { cert: leaf.toString('pem'), key } };
}
