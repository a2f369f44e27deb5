import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type PeerCertificate } from 'node:tls';
import { type ChannelCredentials, experimental, type ServerCredentials } from '@grpc/grpc-js';
import { type Clock, systemClock, type Timer } from '../base/clock.ts';
import { RolloutError } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { type CertificateRequest, hasAuthorityKey, issueCertificate, renewAfterMs, type TlsFiles } from './ca.ts';
import { type Identity, identityFromAltNames, spiffeId } from './identity.ts';
import { judgePair, type Pair, type Pem } from './pair.ts';

/** How soon a changed file is seen. */
const WATCH_MS = 1_000;
/** How often the age of the own certificate is looked at. */
const RENEWAL_CHECK_MS = 60_000;

/** Asks every caller for a certificate of the run's authority; without one the handshake fails. New connections use changed files. */
export function serverCredentials(
  files: TlsFiles,
  log: Log,
  { provider }: WatchedCertificate = watchCertificate(files, null, log),
): ServerCredentials {
  return experimental.createCertificateProviderServerCredentials(provider, provider, true);
}

/**
 * Shows the own certificate and accepts only a coordinator of run `runId`. The run's identity is what counts, not the host name:
 * a coordinator may be reached by any name or address, and only a coordinator's certificate has the role.
 */
export function clientCredentials(files: TlsFiles, runId: string, log: Log): ChannelCredentials {
  const { provider } = watchCertificate(files, null, log);
  const wanted = spiffeId({ role: 'coordinator', runId });
  const checkServerIdentity = (_host: string, certificate: PeerCertificate): Error | undefined => {
    const identity = identityFromAltNames(certificate.subjectaltname);
    return identity !== null && spiffeId(identity) === wanted ? undefined : new Error(`the server's certificate is not that of ${wanted}`);
  };
  return experimental.createCertificateProviderChannelCredentials(provider, provider, { checkServerIdentity });
}

/** Renews the certificate at half of its life, for as long as the process runs. A certificate from outside is left to its source. */
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

/** How the certificate of this process stands. */
export interface CertificateView {
  /** Of the one in use; wall clock. */
  readonly expiresAtMs: number;
  /** Why the files as they are now are not in use; null where they are. */
  readonly refused: string | null;
}

export interface WatchedCertificate {
  readonly provider: experimental.CertificateProvider;
  view(): CertificateView;
}

/**
 * The files as they are now, and again whenever one changes. A set that no peer would accept (somebody is just replacing the files, or
 * has put a wrong or an expired one there) is not used: the last good one stays, and the log says so. At the start it is refused.
 * grpc-js' own watcher would take any, or drop every connection meanwhile.
 */
export function watchCertificate(files: TlsFiles, runId: string | null, log: Log, clock: Clock = systemClock): WatchedCertificate {
  let pair = readPair(files, null, clock);
  if (runId !== null && pair.identity.runId !== runId)
    throw unusable(`${files.certPath} is of run ${pair.identity.runId}, not of ${runId}`);
  let refused: string | null = null;
  const onCa = new Set<experimental.CaCertificateUpdateListener>();
  const onIdentity = new Set<experimental.IdentityCertificateUpdateListener>();
  const tellCa = (listener: experimental.CaCertificateUpdateListener): void => listener({ caCertificate: pair.ca });
  const tellIdentity = (listener: experimental.IdentityCertificateUpdateListener): void =>
    listener({ certificate: pair.cert, privateKey: pair.key });

  const reload = (): void => {
    try {
      pair = readPair(files, pair.identity, clock);
    } catch (error) {
      refused = error instanceof Error ? error.message : String(error);
      log.warn(
        { refused, inUseUntil: new Date(pair.expiresAtMs).toISOString() },
        'changed certificate files are not taken, the last good ones stay',
      );
      return;
    }
    if (refused !== null) log.info({ path: files.certPath }, 'the certificate files are good again, and taken');
    refused = null;
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
  const provider: experimental.CertificateProvider = {
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
  return { provider, view: () => ({ expiresAtMs: pair.expiresAtMs, refused }) };
}

/** `wanted`: the name that it must have; null for any. */
function readPair(files: TlsFiles, wanted: Identity | null, clock: Clock): Pair {
  const pem: Pem = { ca: read(files.caPath), cert: read(files.certPath), key: read(files.keyPath) };
  const judged = judgePair(pem, files, wanted, clock.wallMs());
  if (judged.kind === 'flawed') throw unusable(judged.flaw);
  try {
    createSecureContext(pem);
  } catch (cause) {
    throw unusable(
      `${files.certPath}, ${files.keyPath} and ${files.caPath} do not make a certificate that can be used (${String(cause)})`,
      cause,
    );
  }
  return judged.pair;
}

function read(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw unusable(`${path} cannot be read (${String(cause)})`, cause);
  }
}

function unusable(flaw: string, cause?: unknown): RolloutError {
  const message = `${flaw}. No peer would accept that. Put a right one there, or set the clock right; where the run makes its own certificates, a file that is removed is made again`;
  return new RolloutError('TLS_INVALID', message, { cause });
}
