import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import { createFileAtomic, writeFileAtomic } from '../base/fs/atomic-file.ts';
import { readTextIfThere } from '../base/fs/text-file.ts';
import { systemRandom } from '../base/random.ts';
import { type Identity, identityFromAltNames, spiffeId } from './identity.ts';

/**
 * The certificates of a run in its TLS directory: `ca.pem`, `ca.key.pem`, and per process `<name>.pem`, `<name>.key.pem`, the name
 * being `coordinator`, `client` or `worker-<id>`. Where there is a `ca.pem` without its key, the certificates are brought by
 * somebody else: then they are only read, and one may serve all workers (`workers`). A key, once made, is kept, and its certificate is renewed: so a renewal
 * changes one file, and no reader ever pairs a new certificate with an old key.
 */
export interface TlsFiles {
  readonly caPath: string;
  readonly certPath: string;
  readonly keyPath: string;
}

export type CertificateRequest =
  | { readonly role: 'worker'; readonly workerId: string }
  /** `hosts`: names and addresses at which it is reached, beside the usual ones of this machine. */
  | { readonly role: 'coordinator'; readonly hosts: readonly string[] }
  | { readonly role: 'client' };

const KEY_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

/** For people, once. */
export function certificatesMade(caPath: string): string {
  return `Certificates for this run's own processes were made in ${dirname(caPath)}`;
}

/**
 * Makes the run's certificate authority unless it is there; safe when several processes start for the first time at once: the key
 * that was linked first stands, everybody makes the certificate from it, and one of those stands. `isNew` for exactly one of them.
 */
export async function ensureDevCa(
  dir: string,
  runId: string,
  clock: Clock = systemClock,
): Promise<{ readonly isNew: boolean; readonly caPath: string }> {
  await mkdir(dir, { recursive: true, mode: DIRECTORY_MODE });
  const { caPath, caKeyPath } = authorityPaths(dir);
  const isNew = (await readIfThere(caPath)) === null && (await makeDevCa(caPath, caKeyPath, runId, clock));
  if ((await readRunId(dir)) !== runId) {
    throw new RolloutError(
      'TLS_INVALID',
      `${caPath} belongs to run ${await readRunId(dir)}, not to ${runId}: give each run its own TLS directory`,
    );
  }
  return { isNew, caPath };
}

/** The run that the authority's certificate names. */
export async function readRunId(dir: string): Promise<string> {
  const { caPath } = authorityPaths(dir);
  const identity = identityFromAltNames(parseCertificate(caPath, await readOrRefuse(caPath)).subjectAltName);
  if (identity?.role === 'authority') return identity.runId;
  throw new RolloutError('TLS_INVALID', `${caPath} names no run: it needs the alternative name URI:spiffe://rollout/<runId>`);
}

/**
 * A certificate for this process: the one made earlier while it is in the first half of its life, else a new one made from the
 * authority's key; where that key is not there, the one that was brought. The library that makes certificates is loaded only when
 * one is made: it is a quarter of a process's start.
 */
export async function issueCertificate(dir: string, request: CertificateRequest, clock: Clock = systemClock): Promise<TlsFiles> {
  const { caPath, caKeyPath } = authorityPaths(dir);
  const files = filesOf(dir, request);
  const authorityPem = await readOrRefuse(caPath);
  const authorityKeyPem = await readIfThere(caKeyPath);
  if (authorityKeyPem === null) return checkBrought(dir, request);

  const identity = identityOf(request, await readRunId(dir));
  const hosts = request.role === 'coordinator' ? serverHosts(request.hosts) : [];
  const keyPem = await ensureKey(files.keyPath);
  if (await isStillGood(files, keyPem, identity, hosts, authorityPem, clock)) return files;
  const { makeCertificate } = await import('./certificate.ts');
  const authority = { certPem: authorityPem, keyPem: authorityKeyPem };
  const making = { nowMs: clock.wallMs(), random: systemRandom };
  const certPem = await inFile(caKeyPath, () => makeCertificate(keyPem, identity, hosts, authority, making));
  await writeFileAtomic(files.certPath, certPem);
  return files;
}

async function isStillGood(
  files: TlsFiles,
  keyPem: string,
  identity: Identity,
  hosts: readonly string[],
  authorityPem: string,
  clock: Clock,
): Promise<boolean> {
  const certPem = await readIfThere(files.certPath);
  if (certPem === null) return false;
  const certificate = parseCertificate(files.certPath, certPem);
  const known = identityFromAltNames(certificate.subjectAltName);
  const isOurs =
    certificate.verify(new X509Certificate(authorityPem).publicKey) && certificate.checkPrivateKey(parseKey(files.keyPath, keyPem));
  const isSame = known !== null && spiffeId(known) === spiffeId(identity) && hosts.every((host) => namesHost(certificate, host));
  return isOurs && isSame && clock.wallMs() >= Date.parse(certificate.validFrom) && clock.wallMs() < (await renewAfterMs(files));
}

function namesHost(certificate: X509Certificate, host: string): boolean {
  return (isIP(host) === 0 ? certificate.checkHost(host) : certificate.checkIP(host)) !== undefined;
}

/** When the certificate has lived half of its life (wall clock). */
export async function renewAfterMs(files: TlsFiles): Promise<number> {
  const { validFrom, validTo } = parseCertificate(files.certPath, await readOrRefuse(files.certPath));
  return (Date.parse(validFrom) + Date.parse(validTo)) / 2;
}

/** Whether certificates can be made here, or are brought by somebody else. */
export async function hasAuthorityKey(dir: string): Promise<boolean> {
  return (await readIfThere(authorityPaths(dir).caKeyPath)) !== null;
}

async function makeDevCa(caPath: string, caKeyPath: string, runId: string, clock: Clock): Promise<boolean> {
  const keyPem = await ensureKey(caKeyPath);
  const { makeAuthority } = await import('./certificate.ts');
  const certPem = await inFile(caKeyPath, () => makeAuthority(keyPem, runId, { nowMs: clock.wallMs(), random: systemRandom }));
  return createFileAtomic(caPath, certPem);
}

async function ensureKey(path: string): Promise<string> {
  const present = await readIfThere(path);
  if (present !== null) return present;
  const { makeKeyPem } = await import('./certificate.ts');
  await createFileAtomic(path, await makeKeyPem(), KEY_MODE);
  return readOrRefuse(path);
}

async function checkBrought(dir: string, request: CertificateRequest): Promise<TlsFiles> {
  const own = filesOf(dir, request);
  const shared = request.role === 'worker' ? namedFiles(dir, 'workers') : own;
  const isShared = request.role === 'worker' && (await readIfThere(own.keyPath)) === null && (await readIfThere(shared.keyPath)) !== null;
  const files = isShared ? shared : own;
  await readOrRefuse(files.keyPath);
  const identity = identityFromAltNames(parseCertificate(files.certPath, await readOrRefuse(files.certPath)).subjectAltName);
  const runId = identity?.runId ?? '<runId>';
  const wanted: Identity = isShared ? { role: 'workers', runId } : identityOf(request, runId);
  if (identity !== null && spiffeId(identity) === spiffeId(wanted)) return files;
  throw new RolloutError('TLS_INVALID', `${files.certPath} must carry the alternative name URI:${spiffeId(wanted)} and no other URI`);
}

function identityOf(request: CertificateRequest, runId: string): Identity {
  return request.role === 'worker' ? { role: 'worker', runId, workerId: request.workerId } : { role: request.role, runId };
}

function serverHosts(hosts: readonly string[]): readonly string[] {
  return [...new Set(['localhost', '127.0.0.1', '::1', hostname(), ...hosts])].filter((host) => host !== '');
}

function authorityPaths(dir: string): { readonly caPath: string; readonly caKeyPath: string } {
  return { caPath: join(dir, 'ca.pem'), caKeyPath: join(dir, 'ca.key.pem') };
}

function filesOf(dir: string, request: CertificateRequest): TlsFiles {
  return namedFiles(dir, request.role === 'worker' ? `worker-${request.workerId}` : request.role);
}

function namedFiles(dir: string, name: string): TlsFiles {
  return { caPath: authorityPaths(dir).caPath, certPath: join(dir, `${name}.pem`), keyPath: join(dir, `${name}.key.pem`) };
}

function parseCertificate(path: string, pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw new RolloutError(
      'TLS_INVALID',
      `${path} is no certificate in PEM form: put a right one there, or remove the directory's files to have new ones made`,
      { cause: error },
    );
  }
}

function parseKey(path: string, pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (cause) {
    const advice = 'remove it and run the same command again, which makes a new one';
    throw new RolloutError('TLS_INVALID', `${path} is no private key in PEM form: ${advice}`, { cause });
  }
}

async function inFile<T>(path: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (error) {
    throw new RolloutError('TLS_INVALID', `cannot make a certificate with ${path}: it must be an ECDSA P-256 key in PEM form`, {
      cause: error,
    });
  }
}

async function readOrRefuse(path: string): Promise<string> {
  const text = await readIfThere(path);
  if (text !== null) return text;
  throw new RolloutError(
    'TLS_INVALID',
    `${path} is missing: start the coordinator of the run first, which makes it; on another machine, or in another directory, copy ca.pem and ca.key.pem from its tls directory`,
  );
}

async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readTextIfThere(path);
  } catch (error) {
    throw new RolloutError('TLS_INVALID', `cannot read ${path}: check its owner and mode`, { cause: error });
  }
}
