import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type PeerCertificate } from 'node:tls';
import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import type { Clock, Timer } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { type CertificateRequest, hasAuthorityKey, issueCertificate, renewAfterMs, type TlsFiles } from './ca.ts';
import { identityFromAltNames, spiffeId } from './identity.ts';

/** How soon a changed file is seen. */
const WATCH_MS = 1_000;
/** How often the age of the own certificate is looked at. */
const RENEWAL_CHECK_MS = 60_000;

/** Asks every caller for a certificate of the run's authority; without one the handshake fails. New connections use changed files. */
export function serverCredentials(files: TlsFiles, log: Log): ServerCredentials {
  const provider = watchedFiles(files, log);
  return experimental.createCertificateProviderServerCredentials(provider, provider, true);
}

/**
 * Shows the own certificate and accepts only a coordinator of run `runId`. The run's identity is what counts, not the host name:
 * a coordinator may be reached by any name or address, and only a coordinator's certificate has the role.
 */
export function clientCredentials(files: TlsFiles, runId: string, log: Log): ChannelCredentials {
  const provider = watchedFiles(files, log);
  const wanted = spiffeId({ role: 'coordinator', runId });
  const checkServerIdentity = (_host: string, certificate: PeerCertificate): Error | undefined => {
    const identity = identityFromAltNames(certificate.subjectaltname);
    return identity !== null && spiffeId(identity) === wanted ? undefined : new Error(`the server's certificate is not that of ${wanted}`);
  };
  return experimental.createCertificateProviderChannelCredentials(provider, provider, { checkServerIdentity });
}

/** Makes the certificate anew at half of its life, for as long as the process runs; a brought one is left to who brings it. */
export function keepCertificateFresh(dir: string, request: CertificateRequest, files: TlsFiles, clock: Clock, log: Log): Timer {
  const renew = async (): Promise<void> => {
    if (clock.wallMs() < (await renewAfterMs(files)) || !(await hasAuthorityKey(dir))) return;
    await issueCertificate(dir, request, clock);
    log.info({ path: files.certPath }, 'certificate renewed');
  };
  return clock.every(RENEWAL_CHECK_MS, () => {
    renew().catch((error: unknown) => log.error({ err: error }, 'the certificate could not be renewed; it is tried again in a minute'));
  });
}

interface Pem {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/**
 * The files as they are now, and again whenever one changes. A set that does not fit together (somebody is just replacing the
 * files) is not taken: the last good one stays. grpc-js' own watcher would drop every connection meanwhile.
 */
function watchedFiles(files: TlsFiles, log: Log): experimental.CertificateProvider {
  let pem = readPem(files);
  const onCa = new Set<experimental.CaCertificateUpdateListener>();
  const onIdentity = new Set<experimental.IdentityCertificateUpdateListener>();
  const tellCa = (listener: experimental.CaCertificateUpdateListener): void => listener({ caCertificate: pem.ca });
  const tellIdentity = (listener: experimental.IdentityCertificateUpdateListener): void =>
    listener({ certificate: pem.cert, privateKey: pem.key });

  const reload = (): void => {
    try {
      pem = readPem(files);
    } catch (error) {
      log.warn({ err: error }, 'changed certificate files are not taken: they do not fit together');
      return;
    }
    onCa.forEach(tellCa);
    onIdentity.forEach(tellIdentity);
  };
  const paths = Object.values(files) as string[];
  const startFirst = (): void => {
    if (onCa.size + onIdentity.size > 0) return;
    // Not persistent: it alone does not keep the process alive.
    for (const path of paths) watchFile(path, { interval: WATCH_MS, persistent: false }, reload);
  };
  const stopLast = (): void => {
    if (onCa.size + onIdentity.size > 0) return;
    for (const path of paths) unwatchFile(path, reload);
  };
  return {
    // grpc-js is told later, not at once: it adds its own listener only after this call.
    addCaCertificateListener: (listener) => {
      startFirst();
      onCa.add(listener);
      queueMicrotask(() => tellCa(listener));
    },
    removeCaCertificateListener: (listener) => {
      onCa.delete(listener);
      stopLast();
    },
    addIdentityCertificateListener: (listener) => {
      startFirst();
      onIdentity.add(listener);
      queueMicrotask(() => tellIdentity(listener));
    },
    removeIdentityCertificateListener: (listener) => {
      onIdentity.delete(listener);
      stopLast();
    },
  };
}

function readPem(files: TlsFiles): Pem {
  try {
    const pem = { ca: readFileSync(files.caPath), cert: readFileSync(files.certPath), key: readFileSync(files.keyPath) };
    createSecureContext(pem);
    return pem;
  } catch (error) {
    throw new RolloutError(
      'TLS_INVALID',
      `${files.certPath}, ${files.keyPath} and ${files.caPath} do not make a certificate that can be used`,
      { cause: error },
    );
  }
}
