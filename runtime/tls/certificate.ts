import 'reflect-metadata';
import crypto, { createPrivateKey, createPublicKey, type webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Random } from '../base/random.ts';
import { type Identity, spiffeId } from './identity.ts';

const { subtle } = crypto.webcrypto;

/** Makes keys and certificates: ECDSA on P-256, PEM in and out. Knows nothing of files. */

const KEY_KIND = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { ...KEY_KIND, hash: 'SHA-256' } as const;

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;
/**
 * Certificates begin in the past: clocks of machines differ, and one that is set by hand, or takes a time zone for another, steps by
 * an hour. Two machines that do so in opposite directions still accept one another.
 */
const BACKDATED_MS = 3 * HOUR_MS;
/** Longer than any run is kept, and any process lives: neither an authority nor what a server signs itself is renewed. */
const AUTHORITY_LIFE_MS = 5 * 365 * DAY_MS;
/** Short-lived: made again halfway between its two dates, and a stolen one is soon worthless. */
const LEAF_LIFE_MS = DAY_MS;
/** 128 bits: no two certificates of an authority ever draw the same serial number. */
const SERIAL_BYTES = 16;

/** What every certificate is made of beside its keys. */
export interface Making {
  readonly nowMs: number;
  readonly random: Random;
}

export interface Authority {
  readonly certPem: string;
  readonly keyPem: string;
}

export async function makeKeyPem(): Promise<string> {
  const { privateKey } = await subtle.generateKey(KEY_KIND, true, ['sign', 'verify']);
  const pkcs8 = Buffer.from(await subtle.exportKey('pkcs8', privateKey));
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' }).export({ format: 'pem', type: 'pkcs8' }).toString();
}

/** The run's own certificate authority, signed by itself. */
export async function makeAuthority(keyPem: string, runId: string, making: Making): Promise<string> {
  const keys = await keyPair(keyPem);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity(making, AUTHORITY_LIFE_MS),
      name: 'CN=Rollout dev CA',
      keys,
      signingAlgorithm: SIGNING,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        new SubjectAlternativeNameExtension([uri({ role: 'authority', runId })]),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    },
    crypto.webcrypto,
  );
  return certificate.toString('pem');
}

/** A certificate that a server signs itself, under names that nobody can check: for where only the encryption counts. */
export async function makeServerCertificate(keyPem: string, hosts: readonly string[], making: Making): Promise<string> {
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      ...validity(making, AUTHORITY_LIFE_MS),
      name: 'CN=Rollout',
      keys: await keyPair(keyPem),
      signingAlgorithm: SIGNING,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension(namesOf(hosts)),
      ],
    },
    crypto.webcrypto,
  );
  return certificate.toString('pem');
}

/** A certificate for one process, signed by the authority. `hosts` are the names and addresses that a server answers at. */
export async function makeCertificate(
  keyPem: string,
  identity: Identity,
  hosts: readonly string[],
  authority: Authority,
  making: Making,
): Promise<string> {
  const issuer = new X509Certificate(authority.certPem);
  const { publicKey } = await keyPair(keyPem);
  const certificate = await X509CertificateGenerator.create(
    {
      ...validity(making, LEAF_LIFE_MS),
      subject: [{ CN: [identity.role === 'worker' ? `worker ${identity.workerId}` : identity.role] }],
      issuer: issuer.subject,
      publicKey,
      signingKey: (await keyPair(authority.keyPem)).privateKey,
      signingAlgorithm: SIGNING,
      extensions: [
        ...leafExtensions(identity, hosts),
        await SubjectKeyIdentifierExtension.create(publicKey),
        await AuthorityKeyIdentifierExtension.create(issuer),
      ],
    },
    crypto.webcrypto,
  );
  return certificate.toString('pem');
}

function leafExtensions(identity: Identity, hosts: readonly string[]): Extension[] {
  const usage = identity.role === 'coordinator' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([usage]),
    new SubjectAlternativeNameExtension([uri(identity), ...namesOf(hosts)]),
  ];
}

function namesOf(hosts: readonly string[]): JsonGeneralName[] {
  return hosts.map((host) => ({ type: isIP(host) === 0 ? 'dns' : 'ip', value: host }));
}

function uri(identity: Identity): JsonGeneralName {
  return { type: 'url', value: spiffeId(identity) };
}

function validity({ nowMs, random }: Making, lifeMs: number): { serialNumber: string; notBefore: Date; notAfter: Date } {
  // A leading 01 keeps the number positive and its length fixed.
  return {
    serialNumber: `01${random.hex(SERIAL_BYTES - 1)}`,
    notBefore: new Date(nowMs - BACKDATED_MS),
    notAfter: new Date(nowMs + lifeMs),
  };
}

async function keyPair(keyPem: string): Promise<webcrypto.CryptoKeyPair> {
  const key = createPrivateKey(keyPem);
  const privateKey = await subtle.importKey('pkcs8', key.export({ format: 'der', type: 'pkcs8' }), KEY_KIND, true, ['sign']);
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  const publicKey = await subtle.importKey('spki', spki, KEY_KIND, true, ['verify']);
  return { privateKey, publicKey };
}
